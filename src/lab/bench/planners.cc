#include "lab/bench/planners.h"

#include <algorithm>
#include <array>

namespace laggard::lab::bench {

namespace {

struct Planner {
  std::string_view fault;
  FaultPlan (*plan)(const Victim& victim);
};

constexpr std::array kPlanners{
    Planner{"disk-hog", disk_hog},
    Planner{"disk-busy", disk_busy},
    Planner{"write-network-hog", write_network_hog},
    Planner{"read-network-hog", read_network_hog},
    Planner{"receive-pktloss", receive_loss},
    Planner{"send-pktloss", send_loss},
    Planner{"link-rate", link_rate},
    Planner{"link-rate-in", link_rate_in},
    Planner{"link-rate-out", link_rate_out},
    Planner{"link-latency", sick_cable},
    Planner{"link-jitter", sick_cable},
    Planner{"link-corrupt", sick_cable},
    Planner{"link-duplicate", sick_cable},
    Planner{"link-flap", link_flap},
    Planner{"link-mtu", link_mtu},
    Planner{"switch-rate", switch_rate},
    Planner{"switch-loss", switch_loss},
    Planner{"cpu-quota", cpu_quota},
    Planner{"cpu-neighbour", cpu_neighbour},
    Planner{"daemon-stop", daemon_stop},
    Planner{"memory-limit", memory_limit},
    Planner{"verbose-log", verbose_log},
    Planner{"disk-slow", sick_disk},
    Planner{"disk-stall", sick_disk},
    Planner{"disk-rare-stall", sick_disk},
    Planner{"disk-retry", sick_disk},
    Planner{"disk-region", sick_disk},
    Planner{"disk-full", disk_full},
    Planner{"read-ahead", read_ahead},
    Planner{"slow-client", slow_client},
    Planner{"metadata-neighbour", metadata_neighbour},
};

void append(std::vector<OnHost>& to, std::vector<OnHost> more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

Command shell(std::string script) { return {{"sh", "-c", std::move(script)}, {}}; }

FaultPlan plan_fault(const FaultSite& site, const FaultPlace& place) {
  FaultPlan whole;
  if (place.fault.kind == FaultKind::kNone) return whole;
  const auto* const planner = std::find_if(kPlanners.begin(), kPlanners.end(), [&](const Planner& p) {
    return p.fault == to_name(place.fault.kind);
  });
  LAGGARD_CHECK(planner != kPlanners.end());
  for (const std::size_t number : place.numbers) {
    FaultPlan plan = planner->plan({site, place.fault, number});
    append(whole.provide, std::move(plan.provide));
    append(whole.prepare, std::move(plan.prepare));
    append(whole.programs, std::move(plan.programs));
    append(whole.begin, std::move(plan.begin));
    append(whole.end, std::move(plan.end));
  }
  return whole;
}

}  // namespace laggard::lab::bench
