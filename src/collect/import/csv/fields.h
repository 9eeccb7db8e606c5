#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "model/counter.h"

namespace laggard::collect {

/// The fields of one line as RFC 4180 has them: separated by commas, a field in double quotes may hold
/// commas, and a quote as two. A quoted field ends on its line. Blanks around a field do not count.
///
/// `fields` point into `line` or into `scratch`. False when a quote is not closed or something follows it.
[[nodiscard]] bool split_fields(std::string_view line, std::vector<std::string_view>& fields,
                                std::string& scratch);

enum class ValueKind : std::uint8_t {
  kValue,
  kMissing,     ///< Empty, NaN, NA, N/A, null (any case).
  kNotANumber,  ///< Not a finite number.
  kNegative,    ///< Below zero where the counter cannot be.
  kFraction,    ///< Not whole where the counter is.
  kTooLarge,    ///< A counter beyond 64 bits.
};

struct FieldValue {
  ValueKind kind = ValueKind::kMissing;
  std::uint64_t bits = 0;  ///< As SampleTable stores it.
};

/// Reads one value. Counters and levels may be written as 12, 12.0 or 1.2e1, as long as they are whole:
/// beyond 2^53 only as plain digits, because the others cannot say them exactly.
[[nodiscard]] FieldValue parse_value(std::string_view text, CounterForm form);

/// A moment after 1970 and before 2200, in any form that `parse_time` knows, blanks around it left out.
/// Nothing for any other text; `why` then says what is wrong.
[[nodiscard]] std::optional<WallTime> parse_moment(std::string_view text, std::string& why);

}  // namespace laggard::collect
