#include "report/evidence.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "report/spoken.h"
#include "report/wording.h"

namespace laggard::report {

namespace {

bool say_the_same(const Evidence& a, const Evidence& b) {
  return a.metric == b.metric && a.component == b.component && a.detector == b.detector &&
         a.source == b.source && a.window_s == b.window_s;
}

/// `cdf`; where windows of two lengths were judged, `cdf 16 s`.
std::string test_of(const Evidence& evidence) {
  if (!evidence.window_s) return evidence.detector;
  return fmt::format("{} {}", evidence.detector, humanise(*evidence.window_s, "s"));
}

void add_finding(MergedEvidence& merged, const Evidence& finding) {
  std::vector<WallTime> windows = std::move(merged.evidence.windows);
  windows.insert(windows.end(), finding.windows.begin(), finding.windows.end());
  if (finding.score > merged.evidence.score) merged.evidence = finding;
  merged.evidence.windows = std::move(windows);
  ++merged.findings;
}

/// `5 windows starting 19:22:36Z to 19:25:20Z, 3 findings`; empty without windows.
std::string flagged(const MergedEvidence& merged, const Clockface& clock) {
  const std::vector<WallTime>& windows = merged.evidence.windows;
  if (windows.empty()) return "";
  const auto [first, last] = std::ranges::minmax_element(windows);
  const std::string count = counted(windows.size(), "window");
  std::string out = *first == *last ? fmt::format("{} at {}", count, clock.moment(*first))
                                    : fmt::format("{} starting {}", count, clock.span(*first, *last));
  if (merged.findings > 1) out += fmt::format(", {} findings", merged.findings);
  return out;
}

std::string level_of(const std::optional<double>& level, const Evidence& e) {
  return level ? humanise(*level, e.unit) : "no data";
}

/// What it differs in, where levels do not show it.
std::string with_what_differs(const Evidence& e) {
  if (!e.level || !e.peers || differs_in_level(e) || e.detector == kDeviation) return e.note;
  const std::string_view differs = "differs in how it is distributed, not in its level";
  return e.note.empty() ? std::string(differs) : fmt::format("{}; {}", e.note, differs);
}

EvidenceTable::Row metric_row(const MergedEvidence& merged, bool recurs, const Clockface& clock) {
  const Evidence& e = merged.evidence;
  const bool windows = !e.windows.empty();
  return {
      .cells = {e.metric, e.component, level_of(e.level, e), level_of(e.peers, e),
                ratio(e.level, e.peers).value_or(""), test_of(e), humanise(e.distance), humanise(e.threshold),
                humanise(e.score), recurs ? std::to_string(merged.findings) : "",
                windows ? std::to_string(e.windows.size()) : "",
                windows ? clock.moment(*std::ranges::min_element(e.windows)) : "", flagged(merged, clock)},
      .what = e.metric + '\n' + test_of(e),
      .subject = fmt::format("{} of {}", e.metric, e.component),
      .note = with_what_differs(e)};
}

/// A metric in which a component differs from its peers, and the test that says so.
EvidenceTable metric_table(std::span<const MergedEvidence> evidence, const Clockface& clock) {
  using enum EvidenceColumn::Kind;
  constexpr int kAlways = 100;
  EvidenceTable table{.columns = {{"Metric", "metric", kMetric, kAlways},
                                  {"Component", "component", kComponent, kAlways},
                                  {"Level", "level", kMainNumber, 9},
                                  {"Peers’ median", "peers", kNumber, 8},
                                  {"Ratio", "ratio", kNumber, 4},
                                  {"Test", "test", kText, 3},
                                  {"Distance", "distance", kNumber, 5},
                                  {"Threshold", "limit", kNumber, 6},
                                  {"Score", "score", kNumber, 7},
                                  {"", "findings", kNumber, 3},
                                  {"", "windows", kNumber, 2},
                                  {"", "first", kText, 1},
                                  {"Flagged", "", kWindows, 0}},
                      .rows = {}};
  const bool recurs = std::ranges::any_of(evidence, [](const MergedEvidence& m) { return m.findings > 1; });
  for (const MergedEvidence& merged : evidence) {
    table.rows.push_back(metric_row(merged, recurs, clock));
    const std::string meaning(meaning_of_distance(merged.evidence.detector));
    const bool said = meaning.empty() || std::ranges::find(table.meanings, meaning) != table.meanings.end();
    if (!said) table.meanings.push_back(meaning);
  }
  return table;
}

}  // namespace

std::vector<MergedEvidence> merged(std::span<const Evidence> evidence) {
  std::vector<MergedEvidence> out;
  for (const Evidence& finding : evidence) {
    const auto same = std::ranges::find_if(
        out, [&](const MergedEvidence& merged) { return say_the_same(merged.evidence, finding); });
    if (same == out.end()) {
      out.push_back({finding, 1});
    } else {
      add_finding(*same, finding);
    }
  }
  return out;
}

std::vector<EvidenceTable> evidence_tables(const Incident& incident, const Clockface& clock) {
  std::vector<Evidence> of_metrics;
  std::ranges::copy_if(incident.evidence, std::back_inserter(of_metrics),
                       [](const Evidence& e) { return !e.metric.empty(); });
  std::vector<MergedEvidence> evidence = merged(of_metrics);
  std::vector<EvidenceTable> out;
  for (auto first = evidence.begin(); first != evidence.end();) {
    const std::string source = first->evidence.source;
    const auto last = std::stable_partition(
        first, evidence.end(), [&](const MergedEvidence& m) { return m.evidence.source == source; });
    out.push_back(metric_table({first, last}, clock));
    first = last;
  }
  return out;
}

std::string other_evidence(const Evidence& evidence) {
  const std::string whose = evidence.part ? blamed(*evidence.part) : evidence.component;
  std::string out = fmt::format("{} of {}: {}", evidence.source, whose,
                                evidence.note.empty() ? evidence.detector : evidence.note);
  std::vector<std::string> levels;
  if (evidence.level) levels.push_back(humanise(*evidence.level, evidence.unit));
  if (evidence.peers) levels.push_back("peers " + humanise(*evidence.peers, evidence.unit));
  return levels.empty() ? out : fmt::format("{} ({})", out, fmt::join(levels, ", "));
}

}  // namespace laggard::report
