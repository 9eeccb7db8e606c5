#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Lines for a terminal of a given width.
namespace laggard::report {

enum class Ink : std::uint8_t { kPlain, kBold, kDim, kRed, kYellow, kGreen };

/// `text` between the escape sequences of `ink`; as it is when `colour` is off.
[[nodiscard]] std::string paint(std::string_view text, Ink ink, bool colour);

/// `text` broken at blanks into lines of at most `width` columns; a word that is longer gets a line of its
/// own rather than being cut, because names are copied from terminals.
[[nodiscard]] std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// The importance of what is never left out.
inline constexpr int kAlways = 100;

struct Column {
  std::string title;
  bool right = false;
  int importance = 0;  ///< When the table is too wide, the least important columns go first.
};

/// A table whose columns are as wide as they need to be. Columns with no text in any row are left out.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// \param cells one per column, no escape sequences in them.
  void add(std::vector<std::string> cells);
  /// The title line and a line per row, none wider than `width` as long as dropping columns helps.
  [[nodiscard]] std::vector<std::string> lines(std::size_t width) const;

 private:
  [[nodiscard]] std::vector<std::size_t> widths() const;
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace laggard::report
