#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "collect/record/event_sources.h"

namespace laggard::collect {

/// Profiles of calls and of the time that they take, of the kinds kCallsKind and kCallTimeKind: one of each
/// for every period of the wall clock. A reading that comes late makes one longer period, none that is made
/// up.
class CallPeriods {
 public:
  /// Of a function, in a period.
  struct Change {
    std::uint64_t calls = 0;
    std::uint64_t microseconds = 0;
  };
  using Changes = std::map<std::string, Change, std::less<>>;  ///< By FunctionName's word.

  explicit CallPeriods(Duration interval) : interval_(interval), until_due_(interval) {}

  /// Of the option `--interval`: 100ms to 10m.
  [[nodiscard]] static Result<Duration> interval_of(const EventSourceSetup& setup);

  /// Whether what has come since the last reading is to be told now.
  [[nodiscard]] bool is_due(WallTime now);
  /// How long after the last reading the next one is due.
  [[nodiscard]] Duration until_due() const { return until_due_; }
  /// Tells what has come in the period that ends now; of the first reading, with which counting begins,
  /// nothing. \param batch  two profiles: of calls, and of time
  void end_period(const Changes& changes, WallTime now, ObservationBatch& batch);
  /// The period that was told last.
  [[nodiscard]] std::pair<WallTime, WallTime> last() const { return last_; }
  /// All calls that were told.
  [[nodiscard]] std::uint64_t calls() const { return calls_; }

 private:
  Duration interval_;
  Duration until_due_;
  bool has_begun_ = false;
  std::pair<WallTime, WallTime> last_{};
  std::uint64_t calls_ = 0;
};

}  // namespace laggard::collect
