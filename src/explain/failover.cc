#include "explain/failover.h"

#include <algorithm>
#include <set>

namespace laggard::explain {

namespace {

/// The attachments of each LUN, in the order of their priority.
using Luns = std::map<Part, std::vector<std::size_t>>;

const Part* lun_of(const Grouping& grouping, const Component& component) {
  return grouping.part_of(component, PartKind::kLun);
}

Luns attachments_of(const Grouping& grouping, const std::set<Part>& luns) {
  Luns of;
  for (std::size_t c = 0; c < grouping.components.size(); ++c) {
    const Component& component = grouping.components[c];
    const Part* lun = component.priority ? lun_of(grouping, component) : nullptr;
    if (lun != nullptr && luns.contains(*lun)) of[*lun].push_back(c);
  }
  for (auto& [lun, list] : of) {
    std::sort(list.begin(), list.end(), [&](std::size_t a, std::size_t b) {
      return grouping.components[a].priority < grouping.components[b].priority;
    });
  }
  return of;
}

/// It moves more through its storage than its peers do.
bool moves_more(const Finding& finding) {
  if (finding.resource != Resource::kStorage || finding.is_lost()) return false;
  const Fact* moved = finding.fact(kStorageMoved);
  return moved != nullptr && moved->own > moved->peers;
}

class FailoverFinder {
 public:
  FailoverFinder(const Grouping& grouping, std::span<const Finding> findings, std::int64_t shift,
                 std::int64_t slack)
      : grouping_(grouping), shift_(shift), slack_(slack) {
    std::set<Part> luns;
    for (const Finding& finding : findings) {
      if (!finding.is_of_component()) continue;
      of_[finding.component].push_back(&finding);
      const Part* lun = lun_of(grouping, grouping.components[finding.component]);
      if (finding.is_lost() && lun != nullptr) luns.insert(*lun);
    }
    luns_ = attachments_of(grouping, luns);
  }

  Failovers run() {
    for (const auto& [lun, attachments] : luns_) {
      for (std::size_t p = 1; p < attachments.size(); ++p) {
        const auto of = of_.find(attachments[p]);
        if (of == of_.end()) continue;
        const bool works =
            std::ranges::any_of(of->second, [](const Finding* each) { return moves_more(*each); });
        if (!works) continue;
        for (const Finding* finding : of->second) {
          if (!finding->is_lost()) look_before(attachments, p, *finding);
        }
      }
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] AffectedSpan span_of(const Finding& finding) const {
    return {finding.component, finding.first, finding.last + shift_ - 1, false, false};
  }
  /// Whether the finding is about load that came with the loss, or about what was there before. Work that
  /// waits on a path that nobody should use comes at once, or for another reason.
  [[nodiscard]] bool came_with(const Finding& finding, std::size_t lost) const {
    const bool waits = finding.fact(kStandbyWait) != nullptr;
    return std::ranges::any_of(of_.at(lost), [&](const Finding* loss) {
      const bool after = finding.first + slack_ >= loss->first;
      return loss->is_lost() && after && (!waits || finding.first <= loss->first + slack_);
    });
  }
  /// Whether the component was lost at the same time.
  [[nodiscard]] bool lost_during(std::size_t component, const AffectedSpan& during) const {
    const auto of = of_.find(component);
    if (of == of_.end()) return false;
    return std::ranges::any_of(of->second, [&](const Finding* finding) {
      const AffectedSpan other = span_of(*finding);
      return finding->is_lost() && other.first <= during.last + slack_ && during.first <= other.last + slack_;
    });
  }

  void look_before(const std::vector<std::size_t>& attachments, std::size_t place, const Finding& finding) {
    const AffectedSpan load = span_of(finding);
    const auto before = std::span(attachments).first(place);
    const auto lost = std::ranges::find_if(before, [&](std::size_t a) { return lost_during(a, load); });
    if (lost == before.end() || !came_with(finding, *lost)) return;
    found_.instead_of[&finding] = *lost;
    for (const std::size_t attachment : before) {
      if (attachment == *lost || lost_during(attachment, load)) continue;
      const bool after = grouping_.components[attachment].priority > grouping_.components[*lost].priority;
      if (after) found_.passed_over.push_back({attachment, load.first, load.last, true, false});
    }
  }

  const Grouping& grouping_;
  std::int64_t shift_;
  std::int64_t slack_;
  std::map<std::size_t, std::vector<const Finding*>> of_;  ///< Per component.
  Luns luns_;
  Failovers found_;
};

}  // namespace

Failovers find_failovers(const Grouping& grouping, std::span<const Finding> findings, std::int64_t shift,
                         std::int64_t slack) {
  return FailoverFinder(grouping, findings, shift, slack).run();
}

}  // namespace laggard::explain
