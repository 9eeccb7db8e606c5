#include "lab/scale/incident_models.h"

#include <fmt/format.h>

#include <vector>

namespace laggard::lab::scale {

ScaleIncident controller_failed(IncidentBuilder& b) {
  const std::size_t controller = b.any_controller();
  b.lose(b.site().all_luns(), b.site().servers_of(controller), kForGood, Lost::kAbsent);
  b.blame_controller(controller);
  return b.finish(kForGood,
                  "controller failed; its servers lose all LUNs, the other controller's serve them");
}

ScaleIncident server_down(IncidentBuilder& b) {
  const std::size_t server = b.any_server();
  const Seconds stop = b.half_the_time_for_good(6, 18);
  b.down(server, stop);
  b.blame_server(server);
  return b.finish(stop, "file server down: nothing recorded, load on the next priority");
}

/// One controller's servers no longer reach the LUNs that the other owns (T 2011-08-08).
ScaleIncident misconfiguration(IncidentBuilder& b) {
  const std::size_t controller = b.any_controller();
  const Seconds stop = b.start() + b.hours(6, 22);
  b.lose(b.site().luns_of_owner(1 - controller), b.site().servers_of(controller), stop, Lost::kUnused);
  b.blame_controller(controller);
  return b.finish(stop, "cache coherency disabled: zeros on its servers' attachments to the other's LUNs");
}

ScaleIncident coherency_lost(IncidentBuilder& b) {
  for (std::size_t controller = 0; controller < 2; ++controller) {
    b.lose(b.site().luns_of_owner(1 - controller), b.site().servers_of(controller), kForGood, Lost::kAbsent);
  }
  b.blame_array();
  return b.finish(kForGood,
                  "no cache coherency after a reboot: LUNs only through the controller that owns them");
}

ScaleIncident service_down(IncidentBuilder& b) {
  const std::size_t server = b.any_server();
  const Seconds stop = b.half_the_time_for_good(6, 18);
  b.lose(b.site().all_luns(), ServerMask().set(server), stop, Lost::kUnused);
  b.blame_server(server);
  return b.finish(stop, "file system service down on a running server: zeros, load on the next priority");
}

/// All but one of a controller's servers, as fs42, 45 and 46 on 2012-06-13.
ScaleIncident luns_inaccessible(IncidentBuilder& b) {
  const std::size_t controller = b.any_controller();
  ServerMask servers = b.site().servers_of(controller);
  const std::size_t spared = b.random().below(servers.count());
  for (std::size_t s = 0, seen = 0; s < b.site().servers_per_array; ++s) {
    if (b.site().controller_of_server(s) == controller && seen++ == spared) servers.reset(s);
  }
  b.lose(b.site().all_luns(), servers, kForGood, Lost::kAbsent);
  b.blame_controller(controller);
  // With two servers on each controller, as on Surveyor, one server remains without its LUNs, whichever
  // server took them.
  if (servers.count() == 1) {
    for (std::size_t s = 0; s < b.site().servers_per_array; ++s) {
      if (servers.test(s)) b.accept_server(s);
    }
  }
  return b.finish(kForGood, "LUNs inaccessible from all but one server of a controller");
}

/// T's May 18th: disk trouble for hours, then every LUN is reset and waits up to 103 s, then some servers
/// refuse the LUNs until they are rebooted, days later.
ScaleIncident cascaded_failure(IncidentBuilder& b) {
  constexpr Seconds kStall = 103;
  const SiteSpec& site = b.site();
  const Seconds reset = b.start() + b.hours(1, 3);
  LunMask troubled;
  for (std::size_t lun = 0; lun < site.luns_per_array(); ++lun) {
    if (b.random().chance(0.3)) troubled.set(lun);
  }
  b.affect(troubled, b.start(), reset).sick = {
      .disk = b.any_disk(), .ailment = {.retried = 0.1, .retry = std::chrono::milliseconds(400)}};
  b.affect(site.all_luns(), reset, reset + kStall).stalled = true;
  Effect& refused = b.affect(site.all_luns(), reset + kStall, kForGood);
  refused.lost = Lost::kUnused;
  while (refused.servers.count() < site.servers_per_array / 2) refused.servers.set(b.any_server());
  b.blame_array();
  for (std::size_t s = 0; s < site.servers_per_array; ++s) {
    if (refused.servers.test(s)) b.accept_server(s);
  }
  return b.finish(kForGood, "all LUNs reset with waits of 103 s; half of the servers then refuse them");
}

namespace {

LunMask one_lun(std::size_t lun) { return LunMask().set(lun); }

/// One phase after the loss of a disk.
struct RepairPhase {
  Seconds length = 0;
  Repair state = Repair::kNone;
};

/// From the loss of the disk to the end of the last copy.
Seconds repair_time(IncidentBuilder& b) {
  const Seconds back = b.site().disk_back_after;
  return back > 0 ? 2 * back : b.hours(4, 9);
}

ScaleIncident repair(IncidentBuilder& b, const std::vector<RepairPhase>& phases, const char* description) {
  const std::size_t lun = b.any_lun();
  Seconds at = b.start();
  for (const RepairPhase& phase : phases) {
    b.affect(one_lun(lun), at, at + phase.length).repair = phase.state;
    at += phase.length;
  }
  b.blame_lun(lun);
  return b.finish(at, description);
}

}  // namespace

ScaleIncident drawer_errors(IncidentBuilder& b) {
  const std::size_t drawer = b.random().below(b.site().drawers.size());
  const DrawerSpec& spec = b.site().drawers[drawer];
  const Seconds stop = b.start() + b.hours(4, 24);
  const double fraction = b.random().uniform(0.6, 1.0);
  LunMask luns;
  for (std::size_t lun = spec.first_lun; lun <= spec.last_lun; ++lun) {
    if (b.random().chance(fraction)) luns.set(lun);
  }
  luns.set(spec.first_lun);
  SickDisk& sick = b.affect(luns, b.start(), stop).sick.emplace();
  sick.disk = spec.disk;
  sick.ailment.retried = b.random().uniform(0.05, 0.25);
  sick.ailment.retry = from_seconds(b.random().uniform(0.2, 0.6));
  b.blame_drawer(drawer);
  return b.finish(stop, fmt::format("frequent errors of a drawer: jittery waits on {} LUNs", luns.count()));
}

ScaleIncident slow_lun(IncidentBuilder& b) {
  const std::size_t lun = b.any_lun();
  b.affect(one_lun(lun), b.start(), kForGood).sick = {.disk = b.any_disk(),
                                                      .ailment = {.slower = b.random().uniform(2.5, 6)}};
  b.blame_lun(lun);
  return b.finish(kForGood, "sustained above-average await");
}

ScaleIncident busy_lun(IncidentBuilder& b) {
  const std::size_t lun = b.any_lun();
  const Seconds stop = b.start() + b.hours(8, 24);
  Effect& busy = b.affect(one_lun(lun), b.start(), stop);
  busy.load.reads_per_s = b.random().uniform(20, 50);
  busy.load.writes_per_s = b.random().chance(0.5) ? b.random().uniform(2, 15) : 0;
  b.blame_lun(lun);
  return b.finish(stop, "sustained above-average await while a workload uses this LUN alone");
}

/// T's June 25th: 21.34.124 is the secondary attachment of its LUN.
ScaleIncident silent_lun(IncidentBuilder& b) {
  constexpr std::size_t kSecondary = 1;
  const std::size_t lun = b.any_lun();
  Effect& trickle = b.affect(one_lun(lun), b.start(), kForGood);
  trickle.servers.set(b.site().server_at(lun, kSecondary));
  trickle.at_servers = {
      .rate = {.reads_per_s = 0.4}, .cached = false, .retry = from_seconds(b.random().uniform(0.08, 0.3))};
  b.blame_lun(lun);
  b.accept_attachment(lun, kSecondary);
  return b.finish(kForGood, "sustained await in absence of a workload, on the secondary attachment");
}

ScaleIncident reconstruction(IncidentBuilder& b) {
  const Seconds whole = repair_time(b);
  return repair(b, {{whole / 2, Repair::kDegraded}, {whole - whole / 2, Repair::kRebuilding}},
                "disk failed, no spare: degraded, then rebuilt onto its replacement");
}

ScaleIncident reconstruction_spare(IncidentBuilder& b) {
  const Seconds whole = repair_time(b);
  const Seconds rebuilt = b.site().disk_back_after > 0 ? whole / 2 : whole * 3 / 5;
  return repair(b, {{rebuilt, Repair::kRebuilding}, {whole - rebuilt, Repair::kCopyingBack}},
                "disk failed: rebuilt onto a hot spare, then copied back");
}

ScaleIncident oscillation(IncidentBuilder& b) {
  const std::size_t lun = b.any_lun();
  const Seconds stop = b.start() + b.hours(10, 22);
  const double duty = b.random().uniform(0.6, 0.8);
  const Seconds period = std::max<Seconds>(60, std::min<Seconds>(b.hours(1, 4), (stop - b.start()) / 4));
  const Seconds on = std::llround(duty * static_cast<double>(period));
  const SickDisk sick{.disk = b.any_disk(), .ailment = {.slower = b.random().uniform(3, 6)}};
  for (Seconds from = b.start(); from < stop; from += period) {
    b.affect(one_lun(lun), from, std::min(from + on, stop)).sick = sick;
  }
  b.blame_lun(lun);
  return b.finish(stop, fmt::format("slow for {:.0f} % of every {} minutes", 100 * duty, period / 60));
}

}  // namespace laggard::lab::scale
