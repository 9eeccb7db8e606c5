#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace laggard::topology {

// Names and positions as a system file writes them: node sets, templates with placeholders, lists.

/// What a placeholder stands for: {"array", "ddn6"}.
struct Binding {
  std::string_view placeholder;
  std::string_view name;
};

/// Fills the placeholders of a template: `{array}` is the name, `{array#}` the last number in it without
/// leading zeros, `{array#2}` that number padded to two digits. Unknown placeholders and names without a
/// number are errors, which name no place.
[[nodiscard]] Result<std::string> fill_template(std::string_view text, std::span<const Binding> bindings);

/// Expands the node sets of one file and counts the names, so that a file of a few lines cannot ask for more
/// names than memory holds.
class NameExpander {
 public:
  explicit NameExpander(std::size_t max_names) : left_(max_names) {}

  /// Counts `n` more names. \return false when there are too many.
  [[nodiscard]] bool charge(std::size_t n);

  [[nodiscard]] Result<std::vector<std::string>> expand(std::string_view text);

  /// For a key in the plural: each owner gets the whole set, filled in for it where it has placeholders. With
  /// a trailing ` by K` the names are dealt out in runs of K: `fs[1-128] by 8` gives the first owner fs1 to
  /// fs8.
  [[nodiscard]] Result<std::vector<std::vector<std::string>>> expand_each(
      std::string_view text, std::string_view placeholder, std::span<const std::string> owners);

  /// For a key in the singular: one name for each owner. As many names as owners are paired in order, a
  /// single one goes to every owner, and placeholders are filled in for each.
  [[nodiscard]] Result<std::vector<std::string>> expand_one_each(std::string_view text,
                                                                 std::string_view placeholder,
                                                                 std::span<const std::string> owners);

 private:
  std::size_t left_;
};

/// Reads positions in a list of `count`, such as `1-4,7` counted from 1, as indices counted from 0. Positions
/// beyond the list and repeated ones are errors.
[[nodiscard]] Result<std::vector<std::uint32_t>> parse_positions(std::string_view text, std::size_t count);

}  // namespace laggard::topology
