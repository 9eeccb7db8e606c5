#include "topology/import/json_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace laggard::topology {

Result<nlohmann::json> parse_json(const SavedText& file) {
  try {
    return nlohmann::json::parse(file.text);
  } catch (const nlohmann::json::parse_error& error) {
    const auto end = file.text.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, file.text.size()));
    const auto line = 1 + std::count(file.text.begin(), end, '\n');
    return fail(ErrorCode::kBadInput, fmt::format("{}:{}", file.path, line), "is no JSON from here on");
  } catch (const nlohmann::json::exception&) {
    return fail(ErrorCode::kBadInput, file.path, "holds a number that JSON cannot have");
  }
}

std::optional<std::string> text_at(const nlohmann::json& object, const char* key) {
  if (!object.is_object()) return std::nullopt;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

std::optional<double> number_at(const nlohmann::json& object, const char* key) {
  if (!object.is_object()) return std::nullopt;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

const nlohmann::json& list_at(const nlohmann::json& object, const char* key) {
  static const nlohmann::json nothing = nlohmann::json::array();
  if (!object.is_object()) return nothing;
  const auto found = object.find(key);
  return found != object.end() && found->is_array() ? *found : nothing;
}

}  // namespace laggard::topology
