#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/time.h"

namespace laggard::collect {

/// How times are written, where they are neither Unix times nor ISO 8601 with a zone.
struct CsvTimes {
  /// `s`, `ms`, `us`, `ns`: Unix times in that unit. Else a pattern of %Y %y %m %d %H %M %S %z %%, of which
  /// %S takes a fraction, and of what stands between them. Empty: what is to be seen.
  std::string format;
  std::optional<Duration> zone;  ///< East of Greenwich, of times that name no zone; nothing: there are none.
};

/// `+01:00`, `-0530`, `Z` or `UTC`.
[[nodiscard]] Result<Duration> parse_zone(std::string_view text);

/// Fails when the format says no date and time.
[[nodiscard]] Status check_format(std::string_view format);

/// A time from 1970 up to kLatestTime, with blanks around it: as `times` says, or in any form that
/// `parse_time` knows; of Unix times 13 digits are milliseconds, 16 micro- and 19 nanoseconds. Nothing for
/// any other text; `why` then says what is wrong.
[[nodiscard]] std::optional<WallTime> parse_moment(std::string_view text, const CsvTimes& times,
                                                   std::string& why);

}  // namespace laggard::collect
