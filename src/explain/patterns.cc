#include "explain/patterns.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "explain/part_map.h"

namespace laggard::explain {

namespace {

/// Components that were slow before most of the lost ones were lost.
std::size_t slow_before(const Hypothesis& hypothesis, const std::vector<std::int64_t>& lost,
                        std::int64_t least) {
  std::vector<std::int64_t> sorted = lost;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  std::set<SubjectKey> slow;
  for (const Finding* finding : hypothesis.findings) {
    if (finding->is_slow() && finding->first + least <= *middle) slow.insert(subject_key(*finding));
  }
  return slow.size();
}

/// Every server through which the blamed part runs has lost something.
bool all_servers_lost(const Part& blame, const Grouping& grouping,
                      const std::map<SubjectKey, std::int64_t>& lost) {
  std::set<std::string> with_loss;
  for (const auto& [subject, first] : lost) {
    const std::size_t component = std::get<0>(subject);
    if (component != kNoComponent) with_loss.insert(grouping.components[component].host);
  }
  return std::all_of(grouping.components.begin(), grouping.components.end(), [&](const Component& component) {
    const bool of_part = component.kind == DeviceKind::kDisk && grouping.runs_through(component, blame);
    return !of_part || with_loss.contains(component.host);
  });
}

void find_losses(const Hypothesis& hypothesis, const Grouping& grouping, const IncidentOptions& options,
                 std::set<Pattern>& is) {
  constexpr std::size_t kSeveral = 3;
  std::map<SubjectKey, std::int64_t> lost;
  std::set<SubjectKey> gone;
  std::set<SubjectKey> all;
  for (const Finding* finding : hypothesis.findings) {
    all.insert(subject_key(*finding));
    if (!finding->is_lost()) continue;
    const auto known = lost.try_emplace(subject_key(*finding), finding->first).first;
    known->second = std::min(known->second, finding->first);
    if (finding->symptom == Symptom::kLost) gone.insert(subject_key(*finding));
  }
  std::vector<std::int64_t> beginnings;
  beginnings.reserve(lost.size());
  for (const auto& [subject, first] : lost) beginnings.push_back(first);
  const bool before = !lost.empty() && slow_before(hypothesis, beginnings,
                                                   static_cast<std::int64_t>(options.shift)) >= kSeveral;
  if (2 * lost.size() <= all.size() && !(before && lost.size() >= kSeveral)) return;
  is.insert(Pattern::kLost);
  is.insert(2 * gone.size() > lost.size() ? Pattern::kGone : Pattern::kUnused);
  if (before) is.insert(Pattern::kSlowBefore);
  if (all_servers_lost(hypothesis.blamed.blame, grouping, lost)) is.insert(Pattern::kWhole);
}

/// How the windows of one component, in which its latency was judged, follow each other.
struct Turns {
  std::size_t bad = 0;
  std::size_t well = 0;
  std::size_t pauses = 0;  ///< Runs of well ones.
  double strength = 0;
  double least_strength = 4;

  /// What is slow all the time has a good window now and then; what is barely slow has many, but then its bad
  /// ones are barely bad. Two pauses will do when they are long. \param long_pause  windows of a long one.
  [[nodiscard]] bool come_and_go(std::size_t long_pause) const {
    constexpr std::size_t kLeastPauses = 3;
    constexpr std::size_t kLeastLongPauses = 2;
    constexpr double kLeastWell = 0.05;
    const bool several =
        pauses >= kLeastPauses || (pauses >= kLeastLongPauses && well >= pauses * long_pause);
    return several && strength >= least_strength &&
           static_cast<double>(well) >= kLeastWell * static_cast<double>(well + bad);
  }
};

/// Of the findings about one component in one metric by one detector: the turns within them and, where a
/// pause was so long that it ended one, between them. \param least_pause  windows in which it was well, for
/// the latter.
Turns turns_of(std::vector<const Finding*>& findings, std::size_t least_pause) {
  const auto count = [](const Finding& finding, const FactSpec& spec) {
    const Fact* fact = finding.fact(spec);
    return fact == nullptr ? std::size_t{0} : static_cast<std::size_t>(fact->own);
  };
  std::ranges::stable_sort(findings, {}, &Finding::first);
  Turns turns;
  if (findings.front()->is_of_reads()) turns.least_strength = 2;  // No write hides how bad they are.
  for (const Finding* finding : findings) {
    turns.bad += count(*finding, kAnomalousWindows);
    turns.well += count(*finding, kNormalWindows);
    turns.pauses += count(*finding, kPauses);
    turns.strength = std::max(turns.strength, finding->strength);
    const std::size_t since = count(*finding, kNormalWindowsSince);
    if (finding == findings.back() || since < least_pause) continue;
    turns.well += since;
    ++turns.pauses;
  }
  return turns;
}

/// Each detector by itself: what two of them see are not twice as many pauses. Where reads were looked at by
/// themselves, they alone: what takes long to read is hidden as often as others write.
bool comes_and_goes(const Hypothesis& hypothesis, const IncidentOptions& options) {
  std::map<std::tuple<SubjectKey, std::string_view, std::string_view>, std::vector<const Finding*>> findings;
  const bool reads = std::ranges::any_of(
      hypothesis.findings, [](const Finding* each) { return each->is_slow() && each->is_of_reads(); });
  for (const Finding* finding : hypothesis.findings) {
    if (!finding->is_slow() || finding->fact(kPauses) == nullptr) continue;
    if (reads && !finding->is_of_reads()) continue;
    findings[{subject_key(*finding), finding->evidence.metric, finding->evidence.detector}].push_back(
        finding);
  }
  return std::ranges::any_of(
      findings, [&](auto& entry) { return turns_of(entry.second, options.k).come_and_go(options.k); });
}

/// Whether it moved more than its peers, or less, for a small part of the time alone in which it was slow: it
/// is not slow for hours because of that.
bool is_busy_for_a_moment(const Hypothesis& hypothesis) {
  constexpr double kLeastShare = 0.25;
  double busy = 0;
  std::map<std::pair<std::string_view, std::string_view>, double> slow;
  for (const Finding* finding : hypothesis.findings) {
    const Fact* windows = finding->fact(kAnomalousWindows);
    if (windows == nullptr || finding->retrospective) continue;
    if (finding->role == Role::kThroughput) busy += windows->own;
    if (finding->is_slow()) slow[{finding->evidence.metric, finding->evidence.detector}] += windows->own;
  }
  double longest = 0;
  for (const auto& [by, windows] : slow) longest = std::max(longest, windows);
  return busy > 0 && busy < kLeastShare * longest;
}

}  // namespace

std::set<Pattern> find_patterns(const Hypothesis& hypothesis, const Grouping& grouping,
                                const IncidentOptions& options) {
  std::set<Pattern> is;
  find_losses(hypothesis, grouping, options, is);
  if (!hypothesis.failovers.empty()) is.insert(Pattern::kFailover);
  if (hypothesis.companions > 0) is.insert(Pattern::kWithNeighbours);
  if (comes_and_goes(hypothesis, options)) is.insert(Pattern::kComesAndGoes);
  if (is_busy_for_a_moment(hypothesis)) is.insert(Pattern::kBusyForAMoment);
  const bool standby = std::ranges::any_of(
      hypothesis.findings, [](const Finding* each) { return each->fact(kStandbyWait) != nullptr; });
  if (standby) is.insert(Pattern::kStandbyUsed);
  return is;
}

}  // namespace laggard::explain
