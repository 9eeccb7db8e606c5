#include "cmd/judge_clocks.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cmd/host_times.h"
#include "cmd/judge_recording.h"
#include "cmd/read_recording.h"
#include "cmd/shifted_source.h"
#include "detect/peer/skew/host_circles.h"
#include "model/outcome.h"

namespace laggard::cmd {

namespace {

using Hosts = std::set<std::string>;

Result<JudgedRecording> judge(const DiagnoseOptions& options, AnalysisSetup& setup, const Judging& judging) {
  auto settings = diagnoser_options(options, setup);
  if (!settings) return forward(settings);
  auto diagnoser = std::make_unique<engine::Diagnoser>(setup.grouping, std::move(*settings));
  if (Status judged = judge_recording(options, setup, judging, *diagnoser); !judged) return forward(judged);
  if (judging.coordinator != nullptr) judging.coordinator->stop();
  diagnoser->finish();
  JudgedRecording judged{std::move(diagnoser), {}};
  judged.diagnosis = judged.diagnoser->diagnosis();
  return judged;
}

/// From here on the samples of skewed hosts are moved to where they belong. What a clock was at the first and
/// the last cell that were compared it was before and after them, too.
void set_clocks_right(AnalysisSetup& setup, std::vector<ClockSkew> skewed) {
  const TimeSpan span = recorded_span(setup.inventory, setup.request);
  for (ClockSkew& skew : skewed) {
    const Duration near = 2 * setup.preset.windows.interval + std::chrono::abs(skew.ahead);
    if (skew.from <= span.from + near) skew.from = WallTime::min();
    if (skew.to + near >= span.to) skew.to = WallTime::max();
  }
  setup.source = std::make_unique<ShiftedSource>(std::move(setup.source), skewed);
}

/// Hosts with components of incidents by which it is sick.
Hosts convicted(const Diagnosis& diagnosis, const Grouping& grouping) {
  std::set<std::string> names;
  for (const Incident& incident : diagnosis.incidents) {
    if (makes_sick(incident)) names.insert(incident.components.begin(), incident.components.end());
  }
  Hosts hosts;
  for (const Component& component : grouping.components) {
    if (names.contains(component.name)) hosts.insert(component.host);
  }
  return hosts;
}

/// Hosts whose clocks are looked at, and about whose clocks something is known.
Hosts known_clocks(const AnalysisSetup& setup, const Clocks& clocks) {
  Hosts known;
  if (setup.pipeline.parameters.clocks.reach < 1) return known;
  for (const auto& circle : detect::make_circles(setup.grouping).circles) {
    known.insert(circle.begin(), circle.end());
  }
  for (const std::string& host : clocks.unknown) known.erase(host);
  return known;
}

/// Hosts that were recorded at another time than the others, but for those whose clocks are seen to agree, or
/// to be off by so little that it is told. Of a host that is convicted one end is enough to have a look.
std::vector<TimeOffset> apart_in(const AnalysisSetup& setup, const Diagnosis& diagnosis) {
  std::vector<TimeOffset> apart =
      hosts_at_other_times(setup.inventory, setup.grouping.servers, setup.sample_interval);
  const Hosts known = known_clocks(setup, diagnosis.coverage.clocks);
  const Hosts accused = convicted(diagnosis, setup.grouping);
  std::erase_if(apart, [&](const TimeOffset& one) {
    return (one.shares_time && known.contains(one.host)) || (!one.both_ends && !accused.contains(one.host));
  });
  return apart;
}

/// What the clocks say when the hosts have been moved by what they are supposed to be off: of those whose
/// loads then follow their peers' it was the clock.
Clocks told_by_moving(const AnalysisSetup& setup, std::span<const TimeOffset> apart, const Clocks& moved) {
  Clocks clocks;
  clocks.agree = moved.agree;
  clocks.unknown = moved.unknown;
  for (const ClockSkew& skew : moved.skewed) {
    if (std::ranges::find(apart, skew.host, &TimeOffset::host) == apart.end()) clocks.skewed.push_back(skew);
  }
  const TimeSpan span = recorded_span(setup.inventory, setup.request);
  const Hosts known = known_clocks(setup, moved);
  for (const TimeOffset& one : apart) {
    if (!known.contains(one.host)) continue;
    ClockSkew skew{.host = one.host, .from = span.from, .to = span.to, .ahead = one.ahead};
    const auto rest = std::ranges::find(moved.skewed, one.host, &ClockSkew::host);
    if (rest == moved.skewed.end()) {
      clocks.agree -= std::min<std::size_t>(clocks.agree, 1);
    } else {
      skew.ahead += rest->ahead;
    }
    skew.correlation = skew.unmoved = std::numeric_limits<double>::quiet_NaN();
    clocks.skewed.push_back(std::move(skew));
  }
  std::ranges::sort(clocks.skewed, {}, [](const ClockSkew& skew) { return std::tie(skew.host, skew.from); });
  return clocks;
}

bool is_told(const Clocks& clocks, const TimeOffset& one) {
  return std::ranges::find(clocks.skewed, one.host, &ClockSkew::host) != clocks.skewed.end();
}

/// The same recordings without some hosts, or nothing else than before. What was judged is gone by then.
Result<JudgedRecording> judge_without(const DiagnoseOptions& options, AnalysisSetup& setup,
                                      const std::vector<std::string>& hosts) {
  DiagnoseOptions fewer = options;
  fewer.analysis.left_out.insert(fewer.analysis.left_out.end(), hosts.begin(), hosts.end());
  auto again = prepare_diagnosis(fewer);
  if (!again) return forward(again);
  setup = std::move(*again);
  return judge(fewer, setup, {"without those", nullptr});
}

std::vector<std::string> hosts_of(std::span<const TimeOffset> apart) {
  std::vector<std::string> hosts;
  for (const TimeOffset& one : apart) hosts.push_back(one.host);
  return hosts;
}

Result<JudgedRecording> judge_apart(const DiagnoseOptions& options, AnalysisSetup& setup,
                                    JudgedRecording judged, std::vector<TimeOffset> apart) {
  const auto elsewhere = static_cast<std::size_t>(std::ranges::count(apart, true, &TimeOffset::both_ends));
  if (2 * elsewhere > setup.grouping.servers.size()) {  // There is no time of most.
    std::erase_if(apart, [](const TimeOffset& one) { return !one.both_ends; });
    judged.diagnosis.coverage.clocks.left_out = hosts_of(apart);
    return judged;
  }
  judged.diagnoser.reset();
  std::vector<ClockSkew> supposed;
  supposed.reserve(apart.size());
  for (const TimeOffset& one : apart) {
    supposed.push_back(
        {.host = one.host, .from = WallTime::min(), .to = WallTime::max(), .ahead = one.ahead});
  }
  setup.source = std::make_unique<ShiftedSource>(std::move(setup.source), supposed);
  auto moved = judge(options, setup, {"by other clocks", nullptr});
  if (!moved) return moved;
  Clocks clocks = told_by_moving(setup, apart, moved->diagnosis.coverage.clocks);
  const bool all_told =
      std::ranges::all_of(apart, [&](const TimeOffset& one) { return is_told(clocks, one); });
  if (options.correct_skew && all_told) {
    clocks.corrected = true;
    moved->diagnosis.coverage.clocks = std::move(clocks);
    return moved;
  }
  moved->diagnoser.reset();
  // Who came late or stopped early, and does not follow its peers when moved, did just that.
  std::erase_if(apart, [&](const TimeOffset& one) { return !one.both_ends && !is_told(clocks, one); });
  auto without = judge_without(options, setup, hosts_of(apart));
  if (!without || apart.empty()) return without;
  clocks.left_out = hosts_of(apart);
  without->diagnosis.coverage.clocks = std::move(clocks);
  return without;
}

}  // namespace

Result<JudgedRecording> judge_with_clocks(const DiagnoseOptions& options, AnalysisSetup& setup,
                                          Coordinator* coordinator) {
  auto judged = judge(options, setup, {"diagnosing", coordinator});
  if (!judged) return judged;
  std::vector<TimeOffset> apart = apart_in(setup, judged->diagnosis);
  if (!apart.empty()) return judge_apart(options, setup, std::move(*judged), std::move(apart));
  Clocks clocks = judged->diagnosis.coverage.clocks;
  if (!options.correct_skew || clocks.skewed.empty()) return judged;
  judged->diagnoser.reset();
  set_clocks_right(setup, clocks.skewed);
  // This process alone: windows of clocks set right are in no checkpoint.
  judged = judge(options, setup, {"once more", nullptr});
  if (!judged) return judged;
  clocks.corrected = true;
  judged->diagnosis.coverage.clocks = std::move(clocks);
  return judged;
}

}  // namespace laggard::cmd
