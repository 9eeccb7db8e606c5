#include "detect/peer/judge/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace laggard::detect {

Parameters parameters_of(const Preset& preset) {
  Parameters parameters;
  parameters.incidents.gate_severity = preset.gate_severity;
  parameters.idle_requests = preset.idle_requests;
  parameters.surge_persistence = preset.surge_persistence;
  return parameters;
}

Parameters parameters_beside(Parameters own, const Preset& beside, const Preset& preset) {
  if (beside.windows.size >= preset.windows.size) return own;
  constexpr double kNever = 1e9;
  own.hardware.slowdown = kNever;
  own.hardware.least_change = kNever;
  own.hardware.when_trained = true;
  return own;
}

Parameters paper_parameters(const Preset& preset) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  Parameters parameters = parameters_of(preset);
  // The noise floor is the metric's own, whatever the group's level.
  for (MetricPolicy* policy : {&parameters.throughput, &parameters.traffic, &parameters.latency}) {
    policy->floor_share = 0;
  }
  parameters.least_slowdown = 0;  // Busy times excuse nobody.
  parameters.hardware.slowdown = 0;
  parameters.standby_ms = kNever;
  parameters.longest_filled_hole = 0;
  parameters.surge_persistence = 1;
  parameters.ratio.seconds = 0;
  parameters.burst.least_bursts = 0;
  parameters.incidents.gate_severity = kNever;     // Only the filter over windows makes a component faulty.
  parameters.incidents.confirm_severity = kNever;  // And only persistence confirms it (T §5.5).
  parameters.incidents.secondary_share = 0;        // No incident explains another by its strength.
  parameters.policies = {.our_metrics = false,
                         .floor_use = FloorUse::kWithoutSpread,
                         .congestion = CongestionTest::kEachSecond,
                         .deviations = true,
                         .regimes = false,
                         .idleness = false,
                         .directions = false,
                         .several = false,
                         .absence = false,
                         .bias = false,
                         .pooled_thresholds = false,
                         .bounded_kl = false,
                         .joint_confirmation = false,
                         .failovers = false,
                         .companions = false,
                         // T's production has no checklist, but an order by persistence (T §3.4).
                         .halting = preset.confirm_persistence <= 1,
                         .side_by_side = false,
                         .whole_groups = false};
  return parameters;
}

bool all_flash(const Grouping& grouping, const PeerGroup& group) {
  return std::ranges::all_of(group.members, [&](ComponentId id) { return grouping[id].rotational == false; });
}

double noise_floor(const Parameters& parameters, const MetricSpec& metric, bool flash) {
  const auto set = parameters.noise_floors.find(metric.name);
  if (set != parameters.noise_floors.end()) return set->second;
  return flash ? metric.noise_floor_flash : metric.noise_floor;
}

std::string_view to_name(Regime regime) {
  switch (regime) {
    case Regime::kAny:
      return "any";
    case Regime::kReads:
      return "reads";
    case Regime::kWrites:
      return "writes";
  }
  return "";
}

bool is_tested_each_second(const Policies& policies, const MetricSpec& metric) {
  return metric.role == Role::kCongestion && policies.congestion == CongestionTest::kEachSecond;
}

bool is_compared_by_factors(const Policies& policies, const MetricSpec& metric) {
  return metric.log_unit > 0 && !is_tested_each_second(policies, metric);
}

const MetricPolicy& policy_of(const Parameters& parameters, const MetricSpec& metric) {
  switch (metric.role) {
    case Role::kThroughput:
      return metric.kind == DeviceKind::kNet ? parameters.traffic : parameters.throughput;
    case Role::kLatency:
      return parameters.latency;
    case Role::kCongestion:
      return parameters.congestion;
    case Role::kRetransmission:
      return parameters.retransmission;
    case Role::kDelay:
      return metric.log_unit > 0 ? parameters.delay : parameters.share;
    case Role::kOccupancy:
      return parameters.occupancy;
    case Role::kCapacity:
      return parameters.capacity;
    case Role::kErrors:
      return parameters.errors;
  }
  return parameters.throughput;
}

double self_threshold(const Parameters& parameters, const MetricSpec& metric, const ThresholdUse& use) {
  // Where nobody can tell reads from writes, the larger one is the safe one.
  const bool reads = use.regime != Regime::kWrites && metric.role == Role::kLatency;
  if (use.detector == to_name(Distance::kKl)) {
    if (reads && use.independent < parameters.kl.least_independent_reads) return 1;
    return reads ? parameters.kl.self_threshold_reads : parameters.kl.self_threshold;
  }
  const MetricPolicy& policy = policy_of(parameters, metric);
  if (reads && use.members >= parameters.many_members) {
    return std::min(parameters.latency_of_many, policy.self_threshold_reads);
  }
  return reads ? policy.self_threshold_reads : policy.self_threshold;
}

double saturated_threshold(const Parameters& parameters, const ThresholdUse& use) {
  return use.detector == to_name(Distance::kKl) ? 1 : parameters.saturated_threshold;
}

double least_threshold(const Parameters& parameters, const MetricSpec& metric, const ThresholdUse& use) {
  return use.detector == to_name(Distance::kKl) ? parameters.kl.least_threshold
                                                : policy_of(parameters, metric).least_threshold;
}

namespace {

constexpr double kLarge = 1e6;
constexpr std::string_view kNoise = "noise.";

template <auto... Path>
constexpr NamedParameter named(std::string_view name, std::string_view what, double least, double most) {
  return named_number<Parameters, Path...>(name, what, least, most);
}

constexpr std::array kNamed{
    named<&Parameters::throughput, &MetricPolicy::floor_share>(
        "throughput.floor-share", "throughput of disks: this share of the group's level is noise", 0, 1),
    named<&Parameters::throughput, &MetricPolicy::self_threshold>(
        "throughput.threshold", "throughput of disks: untrained threshold, bins", 0, kLarge),
    named<&Parameters::throughput, &MetricPolicy::least_threshold>(
        "throughput.least", "throughput of disks: trained thresholds are at least this, bins", 0, kLarge),
    named<&Parameters::traffic, &MetricPolicy::floor_share>(
        "traffic.floor-share", "throughput of networks: this share of the group's level is noise", 0, 1),
    named<&Parameters::traffic, &MetricPolicy::self_threshold>(
        "traffic.threshold", "throughput of networks: untrained threshold, bins", 0, kLarge),
    named<&Parameters::traffic, &MetricPolicy::least_threshold>(
        "traffic.least", "throughput of networks: trained thresholds are at least this, bins", 0, kLarge),
    named<&Parameters::latency, &MetricPolicy::floor_share>(
        "latency.floor-share", "latency: this share of the group's level is noise", 0, 1),
    named<&Parameters::latency, &MetricPolicy::self_threshold>(
        "latency.threshold", "latency: untrained threshold, bins", 0, kLarge),
    named<&Parameters::latency, &MetricPolicy::self_threshold_reads>(
        "latency.threshold-reads", "the same while the group mostly reads", 0, kLarge),
    named<&Parameters::longest_transient_s>(
        "transient-s", "what single windows tell of for more seconds is no burst of hours", 0, kLarge),
    named<&Parameters::latency_of_many>("latency.threshold-many",
                                        "the same in a group of many members, if it is less", 0, kLarge),
    named<&Parameters::many_members>("latency.many", "so many members are many", 0, kLarge),
    named<&Parameters::latency, &MetricPolicy::least_threshold>(
        "latency.least", "latency: trained thresholds are at least this, bins", 0, kLarge),
    named<&Parameters::retransmission, &MetricPolicy::self_threshold>(
        "retransmission.threshold", "retransmissions: untrained threshold, bins", 0, kLarge),
    named<&Parameters::retransmission, &MetricPolicy::least_threshold>(
        "retransmission.least", "retransmissions: trained thresholds are at least this, bins", 0, kLarge),
    named<&Parameters::congestion, &MetricPolicy::self_threshold>(
        "congestion.threshold", "cwnd: untrained threshold, of the median", 0, kLarge),
    named<&Parameters::congestion, &MetricPolicy::least_threshold>(
        "congestion.least", "cwnd: trained thresholds are at least this, of the median", 0, kLarge),
    named<&Parameters::delay, &MetricPolicy::self_threshold>(
        "delay.threshold", "rtt and other waits: untrained threshold, in powers of two above the median", 0,
        kLarge),
    named<&Parameters::delay, &MetricPolicy::least_threshold>(
        "delay.least", "rtt and other waits: trained thresholds are at least this, in powers of two", 0,
        kLarge),
    named<&Parameters::share, &MetricPolicy::self_threshold>(
        "share.threshold", "shares of time spent waiting: untrained threshold, points above the median", 0,
        kLarge),
    named<&Parameters::share, &MetricPolicy::least_threshold>(
        "share.least", "shares of time spent waiting: trained thresholds are at least this, points", 0,
        kLarge),
    named<&Parameters::occupancy, &MetricPolicy::self_threshold>(
        "occupancy.threshold", "shares of time in use: untrained threshold, points above the median", 0,
        kLarge),
    named<&Parameters::occupancy, &MetricPolicy::least_threshold>(
        "occupancy.least", "shares of time in use: trained thresholds are at least this, points", 0, kLarge),
    named<&Parameters::capacity, &MetricPolicy::self_threshold>(
        "capacity.threshold", "link-speed: untrained threshold, in powers of two below the median", 0,
        kLarge),
    named<&Parameters::capacity, &MetricPolicy::least_threshold>(
        "capacity.least", "link-speed: trained thresholds are at least this, in powers of two", 0, kLarge),
    named<&Parameters::errors, &MetricPolicy::self_threshold>(
        "errors.threshold", "carrier, crc-errors: untrained threshold, a second above the median", 0, kLarge),
    named<&Parameters::errors, &MetricPolicy::least_threshold>(
        "errors.least", "carrier, crc-errors: trained thresholds are at least this, a second", 0, kLarge),
    named<&Parameters::kl, &KlPolicy::self_threshold>("kl.threshold",
                                                      "kl: untrained threshold, share of its ceiling", 0, 1),
    named<&Parameters::kl, &KlPolicy::self_threshold_reads>(
        "kl.threshold-reads", "the same for latency while the group mostly reads", 0, 1),
    named<&Parameters::kl, &KlPolicy::least_independent_reads>(
        "kl.independent-reads", "and not at all with fewer independent samples in a window", 0, kLarge),
    named<&Parameters::kl, &KlPolicy::least_threshold>("kl.least", "kl: trained thresholds are at least this",
                                                       0, 1),
    named<&Parameters::least_slowdown>(
        "slowdown.least",
        "busy time beside the peers', the larger of all and per request, below "
        "which a disk is only waited for",
        0, kLarge),
    named<&Parameters::saturated_threshold>(
        "slowdown.threshold", "latency of who is only waited for: untrained threshold, bins", 0, kLarge),
    named<&Parameters::hardware, &HardwareOptions::slowdown>(
        "hardware.slowdown",
        "busy time beside the peers' from which a disk that always was so is sick, and no other hardware", 0,
        kLarge),
    named<&Parameters::hardware, &HardwareOptions::least_change>(
        "hardware.change",
        "a disk has changed when it is busy so many times as long as before, beside its peers", 1, kLarge),
    named<&Parameters::hardware, &HardwareOptions::sigmas>(
        "hardware.sigmas", "and by so many standard deviations of what its peers change", 0, kLarge),
    named<&Parameters::hardware, &HardwareOptions::own_sigmas>(
        "hardware.own-sigmas", "and by so many of what it was before", 0, kLarge),
    named<&Parameters::apart_gap>(
        "apart.gap", "several stand apart when the gap before them is so many times the spread of the rest",
        0, kLarge),
    named<&Parameters::prior_windows>(
        "prior-windows", "what an untrained threshold is worth in windows of training", 0, kLarge),
    named<&Parameters::history_half_life_days>(
        "history.half-life", "days after which half is left of what --learn taught", 0.1, 10000),
    named<&Parameters::idle_requests>("idle-requests",
                                      "requests/s of the group below which latency says nothing", 0, kLarge),
    named<&Parameters::stall_ms>("stall-ms", "latency, ms, that counts even in an idle group", 0, kLarge),
    named<&Parameters::standby_ms>(
        "standby-ms", "latency, ms, of an attachment that nobody should use, from which it is sick", 0,
        kLarge),
    named<&Parameters::congestion_seconds>("cwnd-seconds", "cwnd is averaged over this many seconds", 1,
                                           3600),
    named<&Parameters::longest_filled_hole>("filled-hole", "lost samples in a row that are filled in", 0,
                                            1000),
    named<&Parameters::partition>(
        "partition", "compare pairs within rotating partitions of about this many; 0: all", 0, kLarge),
    named<&Parameters::filter, &FilterSpec::leaning>(
        "leaning", "score on the other side that takes an anomalous window back", 0, kLarge),
    named<&Parameters::filter, &FilterSpec::least_severity>(
        "severity.least", "the least that a window adds to severity", -64, 0),
    named<&Parameters::filter, &FilterSpec::most_severity>("severity.most",
                                                           "the most that a window adds to severity", 0, 64),
    named<&Parameters::incidents, &IncidentLimits::gate_severity>(
        "severity.gate", "severity from which a component is faulty at once; in production 2", 0, kLarge),
    named<&Parameters::incidents, &IncidentLimits::confirm_severity>(
        "severity.confirm", "severity from which an incident is confirmed", 0, kLarge),
    named<&Parameters::surge_factor>(
        "surge.factor", "who does so many times its peers' work has no mere surge of it", 1, kLarge),
    named<&Parameters::surge_persistence>(
        "surge.persistence",
        "persistence from which a surge of work that is not severe is confirmed; in quick 5", 1, kLarge),
    named<&Parameters::bias, &BiasOptions::block_windows>("bias.block-windows", "bias: windows of a block", 1,
                                                          100000),
    named<&Parameters::bias, &BiasOptions::blocks>("bias.blocks", "bias: blocks of the longest horizon", 1,
                                                   10000),
    named<&Parameters::bias, &BiasOptions::least_blocks>("bias.least-blocks",
                                                         "bias: blocks before anything is said", 1, 10000),
    named<&Parameters::bias, &BiasOptions::least_component_blocks>(
        "bias.component-blocks", "bias: blocks x components before anything is said", 1, 1000000),
    named<&Parameters::bias, &BiasOptions::slow_minute>(
        "bias.slow-minute", "bias: log ratio to the peers from which a minute is slow", 0, kLarge),
    named<&Parameters::bias, &BiasOptions::least_share>("bias.least-share",
                                                        "bias: share of minutes that are slow", 0, 1),
    named<&Parameters::bias, &BiasOptions::burst_blocks>(
        "bias.burst-blocks", "bias: what is over after so many blocks was a burst; 0: nothing is", 0, 10000),
    named<&Parameters::bias, &BiasOptions::clip>(
        "bias.clip", "bias: what one window counts at most, a log ratio", 0, kLarge),
    named<&Parameters::bias, &BiasOptions::inflation>(
        "bias.inflation", "bias: correlation left between blocks, a factor on variance", 0, kLarge),
    named<&Parameters::bias, &BiasOptions::least_sigma>("bias.least-sigma", "bias: added to the error", 0,
                                                        kLarge),
    named<&Parameters::bias, &BiasOptions::confirm_shift>(
        "bias.confirm-shift", "bias: log ratio to the peers that is confirmed", 0, kLarge),
    named<&Parameters::bias, &BiasOptions::confirm_z>("bias.confirm-z", "bias: when this sure", 0, kLarge),
    named<&Parameters::bias, &BiasOptions::suspect_shift>(
        "bias.suspect-shift", "bias: log ratio to the peers that is suspected", 0, kLarge),
    named<&Parameters::bias, &BiasOptions::suspect_z>("bias.suspect-z", "bias: when this sure", 0, kLarge),
    named<&Parameters::incidents, &IncidentLimits::secondary_share>(
        "secondary.share", "an incident below this share of a concurrent one is explained by it", 0, 1),
    named<&Parameters::incidents, &IncidentLimits::secondary_score>(
        "secondary.score", "when it is also below this score", 0, kLarge),
    named<&Parameters::incidents, &IncidentLimits::recurrence>(
        "recurrence", "trouble that comes back within this many times 2k-1 windows is the same", 0, kLarge),
    named<&Parameters::clocks, &ClockOptions::reach>(
        "clocks.reach", "clocks may be off by so many cells; 0: they are not looked at", 0, 600),
    named<&Parameters::clocks, &ClockOptions::sigmas>(
        "clocks.sigmas", "clocks: every other shift fits worse by this many standard errors", 1, kLarge),
    named<&Parameters::clocks, &ClockOptions::least>("clocks.least",
                                                     "clocks: cells from which one is called off", 1, 600),
    named<&Parameters::clocks, &ClockOptions::least_move>(
        "clocks.least-move", "clocks: share of the mean move of a load that is a move", 0, kLarge),
    named<&Parameters::burst, &BurstOptions::least_bursts>(
        "burst.least", "bursts: so many of one member at least; 0: not looked for", 0, 1000),
    named<&Parameters::burst, &BurstOptions::least_ratio>(
        "burst.ratio", "bursts: to the largest of the others, and to its own calm", 1, kLarge),
    named<&Parameters::burst, &BurstOptions::calm>("burst.calm",
                                                   "bursts: cells before them that are its calm", 2, 1000),
    named<&Parameters::burst, &BurstOptions::horizon_seconds>("burst.seconds",
                                                              "bursts: how far apart they may be", 1, 1e6),
    named<&Parameters::burst, &BurstOptions::suspect>(
        "burst.suspect", "bursts: probability of chance below which their member is suspected", 0, 1),
    named<&Parameters::burst, &BurstOptions::confirm>(
        "burst.confirm", "bursts: probability of chance below which it is confirmed", 0, 1),
    named<&Parameters::ratio, &RatioOptions::seconds>(
        "ratio.seconds", "ratio: seconds of a window beside the preset's; 0: there are none", 0, 3600),
    named<&Parameters::ratio, &RatioOptions::least_cells>("ratio.cells", "ratio: and cells at least", 2,
                                                          1000),
    named<&Parameters::ratio, &RatioOptions::k>("ratio.k", "ratio: of the past 2k-1 windows", 1, 32),
    named<&Parameters::ratio, &RatioOptions::least_ratio>(
        "ratio.least", "ratio: latency that is slow, in medians of the peers", 1, kLarge),
    named<&Parameters::ratio, &RatioOptions::least_gap>(
        "ratio.gap", "ratio: and in latencies of the slowest healthy peer", 1, kLarge),
    named<&Parameters::ratio, &RatioOptions::least_requests>("ratio.requests", "ratio: requests in a window",
                                                             0, kLarge),
    named<&Parameters::ratio, &RatioOptions::least_slowdown>(
        "ratio.slowdown", "ratio: busy time beside the peers', the larger of all and per request", 0, kLarge),
};

[[nodiscard]] Status set_noise_floor(Parameters& parameters, std::string_view name, double value) {
  const MetricSpec* metric = find_metric(name.substr(kNoise.size()));
  if (metric == nullptr) {
    return fail(ErrorCode::kBadUse, "--set", fmt::format("{}: there is no such metric", name));
  }
  if (value < 0) return fail(ErrorCode::kBadUse, "--set", fmt::format("{} cannot be below 0", name));
  parameters.noise_floors[std::string(metric->name)] = value;
  return {};
}

}  // namespace

std::span<const NamedParameter> named_parameters() { return kNamed; }

Status set_parameter(Parameters& parameters, std::string_view text) {
  auto assignment = parse_assignment(text, "latency.threshold=4");
  if (!assignment) return forward(assignment);
  if (assignment->name.starts_with(kNoise)) {
    return set_noise_floor(parameters, assignment->name, assignment->value);
  }
  return set_named(parameters, named_parameters(), *assignment, "--parameters");
}

Status check_parameters(const Parameters& parameters) {
  if (parameters.partition > 0 && parameters.partition < kLeastPartition) {
    return fail(ErrorCode::kBadUse, "--set",
                fmt::format("partition must be 0 or at least {}", kLeastPartition));
  }
  if (parameters.bias.blocks >= parameters.bias.least_blocks) return {};
  return fail(ErrorCode::kBadUse, "--set", "bias.blocks must not be below bias.least-blocks");
}

std::string describe_parameters(const Parameters& parameters) {
  std::string text = describe_named(parameters, named_parameters());
  for (const MetricSpec& metric : metric_catalogue()) {
    text +=
        named_number_line(fmt::format("{}{}", kNoise, metric.name), noise_floor(parameters, metric, false),
                          fmt::format("noise floor of {}, {}", metric.name, metric.unit));
  }
  return text;
}

}  // namespace laggard::detect
