#include "collect/procfs/block_stack.h"

#include <algorithm>
#include <set>

#include "base/text.h"

namespace laggard::collect {

namespace {

/// Nodes by index, edges in both directions.
class Stack {
 public:
  explicit Stack(const std::vector<BlockNode>& nodes)
      : nodes_(nodes), up_(nodes.size()), down_(nodes.size()) {
    std::map<std::string, std::size_t> index;
    for (std::size_t n = 0; n < nodes.size(); ++n) index.emplace(nodes[n].name, n);
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      for (const std::string& holder : nodes[n].holders) {
        const auto found = index.find(holder);
        if (found == index.end() || found->second == n) continue;
        up_[n].push_back(found->second);
        down_[found->second].push_back(n);
      }
    }
  }

  [[nodiscard]] bool stacked(std::size_t n) const { return !up_[n].empty() || !down_[n].empty(); }

  /// The devices that are analysed in place of `n`; itself when it stands for itself.
  [[nodiscard]] std::set<std::size_t> stands_for(std::size_t n) const {
    std::set<std::size_t> visited;
    return stands_for(n, visited);
  }

 private:
  using Edges = std::vector<std::vector<std::size_t>>;

  [[nodiscard]] std::set<std::size_t> reach(std::size_t from, const Edges& edges, std::size_t without) const {
    std::set<std::size_t> seen;
    std::vector<std::size_t> open;
    if (from != without) open.push_back(from);
    while (!open.empty()) {
      const std::size_t n = open.back();
      open.pop_back();
      if (!seen.insert(n).second) continue;
      for (const std::size_t next : edges[n]) {
        if (next != without) open.push_back(next);
      }
    }
    return seen;
  }

  /// Whether all use of `n` goes through `top`: without it, no device that is used directly can be reached.
  [[nodiscard]] bool only_through(std::size_t n, std::size_t top) const {
    for (const std::size_t a : reach(n, up_, top)) {
      if (up_[a].empty() || nodes_[a].used_directly) return false;
    }
    return true;
  }

  [[nodiscard]] bool whole(std::size_t top) const {
    const std::set<std::size_t> below = reach(top, down_, nodes_.size());
    return std::all_of(below.begin(), below.end(), [&](std::size_t n) { return only_through(n, top); });
  }

  [[nodiscard]] std::set<std::size_t> stands_for(std::size_t n, std::set<std::size_t>& visited) const {
    if (!visited.insert(n).second) return {};
    std::size_t best = nodes_.size();
    std::size_t above_best = 0;
    for (const std::size_t a : reach(n, up_, nodes_.size())) {
      if (!only_through(n, a) || !whole(a)) continue;
      const std::size_t above = reach(a, up_, nodes_.size()).size();
      if (best == nodes_.size() || above < above_best) {
        best = a;
        above_best = above;
      }
    }
    if (best != nodes_.size()) return {best};
    std::set<std::size_t> lower;
    for (const std::size_t slave : down_[n]) lower.merge(stands_for(slave, visited));
    return lower;
  }

  const std::vector<BlockNode>& nodes_;
  Edges up_;
  Edges down_;
};

}  // namespace

std::map<std::string, std::vector<std::string>> stand_ins(const std::vector<BlockNode>& nodes) {
  const Stack stack(nodes);
  std::map<std::string, std::vector<std::string>> result;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (!stack.stacked(n)) continue;
    std::vector<std::string> names;
    for (const std::size_t top : stack.stands_for(n)) {
      if (top != n) names.push_back(nodes[top].name);
    }
    if (names.empty()) continue;
    std::sort(names.begin(), names.end(), natural_less);
    result.emplace(nodes[n].name, std::move(names));
  }
  return result;
}

}  // namespace laggard::collect
