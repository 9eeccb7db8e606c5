#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/named_number.h"
#include "detect/peer/compare/bias.h"
#include "detect/peer/compare/comparer.h"
#include "detect/peer/compare/filter.h"
#include "detect/peer/compare/preset.h"
#include "model/finding.h"
#include "model/grouping.h"
#include "model/metric.h"

namespace laggard::detect {

/// Every number on which it depends what is said of clocks (docs/methods/skew.md).
struct ClockOptions {
  /// Shifts that are looked at, in cells to either side; 0: clocks are not looked at.
  std::int64_t reach = 60;
  /// Every shift that is not part of the answer must fit worse by so many standard errors.
  double sigmas = 4;
  /// From here on a clock is called off, in cells. No comparison notices less than that.
  std::int64_t least = 2;
  /// A host's load moved when it did so by more than this share of its mean move.
  double least_move = 0.25;
};

/// From when on a member's latency is a multiple of its peers' for a few seconds (docs/methods/ratio.md says
/// where the numbers come from).
struct RatioOptions {
  double seconds = 8;           ///< Of a window; 0: nobody looks.
  std::size_t least_cells = 4;  ///< But so many cells at least.
  std::size_t k = 3;            ///< Slow in k of the past 2k-1 windows.
  double least_ratio = 8;       ///< To the median of the active members.
  double least_gap = 5;         ///< To the slowest of those that are not suspected.
  double least_requests = 16;   ///< In a window.
  double least_slowdown = 2;    ///< Busy time beside the peers', the larger of all and per request.
};

/// Who is far off for moments, again and again (docs/methods/burst.md).
struct BurstOptions {
  std::size_t least_bursts = 4;   ///< 0: nobody looks.
  double least_ratio = 8;         ///< Of a burst, to the largest of the others and to the member's own calm.
  std::size_t calm = 16;          ///< Cells before a burst whose median that is.
  double horizon_seconds = 3600;  ///< Bursts further apart have nothing to do with each other.
  double suspect = 2e-3;          ///< Chance makes so many bursts of one member with a smaller probability.
  double confirm = 1e-4;
};

/// When a disk that is slower than its peers is sick for certain, and not just other hardware (own_past.h).
/// Three windows of 64 s of healthy disks of the simulated clusters change by 1.11 times and 5.3 sigmas at
/// most and are busy for 1.35 times their peers'; sick ones of the recorded runs change by 1.12 times and 9
/// sigmas at least.
struct HardwareOptions {
  double slowdown =
      1.5;  ///< Busy for so many times as long as its peers: no hardware is. 0: nobody is excused.
  double least_change = 1.1;  ///< What it was before, so many times ...
  double sigmas = 7;          ///< ... beyond what its peers change meanwhile, ...
  double own_sigmas = 4;      ///< ... and beyond what its own windows differed by.
  bool when_trained = false;  ///< The same of whoever is beyond a trained threshold.
};

/// How far apart healthy peers may be in one metric. Found on real recordings as the middle (on a log scale)
/// of the gap between the healthiest suspect and the weakest fault; docs/methods/judge.md has the gaps.
struct MetricPolicy {
  /// Part of the group's own level that is noise: bins are never smaller than this share of it.
  double floor_share = 0;
  /// Threshold on the distance without training, in bins of the scale (cwnd: a fraction of the median).
  double self_threshold = 3;
  double self_threshold_reads = 3;  ///< The same while the group mostly reads.
  /// A trained threshold is never taken below this: one bin of FD is within healthy noise by construction.
  double least_threshold = 1;
};

/// The share of its ceiling that `kl` must reach without training. It has no bins to count: it only says how
/// little two histograms overlap, and in a closed loop of reads those of healthy servers hardly do.
struct KlPolicy {
  double self_threshold = 0.6;
  double self_threshold_reads = 0.8;
  /// Smoothed samples follow each other: a window has about WinSize / smoothing independent ones (lab 13,
  /// production 4, quick 3). With fewer than this, healthy latencies in reads reach the ceiling itself; they
  /// are never anomalous then.
  double least_independent_reads = 8;
  double least_threshold = 0.3;
};

/// When a connection's window counts as too small.
enum class CongestionTest : std::uint8_t {
  kWholeWindow,  ///< In the mean of a window's samples, whose logarithms are averaged.
  kEachSecond,   ///< In any sample, of which the logarithm is taken after averaging (F §10.1).
};

/// What algorithms decide differently where no number says it. These are ours; paper_parameters has Kasick's.
struct Policies {
  bool our_metrics = true;  ///< Those that no paper has (MetricSpec::is_ours) take part unasked.
  FloorUse floor_use = FloorUse::kAlways;
  CongestionTest congestion = CongestionTest::kWholeWindow;
  bool deviations = false;         ///< Service times are held against their median in every second (S §6).
  bool regimes = true;             ///< Latency has a threshold for reads and one for writes; F's is for both.
  bool idleness = true;            ///< Latencies of an idle group say nothing, except stalls.
  bool directions = true;          ///< What is off to the healthy side is not sick.
  bool several = true;             ///< Who stands apart together with others does not widen the scale.
  bool absence = true;             ///< Who does nothing while most others work is sick.
  bool bias = true;                ///< Who is a little slower in nearly every window is sick.
  bool pooled_thresholds = true;   ///< Members share what is trained; F gives each its own.
  bool bounded_kl = true;          ///< Thresholds of `kl` stay below its ceiling.
  bool joint_confirmation = true;  ///< IncidentOptions of `explain` say what these three are.
  bool failovers = true;
  bool companions = true;
  bool halting = false;      ///< Also there: what F's checklist comes to first ends it.
  bool one_client = false;   ///< Of connections, one client's count alone, as F recorded (engine::OneClient).
  bool side_by_side = true;  ///< `auto` judges windows of two lengths.
  bool whole_groups = true;  ///< It is said when a group as a whole is slow or in two camps.
};

/// With fewer members the spread is taken otherwise (BinRule::mad_below), and a sick one moves the middle.
inline constexpr std::size_t kLeastPartition = BinRule{}.mad_below;

/// Everything that a verdict depends on and that is not the preset's; `--set NAME=VALUE` changes a number
/// (named_parameters). docs/methods/judge.md says where each comes from.
struct Parameters {
  // A direction of traffic that is a fiftieth of the whole is no load whose asymmetry means anything: stray
  // reads during pure writes, ACKs against data.
  MetricPolicy throughput{0.02, 3, 3, 1};
  // A server that looks up names for the others moves 1.4 times their traffic, and is 3.3 bins away from
  // them.
  MetricPolicy traffic{0.02, 6, 6, 1};
  MetricPolicy latency{0.10, 2, 16, 1};
  /// While the group reads and has so many members, latency has this threshold: how unequal healthy ones are
  /// in a closed loop of reads shows in the spread of hundreds, not in that of a dozen. Made on even seeds of
  /// simulated sites.
  std::size_t many_members = 100;
  double latency_of_many = 4;
  MetricPolicy retransmission{0, 2, 2, 1};
  MetricPolicy congestion{0, 0.40, 0.40, 0.30};
  // Of the recorded runs of docs/accuracy.md: a healthy server reaches 1.5 powers of two, one whose port is
  // full 5.4 and more.
  MetricPolicy delay{0, 2.5, 2.5, 2};
  // Points of a share of time above the median. In the shortest window (16 samples) of four connections that
  // are sampled once a second, half of them waiting by chance, the share has a deviation of 6 points.
  MetricPolicy share{0, 25, 25, 10};
  // Who is merely the slowest of healthy peers is waited for more than they are, too: twice as far.
  MetricPolicy occupancy{0, 50, 50, 20};
  // Speeds of links are a factor of 2 and more apart, but for 25 and 40 Gbit/s.
  MetricPolicy capacity{0, 0.5, 0.5, 0.5};
  // A link that went and came once in a window of 64 s has 0.03 changes/s; that this goes on for k windows is
  // no accident.
  MetricPolicy errors{0, 0.02, 0.02, 0.02};
  KlPolicy kl;
  /// Who is busy for less than this many times as long as its peers, over all and per request, is only waited
  /// for, unless its latency is this far away, in bins of the scale (levels.h).
  double least_slowdown = 1.13;
  double saturated_threshold = 64;
  /// Several members stand apart when the gap before them is so many times the spread of the rest (apart.h).
  double apart_gap = 3;
  /// What the untrained threshold is worth beside a trained one, in windows of training.
  double prior_windows = 16;
  /// What its own history taught (OwnHistory) is worth half after so many days (ours): a month of history
  /// counts, and what was so a quarter of a year ago does not.
  double history_half_life_days = 14;

  /// Rotating partitions of F §11.1 in groups with room for two or more of so many members; 0: whole groups.
  std::size_t partition = 0;

  /// Below this many requests per second the group is idle, and what a single request took says nothing. A
  /// preset may have another.
  double idle_requests = 1;
  /// But who waits this long (ms) on average holds up the others, which are idle because of it.
  double stall_ms = 1000;
  /// An attachment that nobody should use now (its LUN has a better one, its peers are idle) and that makes
  /// what little it gets wait this long (ms) is sick (T Fig 5.5). Servers' own work waits for less than 1 ms,
  /// healthy reads for about 9 ms.
  double standby_ms = 20;
  /// Who does more than its peers, and less than so many times as much, may have a surge of work, which is no
  /// fault (ours): it is confirmed from this persistence or from IncidentLimits::gate_severity on. A preset
  /// may have another persistence.
  double surge_factor = 4;
  std::size_t surge_persistence = 1;
  /// What single windows tell of for so long, and the length of a window, is no burst of hours (ours).
  double longest_transient_s = 3600;
  /// F §10.1: cwnd is averaged over 31 seconds.
  double congestion_seconds = 31;
  /// Lost samples in a row that are filled in.
  std::size_t longest_filled_hole = 2;

  Policies policies;
  FilterSpec filter;  ///< Its k is the preset's.
  IncidentLimits incidents;
  BiasOptions bias;

  ClockOptions clocks;
  RatioOptions ratio;
  BurstOptions burst;
  HardwareOptions hardware;

  /// Instead of MetricSpec::noise_floor, by name of the metric, whatever the device.
  std::map<std::string, double, std::less<>> noise_floors;
};

/// The defaults with what the preset has otherwise.
[[nodiscard]] Parameters parameters_of(const Preset& preset);

/// The same for Kasick's algorithm to the letter: everything in which it differs from ours, but for the
/// rules.
[[nodiscard]] Parameters paper_parameters(const Preset& preset);

/// Those of an algorithm for windows that are judged beside the longer or shorter ones of `preset`. In
/// shorter windows the queue of a healthy disk comes and goes (docs/methods/judge.md): a latency alone is no
/// more than suspected there, trained or not, and the longer ones, which are there as well, say whether it
/// stays.
[[nodiscard]] Parameters parameters_beside(Parameters own, const Preset& beside, const Preset& preset);

/// Whether it is known of all members that they do not rotate: such a group has smaller noise floors.
[[nodiscard]] bool all_flash(const Grouping& grouping, const PeerGroup& group);

/// The noise floor in force, in the metric's unit.
[[nodiscard]] double noise_floor(const Parameters& parameters, const MetricSpec& metric, bool flash);

/// What the group as a whole was doing in a window. Latency behaves differently under each: writes are paced
/// by write-back, which keeps the servers' queues alike; synchronous reads form a closed loop in which the
/// queue wanders between healthy servers.
enum class Regime { kAny, kReads, kWrites };
[[nodiscard]] std::string_view to_name(Regime regime);  // any, reads, writes

[[nodiscard]] const MetricPolicy& policy_of(const Parameters& parameters, const MetricSpec& metric);

/// Whether it is tested in each second (CongestionTest::kEachSecond), as only F does with congestion windows.
[[nodiscard]] bool is_tested_each_second(const Policies& policies, const MetricSpec& metric);

/// Whether logarithms of its values are compared (MetricSpec::log_unit). F averages congestion windows before
/// it takes the logarithm.
[[nodiscard]] bool is_compared_by_factors(const Policies& policies, const MetricSpec& metric);

/// Which track a threshold is for, beside the metric.
struct ThresholdUse {
  std::string_view detector = "cdf";  ///< A distance, or `cwnd`.
  Regime regime = Regime::kAny;
  double independent = 64.0 / 5;  ///< Samples of a window: WinSize / smoothing.
  std::size_t members = 0;        ///< Of the group.
};

/// Positions on the scale of the distance (Scale); for cwnd the fraction itself.
[[nodiscard]] double self_threshold(const Parameters& parameters, const MetricSpec& metric,
                                    const ThresholdUse& use);
/// For latencies that may come of waiting alone. Of `kl`, which knows no magnitude, the ceiling: never.
[[nodiscard]] double saturated_threshold(const Parameters& parameters, const ThresholdUse& use);
[[nodiscard]] double least_threshold(const Parameters& parameters, const MetricSpec& metric,
                                     const ThresholdUse& use);

/// One of the Parameters by name, so that a command line can change it.
using NamedParameter = NamedNumber<Parameters>;

/// All but the noise floors, which are named `noise.METRIC`.
[[nodiscard]] std::span<const NamedParameter> named_parameters();

/// Changes one as `NAME=VALUE` says.
[[nodiscard]] Status set_parameter(Parameters& parameters, std::string_view text);

/// Whether they agree with each other, once all are set.
[[nodiscard]] Status check_parameters(const Parameters& parameters);

/// What there is to set, a line each: name, value in force, meaning.
[[nodiscard]] std::string describe_parameters(const Parameters& parameters);

}  // namespace laggard::detect
