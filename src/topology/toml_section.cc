#include "topology/toml_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/nearest_name.h"

namespace laggard::topology {

void Mistakes::add(std::uint32_t line, std::string what) {
  if (mistakes_.size() == kMost) {
    ++dropped_;
    return;
  }
  mistakes_.emplace_back(line, std::move(what));
}

std::vector<Error> Mistakes::take() {
  std::stable_sort(mistakes_.begin(), mistakes_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Error> out;
  out.reserve(mistakes_.size() + 1);
  for (auto& [line, what] : mistakes_) {
    std::string where = line == 0 ? path_ : fmt::format("{}:{}", path_, line);
    out.push_back({ErrorCode::kBadInput, std::move(where), std::move(what)});
  }
  if (dropped_ > 0) {
    out.push_back({ErrorCode::kBadInput, path_, fmt::format("{} more mistakes are not shown", dropped_)});
  }
  mistakes_.clear();
  return out;
}

std::uint32_t line_of(const toml::node& node) { return static_cast<std::uint32_t>(node.source().begin.line); }

void TomlSection::allow_only(std::initializer_list<std::string_view> keys) const {
  for (const auto& [key, value] : table_) {
    if (std::find(keys.begin(), keys.end(), key.str()) != keys.end()) continue;
    mistakes_.add(static_cast<std::uint32_t>(key.source().begin.line),
                  fmt::format("{} has no key '{}'{}", title_, key.str(), did_you_mean(key.str(), keys)));
  }
}

std::optional<TomlText> TomlSection::text(std::string_view key) const {
  const toml::node* node = table_.get(key);
  if (node == nullptr) return std::nullopt;
  if (const auto* value = node->as_string()) {
    if (!value->get().empty()) return TomlText{value->get(), line_of(*node)};
    mistakes_.add(line_of(*node), fmt::format("{}: '{}' is empty", title_, key));
    return std::nullopt;
  }
  mistakes_.add(line_of(*node), fmt::format("{}: '{}' must be a text in quotes", title_, key));
  return std::nullopt;
}

std::optional<TomlText> TomlSection::required_text(std::string_view key) const {
  if (!has(key)) mistakes_.add(line(), fmt::format("{} needs a '{}'", title_, key));
  return text(key);
}

std::vector<TomlText> TomlSection::texts_of(const toml::node& node, std::string_view key) const {
  if (const auto* value = node.as_string(); value != nullptr && !value->get().empty()) {
    return {{value->get(), line_of(node)}};
  }
  std::vector<TomlText> out;
  if (const toml::array* list = node.as_array(); list != nullptr && !list->empty()) {
    for (const toml::node& item : *list) {
      const auto* value = item.as_string();
      if (value == nullptr || value->get().empty()) {
        mistakes_.add(line_of(item), fmt::format("{}: '{}' must hold texts in quotes", title_, key));
        return {};
      }
      out.push_back({value->get(), line_of(item)});
    }
    return out;
  }
  mistakes_.add(line_of(node),
                fmt::format("{}: '{}' must be a text in quotes or a list of them", title_, key));
  return {};
}

std::vector<TomlText> TomlSection::texts(std::string_view key) const {
  const toml::node* node = table_.get(key);
  return node == nullptr ? std::vector<TomlText>{} : texts_of(*node, key);
}

bool TomlSection::flag(std::string_view key, bool otherwise) const {
  const toml::node* node = table_.get(key);
  if (node == nullptr) return otherwise;
  if (const auto* value = node->as_boolean()) return value->get();
  mistakes_.add(line_of(*node), fmt::format("{}: '{}' must be true or false", title_, key));
  return otherwise;
}

std::size_t TomlSection::choice(std::string_view key, std::initializer_list<std::string_view> words) const {
  const auto given = text(key);
  if (!given) return 0;
  const auto* const found = std::find(words.begin(), words.end(), given->value);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  mistakes_.add(given->line, fmt::format("{}: '{}' is '{}', but must be one of {}", title_, key, given->value,
                                         fmt::join(words, ", ")));
  return 0;
}

std::vector<std::pair<TomlText, std::vector<TomlText>>> TomlSection::entries(std::string_view key) const {
  std::vector<std::pair<TomlText, std::vector<TomlText>>> out;
  const toml::node* node = table_.get(key);
  const toml::table* table = node == nullptr ? nullptr : node->as_table();
  if (table == nullptr) return out;
  for (const auto& [name, value] : *table) {
    const auto line = static_cast<std::uint32_t>(name.source().begin.line);
    out.emplace_back(TomlText{std::string(name.str()), line}, texts_of(value, key));
  }
  return out;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> known) {
  const std::string_view nearest = nearest_name(word, known);
  return nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
}

}  // namespace laggard::topology
