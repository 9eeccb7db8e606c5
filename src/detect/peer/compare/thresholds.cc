#include "detect/peer/compare/thresholds.h"

#include <fmt/format.h>

#include <algorithm>

namespace laggard::detect {

double GroupThresholds::of(const std::string& component) const {
  const auto found = components.find(component);
  return found == components.end() ? others : found->second;
}

const GroupThresholds* Thresholds::find(std::string_view distance, std::string_view metric,
                                        std::string_view group) const {
  for (const GroupThresholds& candidate : groups) {
    if (candidate.distance == distance && candidate.metric == metric && candidate.group == group) {
      return &candidate;
    }
  }
  return nullptr;
}

const Thresholds* Thresholds::of_preset(std::string_view preset) const {
  if (header.preset == preset) return this;
  const auto found =
      std::ranges::find_if(beside, [&](const Thresholds& other) { return other.header.preset == preset; });
  return found == beside.end() ? nullptr : &*found;
}

namespace {

struct Difference {
  std::string_view what;
  std::string trained;
  std::string used;
};

std::vector<Difference> differences(const TrainingHeader& header, const PlannedUse& use) {
  const WindowSpec& a = header.windows;
  const WindowSpec& b = use.windows;
  std::vector<Difference> all{
      {"the preset", header.preset, std::string(use.preset)},
      {"samples of", to_text(a.interval), to_text(b.interval)},
      {"windows of", fmt::format("{} samples", a.size), fmt::format("{} samples", b.size)},
      {"windows shifted by", fmt::format("{} samples", a.shift), fmt::format("{} samples", b.shift)},
      {"a moving average over", fmt::format("{} samples", a.smoothing),
       fmt::format("{} samples", b.smoothing)},
      {"k =", fmt::format("{}", a.k), fmt::format("{}", b.k)}};
  std::erase_if(all, [](const Difference& d) { return d.trained == d.used; });
  return all;
}

bool trained_for(const Thresholds& thresholds, std::string_view distance) {
  return std::any_of(thresholds.groups.begin(), thresholds.groups.end(),
                     [distance](const GroupThresholds& group) { return group.distance == distance; });
}

std::string trained_distances(const Thresholds& thresholds) {
  std::vector<std::string> names;
  for (const GroupThresholds& group : thresholds.groups) names.push_back(group.distance);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names.empty() ? "nothing" : fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

Status check_use(const Thresholds& thresholds, const PlannedUse& use, std::string_view path) {
  constexpr std::string_view kAdvice = "use the same, or train again";
  const std::vector<Difference> found = differences(thresholds.header, use);
  if (!found.empty()) {
    return fail(ErrorCode::kBadUse, std::string(path),
                fmt::format("trained with {} {}, but this run has {}; {}", found.front().what,
                            found.front().trained, found.front().used, kAdvice));
  }
  for (const std::string_view distance : use.distances) {
    if (trained_for(thresholds, distance)) continue;
    return fail(ErrorCode::kBadUse, std::string(path),
                fmt::format("trained for the distance {}, but this run uses {}; {}",
                            trained_distances(thresholds), distance, kAdvice));
  }
  return {};
}

}  // namespace laggard::detect
