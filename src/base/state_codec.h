#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "base/number_runs.h"
#include "base/time.h"

namespace laggard {

/// What tells one kind of saved state from another.
struct StateFormat {
  std::string_view name;  ///< As an error calls it: `state of the engine`.
  std::uint64_t version = 1;
};

/// What the state of a class is. Here: the class says so itself; for a plain value that knows nothing of
/// states this is specialised beside whoever saves it.
template <class T>
struct StateOf {
  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    T::exchange(state, self);
  }
};

namespace detail {

template <class T>
inline constexpr bool kIsSequence = false;
template <class T>
inline constexpr bool kIsSequence<std::vector<T>> = true;
template <class T>
inline constexpr bool kIsSequence<std::deque<T>> = true;
template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

/// What runs are made of for a member of this type.
template <class T>
using RunNumber = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

template <class Member, class Struct>
Member member_type(Member Struct::*);

}  // namespace detail

/// Saves state. A class says once what its state is, for both directions:
///
///   template <class State, class Self>
///   static void exchange(State& state, Self& self) { state(self.count_, self.last_); }
///
/// StateWriter reads those members, StateReader overwrites them, in the same order; so saving and restoring
/// cannot disagree. What a member must be like stands in the same function (`require`).
class StateWriter {
 public:
  static constexpr bool kRestores = false;

  /// Numbers, truth values, moments, text, optionals, sequences of them, and classes that have `exchange`.
  template <class... Values>
  void operator()(const Values&... values) {
    (put(values), ...);
  }

  /// \param last  the largest one.
  template <class Enum>
  void enumerator(const Enum& value, [[maybe_unused]] Enum last) {
    out_.varint(static_cast<std::uint64_t>(value));
  }

  /// A vector of numbers, of which many are 0 or repeated. \param most  there can be.
  template <class Number>
  void numbers(const std::vector<Number>& values, std::size_t most) {
    LAGGARD_CHECK(values.size() <= most);
    out_.varint(values.size());
    put_number_runs(out_, std::span<const Number>(values));
  }

  /// Moments, at best at multiples of something and at equal distances.
  void times(const std::vector<WallTime>& values, std::size_t most) {
    std::vector<std::int64_t> steps;
    std::int64_t unit = 0;
    std::uint64_t last = 0;
    for (const WallTime t : values) {
      const auto now = static_cast<std::uint64_t>(to_unix_ns(t));
      steps.push_back(static_cast<std::int64_t>(now - std::exchange(last, now)));
      unit = steps.back() == std::numeric_limits<std::int64_t>::min() ? 1 : std::gcd(unit, steps.back());
    }
    unit = std::max<std::int64_t>(unit, 1);
    for (std::int64_t& step : steps) step /= unit;
    put(unit);
    numbers(steps, most);
  }

  /// Members of all structs of a sequence whose length is known, member by member.
  template <class Sequence, class... Members>
  void columns(const Sequence& structs, Members... members) {
    (put_column(structs, members), ...);
  }

  /// Classes whose number is known.
  template <class Sequence>
  void each(const Sequence& values) {
    for (const auto& value : values) put(value);
  }

  /// A promise of our own, on this side.
  void require(bool condition) const { LAGGARD_CHECK(condition); }
  [[nodiscard]] static constexpr bool ok() { return true; }

  [[nodiscard]] std::string take() { return out_.take(); }

 private:
  template <class T>
  void put(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      out_.u8(value ? 1 : 0);
    } else if constexpr (std::is_arithmetic_v<T>) {
      detail::put_number(out_, value);
    } else if constexpr (std::is_same_v<T, WallTime>) {
      out_.zigzag(to_unix_ns(value));
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      out_.text(value);
    } else if constexpr (detail::kIsOptional<T>) {
      out_.u8(value ? 1 : 0);
      if (value) put(*value);
    } else if constexpr (detail::kIsSequence<T>) {
      out_.varint(value.size());
      each(value);
    } else {
      StateOf<T>::exchange(*this, value);
    }
  }

  template <class Sequence, class Member>
  void put_column(const Sequence& structs, Member member) {
    std::vector<detail::RunNumber<decltype(detail::member_type(member))>> column;
    column.reserve(structs.size());
    for (const auto& one : structs) column.push_back(one.*member);
    put_number_runs(out_, std::span<const typename decltype(column)::value_type>(column));
  }

  ByteWriter out_;
};

/// Restores what a StateWriter saved, into objects that were made as those were. The first error sticks, what
/// is read after it is 0 or empty, and an object that was read so is to be thrown away. No count is believed
/// before as many bytes are there, or beyond what its reader said could be.
class StateReader {
 public:
  static constexpr bool kRestores = true;

  explicit StateReader(std::string_view bytes) : in_(bytes) {}

  template <class... Values>
  void operator()(Values&... values) {
    (take(values), ...);
  }

  template <class Enum>
  void enumerator(Enum& value, Enum last) {
    value = static_cast<Enum>(in_.count(static_cast<std::size_t>(last)));
  }

  template <class Number>
  void numbers(std::vector<Number>& values, std::size_t most) {
    values = take_number_runs<Number>(in_, in_.count(most));
  }

  void times(std::vector<WallTime>& values, std::size_t most) {
    std::int64_t unit = 0;
    take(unit);
    std::vector<std::int64_t> steps;
    numbers(steps, most);
    values.clear();
    std::uint64_t now = 0;
    for (const std::int64_t step : steps) {
      now += static_cast<std::uint64_t>(step) * static_cast<std::uint64_t>(unit);
      values.push_back(sensible(static_cast<std::int64_t>(now)));
    }
  }

  template <class Sequence, class... Members>
  void columns(Sequence& structs, Members... members) {
    (take_column(structs, members), ...);
  }

  template <class Sequence>
  void each(Sequence& values) {
    for (auto& value : values) take(value);
  }

  /// The state is damaged unless this holds.
  void require(bool condition) {
    if (!condition) in_.fail();
  }
  [[nodiscard]] bool ok() const { return in_.ok(); }
  /// Everything was read, and well.
  [[nodiscard]] bool complete() const { return in_.ok() && in_.rest().empty(); }

 private:
  /// Sums and differences of moments have to fit.
  [[nodiscard]] WallTime sensible(std::int64_t ns) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 2;
    const bool none = ns == to_unix_ns(WallTime::min());
    require(none || (ns >= -kMost && ns <= kMost));
    return in_.ok() ? from_unix_ns(ns) : WallTime{};
  }

  [[nodiscard]] bool flag() { return in_.count(1) == 1; }

  template <class T>
  void take(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      value = flag();
    } else if constexpr (std::is_arithmetic_v<T>) {
      value = detail::take_number<T>(in_);
    } else if constexpr (std::is_same_v<T, WallTime>) {
      value = sensible(in_.zigzag());
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = std::string(in_.text(in_.rest().size()));
    } else if constexpr (detail::kIsOptional<T>) {
      value.reset();
      if (flag()) take(value.emplace());
    } else if constexpr (detail::kIsSequence<T>) {
      value.clear();
      // Grown as they are read: each takes a byte at least.
      for (std::size_t left = in_.count(in_.rest().size()); left > 0 && in_.ok(); --left) {
        take(value.emplace_back());
      }
    } else {
      StateOf<T>::exchange(*this, value);
    }
  }

  template <class Sequence, class Member>
  void take_column(Sequence& structs, Member member) {
    using T = decltype(detail::member_type(member));
    const auto column = take_number_runs<detail::RunNumber<T>>(in_, structs.size());
    if (column.size() != structs.size()) return;
    if constexpr (std::is_same_v<T, bool>)
      require(std::ranges::all_of(column, [](auto x) { return x <= 1; }));
    for (std::size_t i = 0; i < column.size(); ++i) structs[i].*member = static_cast<T>(column[i]);
  }

  ByteReader in_;
};

namespace detail {
/// The bytes with their format before and their checksum behind them.
[[nodiscard]] std::string seal_state(const StateFormat& format, std::string_view bytes);
/// The bytes in between. Fails with one sentence when these are not, or are damaged.
[[nodiscard]] Result<std::string_view> open_state(const StateFormat& format, std::string_view sealed);
[[nodiscard]] Status check_state(const StateFormat& format, const StateReader& reader);
}  // namespace detail

/// The state of `object` as bytes, the same for the same state.
template <class T>
[[nodiscard]] std::string save_state(const StateFormat& format, const T& object) {
  StateWriter writer;
  writer(object);
  return detail::seal_state(format, writer.take());
}

/// kDamaged, kBadInput (another kind of state) or kTooNew; `object` is then to be thrown away.
template <class T>
[[nodiscard]] Status restore_state(const StateFormat& format, std::string_view sealed, T& object) {
  auto bytes = detail::open_state(format, sealed);
  if (!bytes) return forward(bytes);
  StateReader reader(*bytes);
  reader(object);
  return detail::check_state(format, reader);
}

}  // namespace laggard
