#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "base/time.h"

/// Members of JSON objects that may be missing or of another type than expected: what scoring reads were
/// files that anybody could have edited.
namespace laggard::lab {

using Json = nlohmann::json;

/// The member, or null: iterating over null is iterating over nothing.
[[nodiscard]] const Json& member_of(const Json& object, const char* name);
[[nodiscard]] std::string text_of(const Json& object, const char* name);
[[nodiscard]] std::set<std::string> texts_of(const Json& object, const char* name);
[[nodiscard]] std::optional<WallTime> time_of(const Json& object, const char* name);

}  // namespace laggard::lab
