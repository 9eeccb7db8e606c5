#include "lab/json_fields.h"

namespace laggard::lab {

const Json& member_of(const Json& object, const char* name) {
  static const Json none;
  const auto found = object.is_object() ? object.find(name) : object.end();
  return found == object.end() ? none : *found;
}

std::string text_of(const Json& object, const char* name) {
  const Json& member = member_of(object, name);
  return member.is_string() ? member.get<std::string>() : std::string();
}

std::set<std::string> texts_of(const Json& object, const char* name) {
  std::set<std::string> texts;
  for (const Json& element : member_of(object, name)) {
    if (element.is_string()) texts.insert(element.get<std::string>());
  }
  return texts;
}

std::optional<WallTime> time_of(const Json& object, const char* name) {
  auto parsed = parse_time(text_of(object, name));
  if (!parsed) return std::nullopt;
  return *parsed;
}

}  // namespace laggard::lab
