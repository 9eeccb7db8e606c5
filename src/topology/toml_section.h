#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace laggard::topology {

/// The mistakes in one file. Only the first hundred are kept: nobody reads the thousandth.
class Mistakes {
 public:
  explicit Mistakes(std::string path) : path_(std::move(path)) {}

  void add(std::uint32_t line, std::string what);
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::vector<Error> take();

 private:
  static constexpr std::size_t kMost = 100;
  std::string path_;
  std::vector<std::pair<std::uint32_t, std::string>> mistakes_;
  std::size_t dropped_ = 0;
};

/// A string in the file and its line.
struct TomlText {
  std::string value;
  std::uint32_t line = 0;
};

[[nodiscard]] std::uint32_t line_of(const toml::node& node);

/// One table of the file. A value of the wrong type is noted as a mistake and then treated as absent.
class TomlSection {
 public:
  TomlSection(const toml::table& table, std::string title, Mistakes& mistakes)
      : table_(table), title_(std::move(title)), mistakes_(mistakes) {}

  /// Notes every key that is not among these, and suggests the one that was probably meant.
  void allow_only(std::initializer_list<std::string_view> keys) const;

  [[nodiscard]] std::uint32_t line() const { return line_of(table_); }
  [[nodiscard]] std::optional<TomlText> text(std::string_view key) const;
  [[nodiscard]] std::optional<TomlText> required_text(std::string_view key) const;
  /// One string, or a list of them.
  [[nodiscard]] std::vector<TomlText> texts(std::string_view key) const;
  [[nodiscard]] bool flag(std::string_view key, bool otherwise) const;
  /// One of `words`; the first when the key is absent or wrong.
  [[nodiscard]] std::size_t choice(std::string_view key, std::initializer_list<std::string_view> words) const;
  /// The entries of the table under `key`; empty unless it is a table.
  [[nodiscard]] std::vector<std::pair<TomlText, std::vector<TomlText>>> entries(std::string_view key) const;
  [[nodiscard]] bool has(std::string_view key) const { return table_.contains(key); }
  [[nodiscard]] bool is_table(std::string_view key) const {
    const toml::node* node = table_.get(key);
    return node != nullptr && node->is_table();
  }
  [[nodiscard]] const std::string& title() const { return title_; }

 private:
  [[nodiscard]] std::vector<TomlText> texts_of(const toml::node& node, std::string_view key) const;

  const toml::table& table_;
  std::string title_;
  Mistakes& mistakes_;
};

/// `; did you mean 'device'?` for the known word nearest to a misspelt one (base/nearest_name.h), or an empty
/// string when none is near.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string_view> known);

}  // namespace laggard::topology
