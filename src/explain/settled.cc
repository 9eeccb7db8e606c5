#include "explain/settled.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "explain/part_map.h"

namespace laggard::explain {

namespace {

/// Findings that hang together, as one.
struct Cluster {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  double strongest = 0;
  double weakest = std::numeric_limits<double>::infinity();
  bool settled = true;
};

class Clusters {
 public:
  explicit Clusters(std::size_t findings) : root_(findings) { std::iota(root_.begin(), root_.end(), 0U); }

  [[nodiscard]] std::size_t of(std::size_t finding) {
    while (root_[finding] != finding) finding = root_[finding] = root_[root_[finding]];
    return finding;
  }
  void join(std::size_t a, std::size_t b) { root_[of(a)] = of(b); }

 private:
  std::vector<std::size_t> root_;
};

/// Per part, the findings about components that run through it, by their beginning.
std::vector<std::vector<std::size_t>> by_part(const PartMap& map, std::span<const Finding> findings) {
  std::vector<std::vector<std::size_t>> of(map.parts().size());
  std::vector<std::size_t> order(findings.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::size_t f) { return findings[f].first; });
  for (const std::size_t f : order) {
    for (const std::size_t part : map.parts_of(map.subject_of(findings[f]))) of[part].push_back(f);
  }
  return of;
}

void join_what_follows(std::span<const std::size_t> members, std::span<const Finding> findings,
                       std::int64_t pause, Clusters& clusters) {
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Finding& finding = findings[members[i]];
    if (i > 0 && finding.first <= last + pause) clusters.join(members[i - 1], members[i]);
    last = std::max(last, finding.last);
  }
}

/// Whether something in `weak` may be explained by something in `strong`: explained_by of incidents.cc, for
/// whatever incidents they come to.
bool may_be_explained(const Cluster& weak, const Cluster& strong, const IncidentOptions& options) {
  const auto reach = static_cast<std::int64_t>(options.size) + options.slack();
  const bool then = weak.first <= strong.last + reach && weak.last >= strong.first - reach;
  return then && weak.weakest < std::min(strong.strongest * options.limits.secondary_share,
                                         options.limits.secondary_score);
}

}  // namespace

std::vector<std::uint8_t> settled(const Grouping& grouping, std::span<const Finding> findings,
                                  const IncidentOptions& options, const SettledBefore& before) {
  const PartMap map(grouping, findings);
  const auto recurrence = std::llround(options.limits.recurrence * static_cast<double>(options.slack()));
  const auto pause = recurrence + static_cast<std::int64_t>(options.size + options.shift);
  Clusters clusters(findings.size());
  for (const auto& members : by_part(map, findings)) join_what_follows(members, findings, pause, clusters);
  std::vector<Cluster> all(findings.size());
  for (std::size_t f = 0; f < findings.size(); ++f) {
    const Finding& finding = findings[f];
    Cluster& cluster = all[clusters.of(f)];
    cluster.first = std::min(cluster.first, finding.first);
    cluster.last = std::max(cluster.last, finding.last);
    cluster.strongest = std::max(cluster.strongest, finding.strength);
    cluster.weakest = std::min(cluster.weakest, finding.strength);
    const bool over = !finding.open && finding.last + pause + before.look_back < before.now;
    cluster.settled = cluster.settled && over;
  }
  std::vector<std::size_t> roots;
  for (std::size_t f = 0; f < findings.size(); ++f) {
    if (clusters.of(f) == f) roots.push_back(f);
  }
  // What stays keeps what may explain it, which may itself be weak beside a third.
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::size_t strong : roots) {
      if (!all[strong].settled) continue;
      const bool needed = std::ranges::any_of(roots, [&](std::size_t weak) {
        return !all[weak].settled && may_be_explained(all[weak], all[strong], options);
      });
      all[strong].settled = !needed;
      changed = changed || needed;
    }
  }
  std::vector<std::uint8_t> out(findings.size());
  for (std::size_t f = 0; f < findings.size(); ++f) out[f] = all[clusters.of(f)].settled ? 1 : 0;
  return out;
}

}  // namespace laggard::explain
