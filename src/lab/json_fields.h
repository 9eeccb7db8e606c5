#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "base/time.h"

/// Members of JSON objects that may be missing or of another type than expected: scoring reads files that
/// anybody may have edited.
namespace laggard::lab {

using Json = nlohmann::json;

/// The member, or null: iterating over null is iterating over nothing.
[[nodiscard]] inline const Json& member_of(const Json& object, const char* name) {
  static const Json none;
  const auto found = object.is_object() ? object.find(name) : object.end();
  return found == object.end() ? none : *found;
}

/// Empty when it is missing or not a string.
[[nodiscard]] inline std::string text_of(const Json& object, const char* name) {
  const Json& member = member_of(object, name);
  return member.is_string() ? member.get<std::string>() : std::string();
}

/// The strings of a list; other elements are ignored.
[[nodiscard]] inline std::set<std::string> texts_of(const Json& object, const char* name) {
  std::set<std::string> texts;
  for (const Json& element : member_of(object, name)) {
    if (element.is_string()) texts.insert(element.get<std::string>());
  }
  return texts;
}

/// Nothing when it is missing or not an ISO 8601 time.
[[nodiscard]] inline std::optional<WallTime> time_of(const Json& object, const char* name) {
  auto parsed = parse_time(text_of(object, name));
  if (!parsed) return std::nullopt;
  return *parsed;
}

}  // namespace laggard::lab
