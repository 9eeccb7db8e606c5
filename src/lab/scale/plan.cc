#include "lab/scale/plan.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"

namespace laggard::lab::scale {

namespace {

/// 0 .. n-1 in random order (Fisher and Yates).
std::vector<std::size_t> shuffled(std::size_t n, Random random) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

Seconds between(Random& random, double low, double high) { return std::llround(random.uniform(low, high)); }

std::vector<ScaleIncident> plan_incidents(const ScaleSpec& spec, const Random& root) {
  std::vector<IncidentKind> kinds = spec.incidents;
  for (std::size_t i = 0; i < spec.random_incidents; ++i) {
    // Every kind occurs once before any occurs twice.
    const auto order = shuffled(kIncidentKinds, root.fork("kinds", i / kIncidentKinds));
    kinds.push_back(static_cast<IncidentKind>(order[i % kIncidentKinds]));
  }
  std::vector<ScaleIncident> incidents;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const auto arrays = shuffled(spec.site.arrays, root.fork("arrays", i / spec.site.arrays));
    Random random = root.fork("incident", i);
    IncidentPlace place;
    place.array = arrays[i % spec.site.arrays];
    const auto whole = static_cast<double>(spec.duration);
    // In T §6.3 a disk fails after ten minutes.
    place.start = spec.workload == Workload::kJobs ? between(random, 0.1 * whole, 0.45 * whole) : 600;
    place.end_of_run = spec.duration;
    incidents.push_back(make_incident(spec.site, kinds[i], place, random.fork("model")));
  }
  std::ranges::stable_sort(incidents, {}, &ScaleIncident::start);
  return incidents;
}

/// A file that lies on few LUNs, or a LUN that is slow by itself.
Transient make_transient(const ScaleSpec& spec, Random& random) {
  Transient transient;
  Effect& effect = transient.effect;
  effect.array = random.below(spec.site.arrays);
  effect.from = between(random, 0, static_cast<double>(spec.duration));
  const double minutes = std::clamp(12 * std::exp(0.8 * random.normal()), 3.0, 60.0);
  effect.to = effect.from + std::llround(60 * minutes);
  const std::size_t luns = random.chance(0.1) ? 2 + random.below(3) : 1;
  for (std::size_t i = 0; i < luns; ++i) effect.luns.set(random.below(spec.site.luns_per_array()));
  if (random.chance(0.6)) {
    transient.what = "busy";
    const double rate = random.uniform(3, 30);
    (random.chance(0.5) ? effect.load.reads_per_s : effect.load.writes_per_s) = rate;
  } else {
    transient.what = "slow";
    effect.sick = {.disk = random.below(spec.site.storage.group.disks),
                   .ailment = {.slower = random.uniform(1.5, 5)}};
  }
  return transient;
}

std::vector<Transient> plan_transients(const ScaleSpec& spec, Random random) {
  const auto luns = static_cast<double>(spec.site.arrays * spec.site.luns_per_array());
  const auto count = static_cast<std::size_t>(std::llround(spec.transients * luns * spec.days()));
  std::vector<Transient> transients;
  transients.reserve(count);
  for (std::size_t i = 0; i < count; ++i) transients.push_back(make_transient(spec, random));
  std::ranges::stable_sort(transients, {}, [](const Transient& t) { return t.effect.from; });
  return transients;
}

/// Of low intensity, for hours to days, from an apparently random server: below 10 kB/s and 1 ms per LUN
/// (T §5.8.2).
std::vector<ServerWork> wide_server_work(const ScaleSpec& spec, Random random) {
  const auto count = static_cast<std::size_t>(std::max<long>(1, std::lround(1.5 * spec.days())));
  std::vector<ServerWork> all;
  for (std::size_t i = 0; i < count; ++i) {
    ServerWork work;
    work.array = random.below(spec.site.arrays);
    work.server = random.below(spec.site.servers_per_array);
    work.from = between(random, -12.0 * kHour, 0.8 * static_cast<double>(spec.duration));
    work.to = work.from + between(random, 6.0 * kHour, 48.0 * kHour);
    work.requests.rate.reads_per_s = random.uniform(0.01, 0.03);
    work.requests.rate.writes_per_s = random.uniform(0.01, 0.03);
    work.requests.sectors = random.uniform(16, 64);
    all.push_back(work);
  }
  return all;
}

/// When the server that works goes down, another one of the array takes its work over, and keeps it (T
/// §6.2.3).
void migrate(const SiteSpec& site, const std::vector<ScaleIncident>& incidents,
             std::vector<ServerWork>& all) {
  std::vector<Outage> outages;
  for (const ScaleIncident& incident : incidents) {
    outages.insert(outages.end(), incident.outages.begin(), incident.outages.end());
  }
  std::ranges::sort(outages, {}, &Outage::from);
  for (const Outage& outage : outages) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      ServerWork& work = all[i];
      const bool hit = work.array == outage.array && work.server == outage.server &&
                       work.from < outage.from && outage.from < work.to;
      if (!hit) continue;
      ServerWork moved = work;
      work.to = moved.from = outage.from;
      moved.server = (work.server + 1) % site.servers_per_array;
      all.push_back(moved);
    }
  }
}

/// From one server for each file system, all the time, and not small (T §6.2.3).
std::vector<ServerWork> tiny_site_server_work(const ScaleSpec& spec, Random random,
                                              const std::vector<ScaleIncident>& incidents) {
  std::vector<ServerWork> all;
  for (const LunSet& set : spec.site.sets) {
    ServerWork work;
    work.server = random.below(spec.site.servers_per_array);
    work.to = spec.duration;
    work.pool = set.pool;
    work.requests.rate.reads_per_s = random.uniform(1, 4);
    work.requests.rate.writes_per_s = random.uniform(1, 4);
    work.requests.cached = false;
    all.push_back(work);
  }
  migrate(spec.site, incidents, all);
  return all;
}

/// On about one server of twenty a day, a clock that was some seconds off is corrected.
std::vector<ClockStep> plan_clock_steps(const ScaleSpec& spec, Random random) {
  const auto servers = static_cast<double>(spec.site.servers());
  const auto count = static_cast<std::size_t>(std::lround(servers / 20 * spec.days()));
  const auto order = shuffled(spec.site.servers(), random.fork("servers"));
  std::vector<ClockStep> steps;
  for (std::size_t i = 0; i < std::min(count, order.size()); ++i) {
    ClockStep step;
    step.array = order[i] / spec.site.servers_per_array;
    step.server = order[i] % spec.site.servers_per_array;
    step.at = between(random, 0, static_cast<double>(spec.duration));
    step.by = between(random, 2, 40) * (random.chance(0.5) ? 1 : -1);
    steps.push_back(step);
  }
  return steps;
}

}  // namespace

Plan make_plan(const ScaleSpec& spec) {
  LAGGARD_CHECK(spec.duration > 0 && spec.interval > 0);
  LAGGARD_CHECK(spec.site.luns_per_array() <= kMostLuns && spec.site.servers_per_array <= kMostServers);
  const Random root = Random(spec.seed).fork("plan");
  Plan plan;
  plan.incidents = plan_incidents(spec, root.fork("incidents"));
  plan.transients = plan_transients(spec, root.fork("transients"));
  if (spec.server_work) {
    const Random random = root.fork("server-work");
    plan.server_work = spec.site.arrays > 1 ? wide_server_work(spec, random)
                                            : tiny_site_server_work(spec, random, plan.incidents);
  }
  if (spec.clock_steps) plan.clock_steps = plan_clock_steps(spec, root.fork("clocks"));
  return plan;
}

}  // namespace laggard::lab::scale
