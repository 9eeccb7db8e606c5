#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/time.h"
#include "explain/episodes.h"
#include "model/finding.h"
#include "model/grouping.h"

namespace laggard::explain {

struct IncidentOptions {
  std::size_t size = 60;   ///< Of a window, in cells.
  std::size_t shift = 30;  ///< Of two windows, in cells.
  std::size_t k = 3;
  Duration cell{std::chrono::seconds(1)};
  IncidentLimits limits;
  std::int64_t confirm_persistence = 1;  ///< Of the preset; limits has the severity.
  bool joint_confirmation = true;  ///< Many at once confirm each other; else each is confirmed for itself.
  bool failovers = true;           ///< Who serves in place of something that is lost is not accused.
  bool companions = true;          ///< Who is slow because a neighbour is goes with that one's hypothesis.
  /// The rules are the steps of a checklist: who comes to an earlier one explains all that is concurrent.
  bool halting = false;

  /// From the start of one window to that of the next.
  [[nodiscard]] Duration window_step() const { return cell * static_cast<std::int64_t>(shift); }
  /// Windows that are no more than 2k-1 apart belong together.
  [[nodiscard]] std::int64_t slack() const { return static_cast<std::int64_t>(shift * (2 * k - 1)); }
  /// What comes back within this is the same trouble.
  [[nodiscard]] std::int64_t recurrence() const {
    return std::llround(limits.recurrence * static_cast<double>(slack()));
  }
};

/// A finding about what serves in place of something that is lost.
struct Failover {
  const Finding* finding = nullptr;
  std::size_t instead_of = 0;  ///< The component that is lost.
};

/// An incident in the making: one part that is to blame, and the findings that speak for it.
///
/// Of several components the times are those of the one in eight that was first (of up to eight, the first):
/// one LUN that was odd before does not move the beginning of a whole controller's trouble.
struct Hypothesis {
  Blamed blamed;
  std::vector<const Finding*> findings;
  std::vector<Failover> failovers;
  std::size_t companions = 0;  ///< Other LUNs that became slow with it, though less.
  double strength = 0;         ///< Of the strongest finding.
  WallTime since;
  WallTime until;
  WallTime faulty_since;
  std::optional<WallTime> persistent_since;
  std::optional<WallTime> confirmed_since;
  std::int64_t first = 0;  ///< In cells, as in Finding.
  std::int64_t last = 0;
  bool open = false;
};

/// From findings to hypotheses, by part and time (episodes.h). The findings outlive them.
///
/// *Failovers* (failover.h) accuse nobody; they go with the hypothesis that has what they stand in for.
///
/// *Suspects must not convict*: when components that are confirmed and such that are only suspected would be
/// blamed on a part that the confirmed ones alone do not point to, each kind is explained for itself. So a
/// server is not called sick because one of its disks is and others look odd at times.
///
/// *Many at once confirm each other* (T §5.6.1, §6.4.1): a hypothesis of several components is confirmed when
/// the sum of their severities, or of their persistences, reaches what one component needs alone.
///
/// The same sum of severities makes them faulty at once when it reaches what one component needs for that.
///
/// *Beginning*: a retrospective finding looks back over hours; where another detector saw the same component,
/// the beginning is taken from that.
///
/// *Companions* (companions.h): who is slower because a neighbour is goes with that one's hypothesis.
///
/// *Cascades* (T Table 5.4): a part that is slow until it loses attachments has one trouble. A loss within it
/// that begins as the slowness ends goes with that hypothesis.
///
/// *Recurrence*: the same part's trouble that comes back within four times 2k-1 windows is one hypothesis.
[[nodiscard]] std::vector<Hypothesis> make_hypotheses(const Grouping& grouping,
                                                      std::span<const Finding> findings,
                                                      const IncidentOptions& options);

[[nodiscard]] inline bool is_of_one_lun(const Hypothesis& hypothesis) {
  const PartKind kind = hypothesis.blamed.blame.kind;
  return kind == PartKind::kLun || kind == PartKind::kAttachment;
}
/// Of a part that holds many LUNs.
[[nodiscard]] inline bool is_of_many_luns(const Hypothesis& hypothesis) {
  const PartKind kind = hypothesis.blamed.blame.kind;
  return kind == PartKind::kDrawer || kind == PartKind::kController || kind == PartKind::kArray;
}

/// Strength and times from the findings.
void measure(Hypothesis& hypothesis, const IncidentOptions& options);
/// Adds the findings of `other`; what follows from them is measured anew by the caller.
void absorb(Hypothesis& hypothesis, const Hypothesis& other);
/// The last cell in which it was seen, retrospective findings left out: they go on for as long as they look
/// back.
[[nodiscard]] std::int64_t seen_until(const Hypothesis& hypothesis);

}  // namespace laggard::explain
