#include "lab/cmd/path_blame.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "detect/pings/ping_localizer.h"

namespace laggard::lab {

namespace {

/// As many windows as make a component faulty, so that a path is as sure as a finding.
constexpr std::uint64_t kTrials = 8;
/// Whoever compares is on every path, and so explains what everybody has in common.
constexpr const char* kComparison = "comparison";

bool overlap(const Incident& a, const Incident& b) {
  return a.since <= b.seen_until && b.since <= a.seen_until;
}

}  // namespace

void blame_by_paths(Diagnosis& diagnosis, const Grouping& grouping) {
  detect::PingLocalizer localizer(grouping);
  std::map<std::string, std::size_t> numbers;
  for (const Component& component : grouping.components) {
    numbers[component.name] = localizer.number({kComparison, component.name, false});
  }
  const std::vector<Incident> all = diagnosis.incidents;
  const auto set = [&](const Incident& incident, std::vector<detect::PingCounts>& counts,
                       const detect::PingCounts& to) {
    for (const std::string& name : incident.components) {
      if (const auto known = numbers.find(name); known != numbers.end()) counts[known->second] = to;
    }
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<detect::PingCounts> counts(localizer.size(), {.trials = kTrials, .failures = 0});
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (j != i && overlap(all[i], all[j])) set(all[j], counts, {});
    }
    set(all[i], counts, {.trials = kTrials, .failures = kTrials});
    const std::vector<detect::PingVerdict> verdicts = localizer.localize(counts);
    const auto best = std::ranges::max_element(verdicts, {}, [](const detect::PingVerdict& verdict) {
      return std::tuple(verdict.failed, verdict.failures);
    });
    if (best != verdicts.end()) diagnosis.incidents[i].blame = best->part;
  }
}

}  // namespace laggard::lab
