#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/time.h"
#include "collect/record/event_sources.h"

namespace laggard::collect {

/// Profiles of calls and of the time that they take: one of each for every period of the wall clock. A
/// reading that comes late makes one longer period, none that is made up.
class CallPeriods {
 public:
  /// Of a function, in a period.
  struct Change {
    std::uint64_t calls = 0;
    std::uint64_t microseconds = 0;
  };
  using Changes = std::map<std::string, Change, std::less<>>;  ///< By FunctionName's word.

  static constexpr EventSourceOption kInterval{
      .name = "interval", .help = "Of one profile, 100ms to 10m", .type = "TIME", .initial = "1s"};
  /// What that option says.
  [[nodiscard]] static Result<Duration> interval_of(const EventSourceSetup& setup);

  explicit CallPeriods(Duration interval) : interval_(interval), until_due_(interval) {}

  /// Whether what has come since the last reading is to be told now.
  [[nodiscard]] bool is_due(WallTime now);
  /// How long after the last reading the next one is due.
  [[nodiscard]] Duration until_due() const { return until_due_; }
  /// Tells what has come since the last reading.
  /// \param batch  two profiles: of calls, and of time
  /// \return  when that was; nothing for the first reading, with which counting begins: what was before is
  ///          not told
  [[nodiscard]] std::optional<TimeSpan> end_period(const Changes& changes, WallTime now,
                                                   ObservationBatch& batch);
  /// All calls that were told.
  [[nodiscard]] std::uint64_t calls() const { return calls_; }

 private:
  Duration interval_;
  Duration until_due_;
  std::optional<WallTime> since_;  ///< When the last reading was.
  std::uint64_t calls_ = 0;
};

}  // namespace laggard::collect
