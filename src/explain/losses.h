#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "explain/part_map.h"
#include "model/finding.h"

namespace laggard::explain {

/// A subject that is affected from one moment to another.
struct AffectedSpan {
  std::size_t subject = 0;
  std::int64_t first = 0;  ///< On the clock of WindowJudgement::position, in cells.
  std::int64_t last = 0;   ///< Inclusive; not before `first`. What is seen in one window lasts for a shift.
  bool lost = false;       ///< An attachment that does nothing or is gone: others take over its load.
  bool vague = false;      ///< It began as something else: when it was lost is not known from it.
  bool localized = false;  ///< Finding::localized
};

/// Attachments that were lost together, and what has to do with it. A loss is sudden (T Tables 5.3 and 5.4):
/// a server or a controller takes all attachments with it at once. So those that are lost hours apart are two
/// losses, even when they are about the same array, and no larger part is to be blamed for both.
struct LossBatch {
  std::int64_t onset = 0;          ///< In cells: when the first of them was lost.
  std::vector<std::size_t> spans;  ///< Indices, ascending.
  /// From when to when expected subjects are lost to earlier ones: nobody can see whether this loss is about
  /// them, too.
  std::vector<AffectedSpan> excused;
};

/// Spans by what they are part of.
struct LossSplit {
  std::vector<LossBatch> batches;   ///< In the order of their onset.
  std::vector<std::size_t> others;  ///< Spans that no loss accounts for, ascending.
  std::vector<AffectedSpan> lost;   ///< From when to when expected subjects are lost to anything.
};

/// Whether the finding was a loss from the beginning. One that was opened while only part of a window was
/// lost, and in which nothing was done or recorded otherwise, was, too.
[[nodiscard]] bool began_lost(const Finding& finding);

/// In cells.
struct LossOptions {
  std::int64_t slack = 0;       ///< Of an episode; half of it of an onset.
  std::int64_t recurrence = 0;  ///< Between two spans of one loss.
};

/// Which spans are lost together. The lost spans of a subject that follow each other within a recurrence are
/// one loss, which begins with the first whose beginning is known. Losses of subjects that share a part
/// belong together when their onsets follow each other within half of `slack`.
///
/// An attachment that nobody expected to serve is seen to be gone only while its peers do something, so that
/// its onset may be late: it goes with the loss of all that its server should serve, else with what was lost
/// just then, else with what its server lost last, else with what a larger part of it lost last. Whatever
/// else is found about a subject goes with its loss when more than half of it lies within the loss and
/// `slack` around it.
[[nodiscard]] LossSplit split_losses(const PartMap& map, std::span<const AffectedSpan> spans,
                                     const LossOptions& options);

}  // namespace laggard::explain
