#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "archive/bytes.h"
#include "archive/tokens.h"

/// One series of 64-bit cells without holes <-> numbers that compress.
///
/// A column is predicted (nothing, the value before, or a straight line), the residuals are moved by `shift`,
/// made non-negative and divided by what they have in common, and what remains is written as tokens:
///
///     residual r_i = v_i | v_i - v_{i-1} | t_i - (t_0 + i slope)         mod 2^64
///     u_i = (r_i - shift) / divisor            offset: shift is the smallest r, so u >= 0
///     u_i = zigzag((r_i - shift) / divisor)    centred: shift is a middle r, u small on both sides
///
/// Sectors come in eights, jiffies in tens of ms, rates of busy counters lie around a middle: the divisor and
/// the shift cost a few bytes a column and save bits in every value. A column of one value is that value.
namespace laggard::archive {

enum class ColumnKind : std::uint8_t {
  kCounter,  ///< Cumulative or level: unsigned integers.
  kGauge,    ///< The bits of doubles.
  kTimes,    ///< Nanoseconds, nearly regular.
};

/// Where the columns of one chunk go.
struct ColumnSink {
  ByteWriter head;
  std::string tokens;
  BitWriter extra;
};

/// Finds the cheapest form for a column and appends it.
class ColumnEncoder {
 public:
  /// \param values  n >= 1 present cells in order.
  void encode(std::span<const std::uint64_t> values, ColumnKind kind, ColumnSink& sink);

 private:
  struct Plan {
    std::uint64_t cost = ~std::uint64_t{0};  ///< Estimated bits.
    std::uint8_t transform = 0;
    bool centred = false;
    std::uint64_t shift = 0;
    std::uint64_t divisor = 1;
    std::uint64_t slope = 0;
  };

  /// Whether all values are short decimals (what tools print); leaves their integers in `decimal_`.
  bool find_decimal(std::span<const std::uint64_t> values, unsigned& exponent);
  void residuals(std::span<const std::uint64_t> values, Plan& plan, std::vector<std::uint64_t>& out) const;
  void consider(std::span<const std::uint64_t> values, std::uint8_t transform, Plan& best);
  void emit(std::span<const std::uint64_t> values, const Plan& plan, ColumnSink& sink);

  std::vector<std::uint64_t> decimal_;
  std::vector<std::uint64_t> trial_;
  std::vector<std::uint64_t> chosen_;
};

/// Reads the column that comes next into `out`, n >= 1 cells; false when the bytes make no sense.
[[nodiscard]] bool decode_column(ByteReader& head, TokenReader& tokens, std::span<std::uint64_t> out);

}  // namespace laggard::archive
