#include "explain/part_map.h"

#include <map>
#include <numeric>

namespace laggard::explain {

namespace {

constexpr double kLeastShare = 0.5;
/// So many components at once are no coincidence, even where they are a minority of the part's.
constexpr std::size_t kManyComponents = 5;
constexpr double kLeastShareOfMany = 0.25;
/// What an unaffected component says against a part, where an affected one speaks for it with 1.
constexpr double kUnaffectedWeight = 0.25;

}  // namespace

PartMap::PartMap(const Grouping& grouping)
    : of_(grouping.components.size()), kinds_(grouping.components.size(), 0) {
  for (const PeerGroup& group : grouping.groups) {
    for (const ComponentId id : group.members) kinds_[id.index()] = static_cast<std::size_t>(group.kind);
  }
  std::map<Part, std::vector<std::size_t>> components;
  for (std::size_t c = 0; c < grouping.components.size(); ++c) {
    expected_.push_back(grouping.components[c].priority.value_or(0) == 0);
    for (const PartId part : grouping.parts.needs(grouping.components[c].part)) {
      components[grouping.parts[part]].push_back(c);
    }
  }
  for (auto& [of, list] : components) {
    Entry part{of, std::move(list), {}};
    for (const std::size_t c : part.components) {
      of_[c].push_back(parts_.size());
      if (expected_[c]) ++part.expected[kinds_[c]];
    }
    parts_.push_back(std::move(part));
  }
}

void Tally::count(const PartMap& map, std::size_t component, int by) {
  affected_[map.kind_of(component)] += by;
  if (!map.is_expected(component)) unexpected_[map.kind_of(component)] += by;
}

std::size_t Tally::affected() const {
  return static_cast<std::size_t>(std::accumulate(affected_.begin(), affected_.end(), 0));
}

Tally::Best Tally::best(const PartMap::Entry& part) const {
  Best best;
  for (std::size_t k = 0; k < kGroupKinds; ++k) {
    const auto all = static_cast<double>(part.expected[k]) + unexpected_[k];
    if (all <= 0) continue;
    const double share = affected_[k] / all;
    if (share > best.share) best = {share, all - affected_[k]};
  }
  return best;
}

double Tally::share(const PartMap::Entry& part) const { return best(part).share; }

double Tally::gain(const PartMap::Entry& part) const {
  return static_cast<double>(affected()) - kUnaffectedWeight * best(part).unaffected;
}

bool Tally::may_blame(const PartMap::Entry& part) const {
  const std::size_t n = affected();
  const double share = best(part).share;
  if (part.part.kind.spec().reach <= 1) return share > kLeastShare;
  return (n >= 2 && share > kLeastShare) || (n >= kManyComponents && share > kLeastShareOfMany);
}

}  // namespace laggard::explain
