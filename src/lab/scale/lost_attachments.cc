#include "lab/scale/incident_models.h"

/// Incidents that take attachments away: LUNs are served through the next priority.
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
  // Two servers on each controller, as on Surveyor: what is left is one server without its LUNs, whoever took
  // them.
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
  b.affect(troubled, b.start(), reset).slow = {.hit_fraction = 0.1, .hit_ms = 400};
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

}  // namespace laggard::lab::scale
