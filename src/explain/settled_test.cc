#include "explain/incidents.h"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "explain/rules.h"
#include "testing/grouping.h"

namespace laggard::explain {
namespace {

using testing_support::GroupingBuilder;

const IncidentOptions kWindows{.size = 64, .shift = 32, .k = 3, .limits = {}};
constexpr std::int64_t kLookBack = 160;
/// Recurrence, the length of a window and of a shift, look-back: nothing reaches back further.
constexpr std::int64_t kFarEnough = 4 * 160 + 64 + 32 + kLookBack + 1;

WallTime in_cells(std::int64_t cell) { return from_unix_ns(cell * 1'000'000'000); }

Finding slow_disk(std::size_t component, std::int64_t first, std::int64_t last, double strength,
                  const char* name = "await") {
  const MetricSpec& metric = *find_metric(name);
  Finding finding;
  finding.component = component;
  finding.symptom = Symptom::kSlower;
  finding.resource = metric.resource;
  finding.role = metric.role;
  finding.since = in_cells(first);
  finding.faulty_since = in_cells(first + 96);
  finding.opened = {finding.faulty_since, finding.symptom};
  finding.until = in_cells(last + 64);
  finding.first = first;
  finding.last = last;
  finding.strength = strength;
  finding.severity = strength;
  finding.persistence = (last - first) / 32;
  if (strength > 2) finding.confirmed_since = finding.faulty_since;
  finding.evidence.metric = metric.name;
  finding.evidence.score = strength;
  return finding;
}

/// What an incident comes to, in order.
std::vector<std::string> verdicts(const Grouping& grouping, const std::vector<Finding>& findings,
                                  const IncidentOptions& options) {
  static const std::vector<Rule> ours = parse_rules(default_rules(), "rules").value();
  static const std::vector<Rule> checklist = parse_rules(paper_rules(), "rules").value();
  std::vector<std::string> out;
  for (const Incident& incident :
       make_incidents(grouping, findings, options.halting ? checklist : ours, options)) {
    std::string text = incident.id + " " + incident.blame.name + " " + incident.cause + " " +
                       std::string(to_name(incident.state)) + " " + std::string(to_name(incident.status)) +
                       " " + to_iso8601(incident.since) + " " + to_iso8601(incident.seen_until) + " " +
                       std::to_string(incident.persistence) + " " + std::to_string(incident.evidence.size());
    for (const std::string& component : incident.components) text += " " + component;
    out.push_back(std::move(text));
  }
  std::ranges::sort(out);
  return out;
}

std::vector<std::string> without_status(std::vector<std::string> texts) {
  for (std::string& text : texts) {
    for (const std::string_view status : {" closed", " explained"}) {
      if (const std::size_t at = text.find(status); at != std::string::npos) text.erase(at, status.size());
    }
  }
  std::ranges::sort(texts);
  return texts;
}

TEST(Settled, WhatGoesOnOrIsRecentStays) {
  const GroupingBuilder system = GroupingBuilder().servers(5, 1, true);
  std::vector<Finding> findings{slow_disk(system.index("s1/d1"), 0, 320, 9),
                                slow_disk(system.index("s2/d1"), 0, 320, 9)};
  const auto settled_at = [&](std::int64_t now) {
    return settled(system.get(), findings, kWindows, {.now = now, .look_back = kLookBack});
  };
  EXPECT_EQ(settled_at(320 + kFarEnough - 1), (std::vector<std::uint8_t>{0, 0}));
  EXPECT_EQ(settled_at(320 + kFarEnough), (std::vector<std::uint8_t>{1, 1}));
  findings[1].open = true;
  EXPECT_EQ(settled_at(320 + kFarEnough), (std::vector<std::uint8_t>{1, 0}));
}

TEST(Settled, WhatMayExplainOneThatStaysStays) {
  const GroupingBuilder system = GroupingBuilder().servers(5, 1, true);
  std::vector<Finding> findings{slow_disk(system.index("s1/d1"), 0, 320, 9),
                                slow_disk(system.index("s2/d1"), 64, 3200, 1.5)};
  const SettledBefore before{.now = 3264, .look_back = kLookBack};
  EXPECT_EQ(settled(system.get(), findings, kWindows, before), (std::vector<std::uint8_t>{0, 0}));
  findings[1].strength = 4;  // Too strong to be explained by anything.
  EXPECT_EQ(settled(system.get(), findings, kWindows, before), (std::vector<std::uint8_t>{1, 0}));
}

TEST(Settled, WhatMayHaltTheChecklistForOneThatStaysStays) {
  const GroupingBuilder system = GroupingBuilder().servers(5, 1, true);
  const std::vector<Finding> findings{slow_disk(system.index("s1/d1"), 0, 320, 9, "wr_sec"),
                                      slow_disk(system.index("s2/d1"), 64, 3200, 30)};
  const SettledBefore before{.now = 3264, .look_back = kLookBack};
  IncidentOptions options = kWindows;
  EXPECT_EQ(settled(system.get(), findings, options, before), (std::vector<std::uint8_t>{1, 0}));
  options.halting = true;
  EXPECT_EQ(settled(system.get(), findings, options, before), (std::vector<std::uint8_t>{0, 0}));
}

struct Known {
  std::vector<Finding> all;   ///< At some time.
  std::vector<Finding> kept;  ///< Those of them that are not settled,
  std::vector<Finding> rest;  ///< and as they are in the end, with what came later.
};

Known at_time(const Grouping& grouping, const std::vector<Finding>& findings, std::int64_t now,
              const IncidentOptions& options) {
  Known out;
  for (const Finding& finding : findings) {
    const bool later = finding.first > now - kLookBack;
    (later ? out.rest : out.all).push_back(finding);
    if (!later) out.all.back().open = finding.last > now - 96;
  }
  const auto gone = settled(grouping, out.all, options, {.now = now, .look_back = kLookBack});
  for (std::size_t f = 0; f < out.all.size(); ++f) {
    if (gone[f] != 0) continue;
    out.kept.push_back(out.all[f]);
    out.rest.push_back(out.all[f]);
    out.rest.back().open = false;
  }
  return out;
}

RC_GTEST_PROP(Settled, IncidentsAreTheSameWithoutWhatIsSettled, ()) {
  const GroupingBuilder system = GroupingBuilder().servers(5, 2, true);
  const Grouping& grouping = system.get();
  IncidentOptions options = kWindows;
  options.halting = *rc::gen::arbitrary<bool>();
  std::vector<Finding> all;
  const auto count = *rc::gen::inRange(1, 14);
  for (int i = 0; i < count; ++i) {
    const auto component = *rc::gen::inRange<std::size_t>(0, grouping.components.size());
    const auto first = 32 * *rc::gen::inRange<std::int64_t>(0, 150);
    const auto length = 32 * *rc::gen::inRange<std::int64_t>(3, 40);
    all.push_back(slow_disk(component, first, first + length, *rc::gen::element(1.2, 1.9, 5.0, 30.0),
                            *rc::gen::element("await", "wr_sec")));
  }
  const Known known = at_time(grouping, all, 32 * *rc::gen::inRange<std::int64_t>(0, 220), options);
  RC_CLASSIFY(known.kept.size() < known.all.size() && !known.rest.empty());
  const std::vector<std::string> in_the_end = verdicts(grouping, all, options);
  const std::vector<std::string> rest = verdicts(grouping, known.rest, options);
  RC_ASSERT(std::ranges::includes(in_the_end, rest));
  // What was said of those that left, ...
  const std::vector<std::string> before = verdicts(grouping, known.all, options);
  const std::vector<std::string> without = verdicts(grouping, known.kept, options);
  RC_ASSERT(std::ranges::includes(before, without));
  std::vector<std::string> said;
  std::ranges::set_difference(before, without, std::back_inserter(said));
  // ... is what would be said of them in the end, but that something might explain them.
  std::vector<std::string> missing;
  std::ranges::set_difference(in_the_end, rest, std::back_inserter(missing));
  RC_ASSERT(without_status(said) == without_status(missing));
}

}  // namespace
}  // namespace laggard::explain
