#include "analyse/explain/blame.h"

#include <map>
#include <set>
#include <tuple>

namespace laggard::analyse {

namespace {

struct Candidate {
  Tally tally;
  std::vector<std::size_t> components;  ///< The affected ones.
};

/// By index of the part: of all parts with an affected component.
using Candidates = std::map<std::size_t, Candidate>;

Candidates gather(const PartMap& map, const std::set<std::size_t>& affected) {
  Candidates candidates;
  for (const std::size_t c : affected) {
    for (const std::size_t p : map.parts_of(c)) {
      candidates[p].tally.add(map, c);
      candidates[p].components.push_back(c);
    }
  }
  return candidates;
}

/// Larger is better.
auto worth(const PartMap::Part& part, const Tally& tally) {
  return std::tuple(tally.gain(part), tally.share(part), reach(part.blame.kind));
}

/// The part to blame first; null when none may be blamed.
const Candidates::value_type* best_of(const PartMap& map, const Candidates& candidates) {
  const Candidates::value_type* best = nullptr;
  const auto worth_of = [&](const Candidates::value_type& candidate) {
    return worth(map.parts()[candidate.first], candidate.second.tally);
  };
  for (const auto& candidate : candidates) {
    if (!candidate.second.tally.may_blame(map.parts()[candidate.first])) continue;
    if (best == nullptr || worth_of(candidate) > worth_of(*best)) best = &candidate;
  }
  return best;
}

}  // namespace

std::vector<Blamed> find_blame(const PartMap& map, std::span<const std::size_t> affected) {
  std::set<std::size_t> left(affected.begin(), affected.end());
  std::vector<Blamed> found;
  while (!left.empty()) {
    const Candidates candidates = gather(map, left);
    const Candidates::value_type* best = best_of(map, candidates);
    if (best == nullptr) break;  // Components without parts cannot be blamed on anything.
    Blamed blamed{map.parts()[best->first].blame, best->second.components, {}};
    for (const auto& other : candidates) {
      const PartMap::Part& part = map.parts()[other.first];
      const bool same = &other != best && other.second.components == blamed.components;
      if (same && other.second.tally.may_blame(part)) blamed.alternatives.push_back(part.blame);
    }
    for (const std::size_t c : blamed.components) left.erase(c);
    found.push_back(std::move(blamed));
  }
  return found;
}

std::vector<Blamed> find_blame(const Grouping& grouping, std::span<const std::size_t> affected) {
  return find_blame(PartMap(grouping), affected);
}

}  // namespace laggard::analyse
