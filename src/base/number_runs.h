#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/bytes.h"

namespace laggard {

/// What a stretch of numbers is written as; the low bits of its length.
enum class NumberRun : std::uint8_t { kZeros, kRepeated, kLiteral };

namespace detail {

inline constexpr unsigned kRunBits = 2;
/// Shorter runs are not worth a stretch of their own.
inline constexpr std::size_t kLeastZeros = 2;
inline constexpr std::size_t kLeastRepeated = 3;

/// Doubles as all their bits, so that every NaN keeps its own; integers as short as they are.
template <class Number>
void put_number(ByteWriter& out, Number x) {
  if constexpr (std::is_same_v<Number, double>) {
    out.u64(std::bit_cast<std::uint64_t>(x));
  } else if constexpr (std::is_signed_v<Number>) {
    out.zigzag(x);
  } else {
    out.varint(x);
  }
}

template <class Number>
Number take_number(ByteReader& in) {
  if constexpr (std::is_same_v<Number, double>) {
    return std::bit_cast<double>(in.u64());
  } else {
    const auto wide = [&in] {
      if constexpr (std::is_signed_v<Number>) {
        return in.zigzag();
      } else {
        return in.varint();
      }
    }();
    if (std::in_range<Number>(wide)) return static_cast<Number>(wide);
    in.fail();
    return 0;
  }
}

template <class Number>
bool same_number(Number a, Number b) {
  if constexpr (std::is_same_v<Number, double>) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  } else {
    return a == b;
  }
}

inline void put_run(ByteWriter& out, std::size_t length, NumberRun kind) {
  out.varint((length << kRunBits) | static_cast<std::uint64_t>(kind));
}

template <class Number>
void put_literal(ByteWriter& out, std::span<const Number> numbers) {
  if (numbers.empty()) return;
  put_run(out, numbers.size(), NumberRun::kLiteral);
  for (const Number x : numbers) put_number(out, x);
}

}  // namespace detail

/// Appends numbers, of which many are 0 or equal to their neighbours: those cost next to nothing. How many
/// there are has to be known to whoever reads them.
template <class Number>
void put_number_runs(ByteWriter& out, std::span<const Number> numbers) {
  std::size_t pending = 0;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && detail::same_number(numbers[end], numbers[i])) ++end;
    const bool zero = detail::same_number(numbers[i], Number{});
    if (end - i >= (zero ? detail::kLeastZeros : detail::kLeastRepeated)) {
      detail::put_literal(out, numbers.subspan(pending, i - pending));
      detail::put_run(out, end - i, zero ? NumberRun::kZeros : NumberRun::kRepeated);
      if (!zero) detail::put_number(out, numbers[i]);
      pending = end;
    }
    i = end;
  }
  detail::put_literal(out, numbers.subspan(pending));
}

/// Reads `count` of them; fewer when the reader has failed.
template <class Number>
std::vector<Number> take_number_runs(ByteReader& in, std::size_t count) {
  std::vector<Number> numbers;
  numbers.reserve(count);
  while (in.ok() && numbers.size() < count) {
    const std::uint64_t head = in.varint();
    const std::uint64_t length = head >> detail::kRunBits;
    const std::uint64_t kind = head & ((1U << detail::kRunBits) - 1);
    if (length == 0 || length > count - numbers.size() ||
        kind > static_cast<std::uint64_t>(NumberRun::kLiteral)) {
      in.fail();
    } else if (kind == static_cast<std::uint64_t>(NumberRun::kLiteral)) {
      for (std::uint64_t i = 0; i < length && in.ok(); ++i) {
        numbers.push_back(detail::take_number<Number>(in));
      }
    } else {
      const bool zeros = kind == static_cast<std::uint64_t>(NumberRun::kZeros);
      numbers.insert(numbers.end(), length, zeros ? Number{} : detail::take_number<Number>(in));
    }
  }
  return numbers;
}

}  // namespace laggard
