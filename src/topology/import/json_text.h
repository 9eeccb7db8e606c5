#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "topology/import/saved_text.h"

namespace laggard::topology {

// Careful access to JSON that others wrote: what has another type is as good as absent.

/// Not of one line of JSON: a whole saved text. Errors carry file and line.
[[nodiscard]] Result<nlohmann::json> parse_json(const SavedText& file);

[[nodiscard]] std::optional<std::string> text_at(const nlohmann::json& object, const char* key);
[[nodiscard]] std::optional<double> number_at(const nlohmann::json& object, const char* key);
/// The list under a key; an empty one when there is none.
[[nodiscard]] const nlohmann::json& list_at(const nlohmann::json& object, const char* key);

}  // namespace laggard::topology
