#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "lab/scale/incident.h"

/// One small model for each kind of incident: what it is, for how long, and what it does to which
/// attachments. The thesis gives the shapes (which attachments, which way); magnitudes that it does not give
/// are ours and stand here.
namespace laggard::lab::scale {

namespace {

constexpr Seconds kForGood = 366 * kDay;  ///< Until after the recording: repairs took days (T Table 5.3).

/// Draws and bookkeeping that all models share.
class Builder {
 public:
  Builder(const SiteSpec& site, const IncidentPlace& place, Random random)
      : site_(site), place_(place), random_(random) {
    incident_.array = place.array;
    incident_.start = place.start;
  }

  [[nodiscard]] const SiteSpec& site() const { return site_; }
  [[nodiscard]] Random& random() { return random_; }
  [[nodiscard]] std::size_t array() const { return place_.array; }
  [[nodiscard]] Seconds start() const { return place_.start; }
  [[nodiscard]] ScaleIncident& incident() { return incident_; }

  /// Between `low` and `high` hours; in a recording too short for that at most to three quarters of the rest.
  [[nodiscard]] Seconds hours(double low, double high) {
    const double drawn = random_.uniform(low, high) * static_cast<double>(kHour);
    const double fits = 0.75 * static_cast<double>(place_.end_of_run - place_.start);
    return std::max<Seconds>(1, std::llround(std::min(drawn, fits)));
  }

  [[nodiscard]] Effect effect(Seconds from, Seconds to) const {
    Effect effect;
    effect.from = from;
    effect.to = to;
    effect.array = place_.array;
    return effect;
  }

  void blame(std::string tier, std::string name) { incident_.blame = {std::move(tier), std::move(name)}; }
  void accept(std::string tier, std::string name) {
    incident_.accepted.push_back({std::move(tier), std::move(name)});
  }
  void add(const Effect& effect) { incident_.effects.push_back(effect); }

  [[nodiscard]] ScaleIncident finish(Seconds stop) {
    incident_.ongoing = stop >= place_.end_of_run;
    incident_.stop = std::min(stop, place_.end_of_run);
    return std::move(incident_);
  }

  [[nodiscard]] LunMask all_luns() const {
    LunMask luns;
    for (std::size_t lun = 0; lun < site_.luns_per_array(); ++lun) luns.set(lun);
    return luns;
  }
  [[nodiscard]] LunMask luns_of_owner(std::size_t controller) const {
    LunMask luns;
    for (std::size_t lun = 0; lun < site_.luns_per_array(); ++lun) {
      if (SiteSpec::owner_of(lun) == controller) luns.set(lun);
    }
    return luns;
  }
  [[nodiscard]] ServerMask servers_of(std::size_t controller) const {
    ServerMask servers;
    for (std::size_t s = 0; s < site_.servers_per_array; ++s) {
      if (site_.controller_of_server(s) == controller) servers.set(s);
    }
    return servers;
  }
  [[nodiscard]] std::size_t any_lun() { return random_.below(site_.luns_per_array()); }
  [[nodiscard]] std::size_t any_server() { return random_.below(site_.servers_per_array); }

  void blame_lun(std::size_t lun) {
    blame("lun", site_.lun_name(array(), lun));
    accept("attachment", site_.attachment_name(array(), lun, site_.server_at(lun, 0)));
  }

 private:
  const SiteSpec& site_;
  IncidentPlace place_;
  Random random_;
  ScaleIncident incident_;
};

LunMask one_lun(std::size_t lun) {
  LunMask luns;
  luns.set(lun);
  return luns;
}

ScaleIncident controller_failed(Builder& b) {
  const std::size_t controller = b.random().below(2);
  Effect gone = b.effect(b.start(), kForGood);
  gone.luns = b.all_luns();
  gone.servers = b.servers_of(controller);
  gone.lost = Lost::kAbsent;
  b.add(gone);
  b.blame("controller", b.site().controller_name(b.array(), controller));
  b.incident().description =
      "controller failed; its servers lose all LUNs, the other controller's serve them";
  return b.finish(kForGood);
}

ScaleIncident server_down(Builder& b) {
  const std::size_t server = b.any_server();
  const Seconds stop = b.random().chance(0.5) ? kForGood : b.start() + b.hours(6, 18);
  b.incident().outages.push_back({b.array(), server, b.start(), stop});
  b.blame("server", b.site().server_name(b.array(), server));
  b.incident().description = "file server down: nothing recorded, load on the next priority";
  return b.finish(stop);
}

/// One controller's servers no longer reach the LUNs that the other owns (T 2011-08-08).
ScaleIncident misconfiguration(Builder& b) {
  const std::size_t controller = b.random().below(2);
  const Seconds stop = b.start() + b.hours(6, 22);
  Effect unused = b.effect(b.start(), stop);
  unused.luns = b.luns_of_owner(1 - controller);
  unused.servers = b.servers_of(controller);
  unused.lost = Lost::kUnused;
  b.add(unused);
  b.blame("controller", b.site().controller_name(b.array(), controller));
  b.incident().description =
      "cache coherency disabled: zeros on its servers' attachments to the other's LUNs";
  return b.finish(stop);
}

ScaleIncident coherency_lost(Builder& b) {
  for (std::size_t controller = 0; controller < 2; ++controller) {
    Effect gone = b.effect(b.start(), kForGood);
    gone.luns = b.luns_of_owner(1 - controller);
    gone.servers = b.servers_of(controller);
    gone.lost = Lost::kAbsent;
    b.add(gone);
  }
  b.blame("array", b.site().array_name(b.array()));
  b.incident().description =
      "no cache coherency after a reboot: LUNs only through the controller that owns them";
  return b.finish(kForGood);
}

ScaleIncident service_down(Builder& b) {
  const std::size_t server = b.any_server();
  const Seconds stop = b.random().chance(0.5) ? kForGood : b.start() + b.hours(6, 18);
  Effect unused = b.effect(b.start(), stop);
  unused.luns = b.all_luns();
  unused.servers.set(server);
  unused.lost = Lost::kUnused;
  b.add(unused);
  b.blame("server", b.site().server_name(b.array(), server));
  b.incident().description = "file system service down on a running server: zeros, load on the next priority";
  return b.finish(stop);
}

/// All but one of a controller's servers, as fs42, 45 and 46 on 2012-06-13.
ScaleIncident luns_inaccessible(Builder& b) {
  const std::size_t controller = b.random().below(2);
  Effect gone = b.effect(b.start(), kForGood);
  gone.servers = b.servers_of(controller);
  const std::size_t spared = b.random().below(gone.servers.count());
  for (std::size_t s = 0, seen = 0; s < b.site().servers_per_array; ++s) {
    if (b.site().controller_of_server(s) == controller && seen++ == spared) gone.servers.reset(s);
  }
  gone.luns = b.all_luns();
  gone.lost = Lost::kAbsent;
  b.add(gone);
  b.blame("controller", b.site().controller_name(b.array(), controller));
  b.incident().description = "LUNs inaccessible from all but one server of a controller";
  return b.finish(kForGood);
}

/// T's May 18th: disk trouble for hours, then every LUN is reset and waits up to 103 s, then some servers
/// refuse the LUNs until they are rebooted, days later.
ScaleIncident cascaded_failure(Builder& b) {
  const SiteSpec& site = b.site();
  const Seconds trouble = b.hours(1, 3);
  const Seconds reset = b.start() + trouble;
  Effect jitter = b.effect(b.start(), reset);
  for (std::size_t lun = 0; lun < site.luns_per_array(); ++lun) {
    if (b.random().chance(0.3)) jitter.luns.set(lun);
  }
  jitter.slow.hit_fraction = 0.1;
  jitter.slow.hit_ms = 400;
  b.add(jitter);
  Effect stall = b.effect(reset, reset + 103);
  stall.luns = b.all_luns();
  stall.stalled = true;
  b.add(stall);
  Effect refused = b.effect(reset + 103, kForGood);
  refused.luns = b.all_luns();
  refused.lost = Lost::kUnused;
  while (refused.servers.count() < site.servers_per_array / 2) refused.servers.set(b.any_server());
  b.add(refused);
  b.blame("array", site.array_name(b.array()));
  for (std::size_t s = 0; s < site.servers_per_array; ++s) {
    if (refused.servers.test(s)) b.accept("server", site.server_name(b.array(), s));
  }
  b.incident().description = "all LUNs reset with waits of 103 s; half of the servers then refuse them";
  return b.finish(kForGood);
}

ScaleIncident drawer_errors(Builder& b) {
  const SiteSpec& site = b.site();
  const std::size_t drawer = b.random().below(site.drawers.size());
  const DrawerSpec& spec = site.drawers[drawer];
  const Seconds stop = b.start() + b.hours(4, 24);
  const double fraction = b.random().uniform(0.6, 1.0);
  Effect jitter = b.effect(b.start(), stop);
  for (std::size_t lun = spec.first_lun; lun <= spec.last_lun; ++lun) {
    if (b.random().chance(fraction)) jitter.luns.set(lun);
  }
  jitter.luns.set(spec.first_lun);
  jitter.slow.hit_fraction = b.random().uniform(0.05, 0.25);
  jitter.slow.hit_ms = b.random().uniform(200, 600);
  b.add(jitter);
  b.blame("drawer", site.drawer_name(b.array(), drawer));
  b.accept("array", site.array_name(b.array()));
  b.incident().description =
      fmt::format("frequent errors of a drawer: jittery waits on {} LUNs", jitter.luns.count());
  return b.finish(stop);
}

ScaleIncident slow_lun(Builder& b) {
  const std::size_t lun = b.any_lun();
  Effect slow = b.effect(b.start(), kForGood);
  slow.luns = one_lun(lun);
  slow.slow.read_factor = b.random().uniform(1.8, 3.5);
  slow.slow.write_factor = slow.slow.read_factor;
  slow.slow.added_ms = b.random().uniform(5, 25);
  b.add(slow);
  b.blame_lun(lun);
  b.incident().description = "sustained above-average await";
  return b.finish(kForGood);
}

ScaleIncident busy_lun(Builder& b) {
  const std::size_t lun = b.any_lun();
  const Seconds stop = b.start() + b.hours(8, 24);
  Effect busy = b.effect(b.start(), stop);
  busy.luns = one_lun(lun);
  busy.load.reads_per_s = b.random().uniform(10, 40);
  busy.load.writes_per_s = b.random().chance(0.5) ? b.random().uniform(2, 15) : 0;
  busy.slow.added_ms = b.random().uniform(10, 30);
  b.add(busy);
  b.blame_lun(lun);
  b.incident().description = "sustained above-average await while a workload uses this LUN alone";
  return b.finish(stop);
}

/// T's June 25th: 21.34.124 is the secondary attachment of its LUN.
ScaleIncident silent_lun(Builder& b) {
  const std::size_t lun = b.any_lun();
  const std::size_t secondary = b.site().server_at(lun, 1);
  Effect trickle = b.effect(b.start(), kForGood);
  trickle.luns = one_lun(lun);
  trickle.servers.set(secondary);
  trickle.load_at_servers = true;
  trickle.load = {
      .reads_per_s = 0.4, .writes_per_s = 0, .sectors = 8, .wait_ms = b.random().uniform(80, 300)};
  b.add(trickle);
  Effect slow = b.effect(b.start(), kForGood);
  slow.luns = one_lun(lun);
  slow.slow.added_ms = b.random().uniform(10, 40);
  b.add(slow);
  b.blame_lun(lun);
  b.accept("attachment", b.site().attachment_name(b.array(), lun, secondary));
  b.incident().description = "sustained await in absence of a workload, on the secondary attachment";
  return b.finish(kForGood);
}

/// The three others of a LUN's group of four: those that shared a controller with it in T §6.3.
LunMask adjacent_to(const SiteSpec& site, std::size_t lun) {
  LunMask luns;
  const std::size_t first = lun / 4 * 4;
  for (std::size_t l = first; l < std::min(first + 4, site.luns_per_array()); ++l) {
    if (l != lun) luns.set(l);
  }
  return luns;
}

/// One phase of a repair, on the LUN itself and on its neighbours. Reads at rest wait some 9 ms here; T's
/// figures are 30-40 ms and 25 ms during reconstruction.
struct RepairPhase {
  Seconds length = 0;
  Slowness self;
  Slowness adjacent;
};

ScaleIncident repair(Builder& b, std::size_t lun, const std::vector<RepairPhase>& phases) {
  Seconds at = b.start();
  for (const RepairPhase& phase : phases) {
    Effect self = b.effect(at, at + phase.length);
    self.luns = one_lun(lun);
    self.slow = phase.self;
    b.add(self);
    Effect adjacent = b.effect(at, at + phase.length);
    adjacent.luns = adjacent_to(b.site(), lun);
    adjacent.slow = phase.adjacent;
    if (adjacent.slow.read_factor > 1 || adjacent.slow.write_factor > 1) b.add(adjacent);
    at += phase.length;
  }
  b.blame_lun(lun);
  return b.finish(at);
}

constexpr Slowness kDegraded{.read_factor = 1.25};
constexpr Slowness kRebuilding{.read_factor = 3.9, .write_factor = 1.8};
constexpr Slowness kNextToRebuilding{.read_factor = 2.7, .write_factor = 1.8};
constexpr Slowness kCopyingBack{.read_factor = 3.2, .write_factor = 1.15};
constexpr Slowness kNextToCopyingBack{.read_factor = 1.25, .write_factor = 1.15};

ScaleIncident reconstruction(Builder& b) {
  const Seconds whole = b.hours(4, 9);
  const std::size_t lun = b.any_lun();
  b.incident().description = "disk failed, no spare: degraded, then rebuilt onto its replacement";
  return repair(b, lun, {{whole / 2, kDegraded, {}}, {whole - whole / 2, kRebuilding, kNextToRebuilding}});
}

ScaleIncident reconstruction_spare(Builder& b) {
  const Seconds whole = b.hours(4, 9);
  const std::size_t lun = b.any_lun();
  b.incident().description = "disk failed: rebuilt onto a hot spare, then copied back";
  return repair(b, lun,
                {{whole * 3 / 5, kRebuilding, kNextToRebuilding},
                 {whole - whole * 3 / 5, kCopyingBack, kNextToCopyingBack}});
}

ScaleIncident oscillation(Builder& b) {
  const std::size_t lun = b.any_lun();
  const Seconds stop = b.start() + b.hours(10, 22);
  const double duty = b.random().uniform(0.6, 0.8);
  const Seconds period = std::max<Seconds>(60, std::min<Seconds>(b.hours(1, 4), (stop - b.start()) / 4));
  const Seconds on = std::llround(duty * static_cast<double>(period));
  const double added = b.random().uniform(20, 60);
  for (Seconds from = b.start(); from < stop; from += period) {
    Effect slow = b.effect(from, std::min(from + on, stop));
    slow.luns = one_lun(lun);
    slow.slow.read_factor = 2;
    slow.slow.write_factor = 2;
    slow.slow.added_ms = added;
    b.add(slow);
  }
  b.blame_lun(lun);
  b.incident().description = fmt::format("slow for {:.0f} % of every {} minutes", 100 * duty, period / 60);
  return b.finish(stop);
}

}  // namespace

ScaleIncident make_incident(const SiteSpec& site, IncidentKind kind, const IncidentPlace& place,
                            Random random) {
  using Model = ScaleIncident (*)(Builder&);
  // In the order of the kinds.
  static constexpr Model kModels[kIncidentKinds] = {
      controller_failed, server_down,      misconfiguration,     coherency_lost, service_down,
      luns_inaccessible, cascaded_failure, drawer_errors,        slow_lun,       busy_lun,
      silent_lun,        reconstruction,   reconstruction_spare, oscillation};
  LAGGARD_CHECK(place.array < site.arrays && place.start < place.end_of_run);
  Builder builder(site, place, random);
  ScaleIncident incident = kModels[static_cast<std::size_t>(kind)](builder);
  incident.kind = kind;
  return incident;
}

}  // namespace laggard::lab::scale
