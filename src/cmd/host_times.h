#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/series_source.h"

namespace laggard::cmd {

/// A host whose recording lies at another time than those of most others.
struct TimeOffset {
  std::string host;
  /// Of the others': by how much it begins later. Quarters of an hour, as time zones differ by, where it is
  /// one to within some samples.
  Duration ahead{};
  bool shares_time = false;  ///< It was recorded while others were, too.
  /// Both ends of its recording lie off by that; else one does, as of a host that began at another time, too.
  bool both_ends = true;

  bool operator==(const TimeOffset&) const = default;
};

/// Hosts that were recorded at another time than most: those that share less than a tenth of theirs with it;
/// those that begin and end later, or earlier, by the same time, which nobody else does, as a clock that is
/// off makes a host that was recorded together with the others; and those that begin and end off by different
/// times, as if it had begun at another time beside that. In the order of `hosts`.
///
/// Let f_h and l_h be a host's first and last sample, and F, L their medians. An end is off by f_h - F, or
/// l_h - L, when that is more than half a minute, five intervals and five times what three quarters of the
/// hosts are off by: hosts that were started one after the other are no such thing. Both are off when f_h - F
/// is and l_h - L differs from it by at most three intervals. Of two different ends the last is taken:
/// recordings that began at different times are fetched together. An end that is not off, although others'
/// lie so close together that it would show, speaks against a clock: that host came late or stopped early.
/// Fewer than three hosts have no time in
/// common to be off from. **Ours.**
[[nodiscard]] std::vector<TimeOffset> hosts_at_other_times(const Inventory& inventory,
                                                           std::span<const std::string> hosts,
                                                           Duration interval);

/// Sentences about hosts of which nothing was recorded for longer than `longest` at the begin or the end of
/// `span`, those of the same time together.
[[nodiscard]] std::vector<std::string> late_and_early(const Inventory& inventory, TimeSpan span,
                                                      Duration longest);

}  // namespace laggard::cmd
