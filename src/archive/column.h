#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "archive/hints.h"
#include "archive/tokens.h"
#include "base/bytes.h"

/// One series of 64-bit cells without holes <-> numbers that compress.
///
/// A column is predicted, the residuals are moved by `shift`, made non-negative and divided by what they have
/// in common, and what remains is written as tokens:
///
///     residual r_i = v_i                                      raw
///                  | v_i - v_{i-1} - factor p_i               delta; p_i: growth of other counters, if any
///                  | v_i - (v_0 + i slope)                    line                          all mod 2^64
///     u_i = (r_i - shift) / divisor            offset: shift is the smallest r, so u >= 0
///     u_i = zigzag((r_i - shift) / divisor)    centred: shift is a middle r, u small on both sides
///
/// Sectors come in eights, jiffies in tens of ms, rates of busy counters lie around a middle: the divisor and
/// the shift cost a few bytes a column and save bits in every value. A column of one value is that value.
namespace laggard::archive {

enum class ColumnKind : std::uint8_t {
  kCounter,  ///< Unsigned integers, cumulative or momentary.
  kReals,    ///< The bits of doubles.
  kTimes,    ///< Nanoseconds, nearly regular.
};

/// What other counters of the same device at the same times say about a column of n cells. Both may be empty.
struct ColumnHints {
  /// n-1 numbers p_i that the growth of this column is likely a multiple of.
  std::span<const std::uint64_t> growth;
  /// n-1 buckets of numbers that should be proportional to this column's growth.
  std::span<const std::uint8_t> buckets;
};

/// Where the columns of one chunk go.
struct ColumnSink {
  ByteWriter head;
  std::string tokens;
  std::string buckets;  ///< One for each token.
  BitWriter extra;
};

/// Finds the cheapest form for a column and appends it.
class ColumnEncoder {
 public:
  /// \param values  n >= 1 present cells in order.
  void encode(std::span<const std::uint64_t> values, ColumnKind kind, const ColumnHints& hints,
              ColumnSink& sink);

 private:
  struct Plan {
    std::uint64_t cost = ~std::uint64_t{0};  ///< Estimated bits.
    std::uint8_t transform = 0;
    bool centred = false;
    bool predicted = false;
    std::uint64_t factor = 0;
    std::uint64_t shift = 0;
    std::uint64_t divisor = 1;
    std::uint64_t slope = 0;
  };

  /// Whether all values are short decimals (what tools print); leaves their integers in `decimal_`.
  bool find_decimal(std::span<const std::uint64_t> values, unsigned& exponent);
  void consider(std::span<const std::uint64_t> values, const ColumnHints& hints, Plan plan);
  void consider_prediction(std::span<const std::uint64_t> values, const ColumnHints& hints);
  /// Appends `chosen_` as `best_` has it, and uses it up.
  void emit(std::uint64_t first, const ColumnHints& hints, ColumnSink& sink);

  Plan best_;
  std::vector<std::uint64_t> decimal_;
  std::vector<std::uint64_t> trial_;
  std::vector<std::uint64_t> chosen_;  ///< Residuals of `best_`.
};

/// The value of the next column if it is constant; the column is then read.
[[nodiscard]] std::optional<std::uint64_t> decode_constant(ByteReader& head);

/// Reads the next column into `out`, n >= 1 cells; false when the bytes make no sense.
/// \param hints  asked only for the hints that the column was coded with.
[[nodiscard]] bool decode_column(ByteReader& head, TokenReader& tokens, HintSource& hints,
                                 std::span<std::uint64_t> out);

}  // namespace laggard::archive
