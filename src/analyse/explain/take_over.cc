#include "analyse/explain/take_over.h"

#include <algorithm>
#include <set>

namespace laggard::analyse {

namespace {

/// The attachments of each LUN, in the order of their priority.
using Luns = std::map<Blame, std::vector<std::size_t>>;

const Blame* lun_of(const Component& component) { return part_of(component, BlameKind::kLun); }

Luns attachments_of(const Grouping& grouping, const std::set<Blame>& luns) {
  Luns of;
  for (std::size_t c = 0; c < grouping.components.size(); ++c) {
    const Component& component = grouping.components[c];
    const Blame* lun = component.priority ? lun_of(component) : nullptr;
    if (lun != nullptr && luns.contains(*lun)) of[*lun].push_back(c);
  }
  for (auto& [lun, list] : of) {
    std::sort(list.begin(), list.end(), [&](std::size_t a, std::size_t b) {
      return grouping.components[a].priority < grouping.components[b].priority;
    });
  }
  return of;
}

class TakeOverFinder {
 public:
  TakeOverFinder(const Grouping& grouping, std::span<const Sighting> sightings, std::int64_t shift,
                 std::int64_t slack)
      : grouping_(grouping), sightings_(sightings), shift_(shift), slack_(slack) {
    std::set<Blame> luns;
    for (std::size_t s = 0; s < sightings.size(); ++s) {
      of_[sightings[s].component].push_back(s);
      const Blame* lun = lun_of(grouping.components[sightings[s].component]);
      if (is_lost(sightings[s]) && lun != nullptr) luns.insert(*lun);
    }
    luns_ = attachments_of(grouping, luns);
  }

  TakeOvers run() {
    for (const auto& [lun, attachments] : luns_) {
      for (std::size_t p = 1; p < attachments.size(); ++p) {
        const auto of = of_.find(attachments[p]);
        if (of == of_.end()) continue;
        const bool works = std::any_of(of->second.begin(), of->second.end(),
                                       [&](std::size_t s) { return moves_more(sightings_[s]); });
        if (!works) continue;
        for (const std::size_t s : of->second) {
          if (!is_lost(sightings_[s])) look_before(attachments, p, s);
        }
      }
    }
    return std::move(found_);
  }

 private:
  /// The lost sighting of a component that was there at the same time.
  [[nodiscard]] const Sighting* lost_during(std::size_t component, const Trouble& during) const {
    const auto of = of_.find(component);
    if (of == of_.end()) return nullptr;
    for (const std::size_t s : of->second) {
      const Trouble other = trouble_of(sightings_[s], shift_);
      const bool together = other.first <= during.last + slack_ && during.first <= other.last + slack_;
      if (is_lost(sightings_[s]) && together) return &sightings_[s];
    }
    return nullptr;
  }

  void look_before(const std::vector<std::size_t>& attachments, std::size_t taker, std::size_t sighting) {
    const Trouble load = trouble_of(sightings_[sighting], shift_);
    const Sighting* lost = nullptr;
    for (std::size_t p = 0; p < taker && lost == nullptr; ++p) lost = lost_during(attachments[p], load);
    if (lost == nullptr) return;
    found_.relieving[sighting] = lost->component;
    for (std::size_t p = 0; p < taker; ++p) {
      if (attachments[p] == lost->component || lost_during(attachments[p], load) != nullptr) continue;
      const bool after =
          grouping_.components[attachments[p]].priority > grouping_.components[lost->component].priority;
      if (after) found_.passed_over.push_back({attachments[p], load.first, load.last});
    }
  }

  const Grouping& grouping_;
  std::span<const Sighting> sightings_;
  std::int64_t shift_;
  std::int64_t slack_;
  std::map<std::size_t, std::vector<std::size_t>> of_;  ///< Sightings per component.
  Luns luns_;
  TakeOvers found_;
};

}  // namespace

TakeOvers find_take_overs(const Grouping& grouping, std::span<const Sighting> sightings, std::int64_t shift,
                          std::int64_t slack) {
  return TakeOverFinder(grouping, sightings, shift, slack).run();
}

}  // namespace laggard::analyse
