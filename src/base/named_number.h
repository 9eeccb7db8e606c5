#pragma once

// The numbers of a value struct by name, so that a command line can change them: `--set NAME=VALUE`. One
// table lists them; they are set, described and checked from it.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/error.h"
#include "base/text.h"

namespace laggard {

/// One number of an Object.
template <typename Object>
struct NamedNumber {
  std::string_view name;  ///< `latency.threshold-reads`
  std::string_view what;  ///< With its unit.
  double least;           ///< Bounds of what makes sense, both included.
  double most;
  double (*get)(const Object&);
  void (*set)(Object&, double);
};

namespace named_number_details {

template <auto First, auto... Rest, typename Value>
auto& follow(Value& value) {
  if constexpr (sizeof...(Rest) == 0) {
    return value.*First;
  } else {
    return follow<Rest...>(value.*First);
  }
}

template <typename Field>
struct IsDuration : std::false_type {};
template <typename Rep, typename Period>
struct IsDuration<std::chrono::duration<Rep, Period>> : std::true_type {};

template <typename Field>
double as_number(const Field& field) {
  if constexpr (IsDuration<Field>::value) {
    return std::chrono::duration<double, std::milli>(field).count();
  } else {
    return static_cast<double>(field);
  }
}

template <typename Field>
void assign(Field& field, double value) {
  if constexpr (IsDuration<Field>::value) {
    field = std::chrono::round<Field>(std::chrono::duration<double, std::milli>(value));
  } else {
    field = static_cast<Field>(value);
  }
}

}  // namespace named_number_details

/// A row of such a table, for the member that a path of member pointers leads to: named_number<Parameters,
/// &Parameters::kl, &KlPolicy::least>(...) stands for `parameters.kl.least`. Durations are numbers of
/// milliseconds, switches 0 and 1.
template <typename Object, auto... Path>
constexpr NamedNumber<Object> named_number(std::string_view name, std::string_view what, double least,
                                           double most) {
  namespace details = named_number_details;
  return {name,
          what,
          least,
          most,
          [](const Object& object) { return details::as_number(details::follow<Path...>(object)); },
          [](Object& object, double value) { details::assign(details::follow<Path...>(object), value); }};
}

/// `NAME=VALUE`, parsed.
struct NumberAssignment {
  std::string_view name;  ///< Into the text that was parsed.
  double value = 0;
};

/// \param example  a valid assignment, for the error message.
[[nodiscard]] inline Result<NumberAssignment> parse_assignment(std::string_view text,
                                                               std::string_view example) {
  const std::size_t equals = text.find('=');
  const auto value = equals == std::string_view::npos ? std::optional<double>{}
                                                      : to_number<double>(trim(text.substr(equals + 1)));
  if (!value || !std::isfinite(*value)) {
    return fail(ErrorCode::kBadUse, "--set",
                fmt::format("'{}' is not NAME=NUMBER such as {}", text, example));
  }
  return NumberAssignment{trim(text.substr(0, equals)), *value};
}

/// Sets the number that the assignment names. Refuses an unknown name and a value out of bounds.
/// \param list_option  the option that lists the names, for the error message.
template <typename Object>
[[nodiscard]] Status set_named(Object& object, std::span<const NamedNumber<Object>> table,
                               const NumberAssignment& assignment, std::string_view list_option) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const NamedNumber<Object>& number) {
    return number.name == assignment.name;
  });
  if (found == table.end()) {
    return fail(ErrorCode::kBadUse, "--set",
                fmt::format("no parameter is called '{}'; {} lists them", assignment.name, list_option));
  }
  if (assignment.value < found->least || assignment.value > found->most) {
    return fail(ErrorCode::kBadUse, "--set",
                fmt::format("{} must lie between {} and {}", found->name, found->least, found->most));
  }
  found->set(object, assignment.value);
  return {};
}

/// One line of the list: name, current value, meaning.
[[nodiscard]] inline std::string named_number_line(std::string_view name, double value,
                                                   std::string_view what) {
  return fmt::format("{:<26} {:>8.6g}  {}\n", name, value, what);
}

template <typename Object>
[[nodiscard]] std::string describe_named(const Object& object, std::span<const NamedNumber<Object>> table) {
  std::string text;
  for (const NamedNumber<Object>& number : table) {
    text += named_number_line(number.name, number.get(object), number.what);
  }
  return text;
}

}  // namespace laggard
