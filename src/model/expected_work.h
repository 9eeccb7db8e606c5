#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace laggard {

/// Background work that the operators know of: patrol reads, scrubs, rebuilds, backups. What it slows is no
/// news while it goes on.
struct ExpectedWork {
  std::string what;
  /// Components (`fs3/sdb`, `12.48.49`) or parts with all that runs through them (`ddn12`); empty:
  /// everything.
  std::vector<std::string> where;
  std::optional<TimeSpan> once;  ///< Else every week, on `days`, ...
  std::uint8_t days = 0;         ///< ... bit 0 is Monday ...
  Duration start{};              ///< ... from this time of the day on, UTC, ...
  Duration length{};             ///< ... for so long, at most a week.
  bool goes_on = false;          ///< `once` is as far as it has been seen, and it had not ended by then.
  Duration unseen{};             ///< For so long after `once` it may go on and not have been recorded yet.

  /// The occurrence that goes on at `t`, the latest one where several do.
  [[nodiscard]] std::optional<TimeSpan> at(WallTime t) const;
};

}  // namespace laggard
