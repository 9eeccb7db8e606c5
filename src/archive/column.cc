#include "archive/column.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

#include "archive/widths.h"
#include "base/error.h"

namespace laggard::archive {

namespace {

// The first byte of a column's head.
constexpr std::uint8_t kTransformMask = 3;
constexpr std::uint8_t kRaw = 0;
constexpr std::uint8_t kDelta = 1;
constexpr std::uint8_t kLine = 2;
constexpr std::uint8_t kConstant = 3;
constexpr std::uint8_t kCentred = 4;
constexpr std::uint8_t kDecimal = 8;
constexpr std::uint8_t kHintedBuckets = 16;
constexpr std::uint8_t kPredicted = 32;
constexpr std::uint8_t kKnownBits = 63;

constexpr std::array<double, 10> kPowersOfTen{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};

std::uint64_t unzigzag(std::uint64_t value) { return (value >> 1) ^ (~(value & 1) + 1); }

bool all_equal(std::span<const std::uint64_t> values) {
  return values.size() < 2 || std::memcmp(values.data(), values.data() + 1, (values.size() - 1) * 8) == 0;
}

double decimal_value(std::uint64_t integer, unsigned exponent) {
  // Both operands are exact doubles, so the quotient is the double nearest to the decimal: what strtod gives.
  return static_cast<double>(static_cast<std::int64_t>(integer)) / kPowersOfTen[exponent];
}

/// The integer n with decimal_value(n, exponent) bitwise equal to `bits`, if there is one.
bool to_decimal(std::uint64_t bits, unsigned exponent, std::uint64_t& integer) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  const auto value = std::bit_cast<double>(bits);
  const double scaled = value * kPowersOfTen[exponent];
  if (!(std::abs(scaled) < kExact)) return false;
  integer = static_cast<std::uint64_t>(std::llround(scaled));
  return std::bit_cast<std::uint64_t>(decimal_value(integer, exponent)) == bits;
}

/// A typical value: the median of at most 31 values spread over the column.
std::int64_t middle(std::span<const std::uint64_t> values) {
  std::array<std::int64_t, 31> sample{};
  const std::size_t n = std::min(values.size(), sample.size());
  for (std::size_t i = 0; i < n; ++i) sample[i] = static_cast<std::int64_t>(values[i * values.size() / n]);
  const auto mid = sample.begin() + static_cast<std::ptrdiff_t>(n / 2);
  std::nth_element(sample.begin(), mid, sample.begin() + static_cast<std::ptrdiff_t>(n));
  return *mid;
}

/// Greatest common divisor of the distances to `low`; 1 at once for most columns.
std::uint64_t common_divisor(std::span<const std::uint64_t> values, std::int64_t low) {
  std::uint64_t divisor = 0;
  for (const std::uint64_t value : values) {
    const std::uint64_t distance = value - static_cast<std::uint64_t>(low);
    if (divisor != 0 && distance % divisor == 0) continue;
    divisor = std::gcd(divisor, distance);
    if (divisor == 1) break;
  }
  return divisor == 0 ? 1 : divisor;
}

}  // namespace

bool ColumnEncoder::find_decimal(std::span<const std::uint64_t> values, unsigned& exponent) {
  decimal_.resize(values.size());
  exponent = 0;
  for (std::size_t i = 0; i < values.size();) {
    if (to_decimal(values[i], exponent, decimal_[i])) {
      ++i;
      continue;
    }
    if (++exponent == kPowersOfTen.size()) return false;
    i = 0;  // At most nine restarts, nearly always within the first few values.
  }
  return true;
}

namespace {

/// \param slope  in/out for the straight line.
void residuals(std::span<const std::uint64_t> values, std::uint8_t transform, std::uint64_t& slope,
               std::vector<std::uint64_t>& out) {
  const std::size_t n = values.size();
  if (transform == kRaw) {
    out.assign(values.begin(), values.end());
    return;
  }
  out.resize(n - 1);
  if (transform == kDelta) {
    for (std::size_t i = 1; i < n; ++i) out[i - 1] = values[i] - values[i - 1];
    return;
  }
  const auto span = static_cast<std::int64_t>(values[n - 1] - values[0]);
  slope = static_cast<std::uint64_t>(span / static_cast<std::int64_t>(n - 1));
  for (std::size_t i = 1; i < n; ++i) out[i - 1] = values[i] - (values[0] + i * slope);
}

}  // namespace

void ColumnEncoder::consider(std::span<const std::uint64_t> values, const ColumnHints& hints, Plan plan) {
  if (best_.cost == 0) return;
  residuals(values, plan.transform, plan.slope, trial_);
  if (plan.predicted) {
    for (std::size_t i = 0; i < trial_.size(); ++i) trial_[i] -= plan.factor * hints.growth[i];
  }
  const auto [low, high] = bounds_of(trial_);
  const std::int64_t mid = middle(trial_);
  // A centred distance must fit an int64 with a bit to spare for the sign.
  const std::uint64_t range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  const bool may_centre = range < (UINT64_MAX >> 2);
  const auto [offset_bits, centred_bits] = widths_of(trial_, {low, high}, mid);
  plan.centred = may_centre && centred_bits < offset_bits;
  plan.shift = static_cast<std::uint64_t>(plan.centred ? mid : low);
  plan.divisor = range == 0 ? 1 : common_divisor(trial_, low);
  const std::uint64_t saved = static_cast<unsigned>(std::bit_width(plan.divisor) - 1) * trial_.size();
  const std::uint64_t bits = plan.centred ? centred_bits : offset_bits;
  plan.cost = bits > saved ? bits - saved : 0;
  if (plan.cost >= best_.cost) return;
  best_ = plan;
  std::swap(trial_, chosen_);
}

/// Looks for a factor by which the other counters' growth predicts this one's: the most frequent of the
/// sampled quotients (one request size), or the quotient of the sums.
void ColumnEncoder::consider_prediction(std::span<const std::uint64_t> values, const ColumnHints& hints) {
  constexpr std::size_t kSamples = 63;
  std::array<std::uint64_t, kSamples> quotients{};
  std::size_t found = 0;
  const std::size_t n = hints.growth.size();
  const std::size_t stride = std::max<std::size_t>(1, n / kSamples);
  for (std::size_t i = 0; i < n && found < kSamples; i += stride) {
    const std::uint64_t growth = hints.growth[i];
    const std::uint64_t own = values[i + 1] - values[i];
    if (growth == 0 || growth >> 32 != 0 || own >> 40 != 0) continue;  // A reset gives no useful quotient.
    quotients[found++] = own / growth;
  }
  if (found == 0) return;
  const auto begin = quotients.begin();
  const auto end = begin + static_cast<std::ptrdiff_t>(found);
  std::sort(begin, end);
  std::uint64_t most = *begin;
  std::ptrdiff_t most_count = 0;
  for (auto at = begin; at != end;) {
    const auto next = std::upper_bound(at, end, *at);
    if (next - at > most_count) {
      most_count = next - at;
      most = *at;
    }
    at = next;
  }
  const std::uint64_t median = quotients[found / 2];
  const Plan plan{.transform = kDelta, .predicted = true, .factor = most};
  if (most != 0) consider(values, hints, plan);
  if (median == 0 || median == most) return;
  Plan other = plan;
  other.factor = median;
  consider(values, hints, other);
}

namespace {

/// From residuals to what becomes tokens, in place.
void divide(std::span<std::uint64_t> values, std::uint64_t shift, std::uint64_t divisor, bool centred) {
  if (centred && divisor == 1) {
    for (std::uint64_t& value : values) value = zigzag(value - shift);
  } else if (centred) {
    for (std::uint64_t& value : values) {
      value = zigzag(static_cast<std::uint64_t>(static_cast<std::int64_t>(value - shift) /
                                                static_cast<std::int64_t>(divisor)));
    }
  } else if (divisor == 1) {
    for (std::uint64_t& value : values) value -= shift;
  } else {
    for (std::uint64_t& value : values) value = (value - shift) / divisor;
  }
}

}  // namespace

void ColumnEncoder::emit(std::uint64_t first, const ColumnHints& hints, ColumnSink& sink) {
  if (best_.transform != kRaw) sink.head.varint(first);
  if (best_.transform == kLine) sink.head.zigzag(static_cast<std::int64_t>(best_.slope));
  if (best_.predicted) sink.head.varint(best_.factor);
  sink.head.zigzag(static_cast<std::int64_t>(best_.shift));
  sink.head.varint(best_.divisor);
  divide(chosen_, best_.shift, best_.divisor, best_.centred);
  const std::size_t begin = sink.tokens.size();
  sink.tokens.resize(begin + chosen_.size());
  sink.buckets.resize(begin + chosen_.size());
  const std::span<char> tokens = std::span(sink.tokens).subspan(begin);
  const std::span<char> buckets = std::span(sink.buckets).subspan(begin);
  const bool hinted = best_.transform == kDelta && !hints.buckets.empty();
  if (hinted) std::ranges::copy(hints.buckets, buckets.begin());
  if (all_equal(chosen_) && chosen_[0] == 0) return;  // Both are zeros already.
  std::uint8_t bucket = bucket_of(0);
  for (std::size_t i = 0; i < chosen_.size(); ++i) {
    const Token token = tokenize(chosen_[i]);
    tokens[i] = static_cast<char>(token.token);
    if (!hinted) buckets[i] = static_cast<char>(std::exchange(bucket, bucket_of(chosen_[i])));
    sink.extra.put(token.extra, token.extra_bits);
  }
}

void ColumnEncoder::encode(std::span<const std::uint64_t> values, ColumnKind kind, const ColumnHints& hints,
                           ColumnSink& sink) {
  LAGGARD_CHECK(!values.empty());
  if (all_equal(values)) {
    sink.head.u8(kConstant);
    sink.head.varint(values[0]);
    return;
  }
  unsigned exponent = 0;
  const bool decimal = kind == ColumnKind::kReals && find_decimal(values, exponent);
  const std::span<const std::uint64_t> numbers = decimal ? std::span<const std::uint64_t>(decimal_) : values;
  best_ = Plan{};
  consider(numbers, hints, {.transform = kDelta});
  // Gauges often compress better as they are than as differences.
  if (kind == ColumnKind::kReals || best_.centred) consider(numbers, hints, {.transform = kRaw});
  if (kind == ColumnKind::kTimes) consider(numbers, hints, {.transform = kLine});
  if (!hints.growth.empty()) consider_prediction(numbers, hints);
  const bool hinted = best_.transform == kDelta && !hints.buckets.empty();
  const unsigned flags = best_.transform | (best_.centred ? kCentred : 0U) | (decimal ? kDecimal : 0U) |
                         (hinted ? kHintedBuckets : 0U) | (best_.predicted ? kPredicted : 0U);
  sink.head.u8(static_cast<std::uint8_t>(flags));
  if (decimal) sink.head.u8(static_cast<std::uint8_t>(exponent));
  emit(numbers[0], hints, sink);
}

namespace {

struct ColumnHead {
  std::uint8_t flags = 0;
  unsigned exponent = 0;
  std::uint64_t first = 0;
  std::uint64_t slope = 0;
  std::uint64_t factor = 0;
  std::uint64_t shift = 0;
  std::uint64_t divisor = 1;
};

bool read_head(ByteReader& in, ColumnHead& head) {
  head.flags = in.u8();
  if (head.flags > kKnownBits) return false;
  const std::uint8_t transform = head.flags & kTransformMask;
  if (transform == kConstant) {
    head.first = in.varint();
    return in.ok() && head.flags == kConstant;
  }
  if ((head.flags & kDecimal) != 0) head.exponent = in.u8();
  if (transform != kRaw) head.first = in.varint();
  if (transform == kLine) head.slope = static_cast<std::uint64_t>(in.zigzag());
  if ((head.flags & kPredicted) != 0) head.factor = in.varint();
  head.shift = static_cast<std::uint64_t>(in.zigzag());
  head.divisor = in.varint();
  constexpr std::uint8_t kOfDeltas = kHintedBuckets | kPredicted;
  if ((head.flags & kOfDeltas) != 0 && transform != kDelta) return false;
  return in.ok() && head.exponent < kPowersOfTen.size();
}

/// Undoes division, sign and shift; wraps modulo 2^64 like the encoder.
void to_residuals(const ColumnHead& head, std::span<std::uint64_t> values) {
  const std::uint64_t shift = head.shift;
  const std::uint64_t divisor = head.divisor;
  if ((head.flags & kCentred) != 0) {
    for (std::uint64_t& v : values) v = unzigzag(v) * divisor + shift;
  } else if (divisor == 1) {
    for (std::uint64_t& v : values) v += shift;
  } else {
    for (std::uint64_t& v : values) v = v * divisor + shift;
  }
}

/// Tokens, then residuals; `coded` is the column without its first value unless that is coded too.
bool read_residuals(const ColumnHead& head, TokenReader& tokens, HintSource& hints,
                    std::span<std::uint64_t> coded) {
  if ((head.flags & kHintedBuckets) != 0) {
    const std::span<const std::uint8_t> buckets = hints.buckets();
    if (buckets.size() != coded.size() || !tokens.read(coded, buckets)) return false;
  } else if (!tokens.read(coded)) {
    return false;
  }
  to_residuals(head, coded);
  if ((head.flags & kPredicted) == 0) return true;
  const std::span<const std::uint64_t> growth = hints.growth();
  if (growth.size() != coded.size()) return false;
  for (std::size_t i = 0; i < coded.size(); ++i) coded[i] += head.factor * growth[i];
  return true;
}

}  // namespace

std::optional<std::uint64_t> decode_constant(ByteReader& head) {
  if (head.rest().empty() || static_cast<std::uint8_t>(head.rest().front()) != kConstant) return std::nullopt;
  static_cast<void>(head.u8());
  const std::uint64_t value = head.varint();
  return head.ok() ? std::optional(value) : std::nullopt;
}

bool decode_column(ByteReader& head_bytes, TokenReader& tokens, HintSource& hints,
                   std::span<std::uint64_t> out) {
  ColumnHead head;
  if (!read_head(head_bytes, head)) return false;
  const std::uint8_t transform = head.flags & kTransformMask;
  if (transform == kConstant) {
    std::fill(out.begin(), out.end(), head.first);
    return true;
  }
  const std::size_t skip = transform == kRaw ? 0 : 1;
  const std::span<std::uint64_t> coded = out.subspan(skip);
  if (!read_residuals(head, tokens, hints, coded)) return false;
  if (skip != 0) out[0] = head.first;
  if (transform == kDelta) {
    std::uint64_t value = head.first;
    for (std::uint64_t& v : coded) v = value += v;
  } else if (transform == kLine) {
    std::uint64_t line = head.first;
    for (std::uint64_t& v : coded) v += line += head.slope;
  }
  if ((head.flags & kDecimal) != 0) {
    for (std::uint64_t& v : out) v = std::bit_cast<std::uint64_t>(decimal_value(v, head.exponent));
  }
  return true;
}

}  // namespace laggard::archive
