#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/text.h"

/// Lines for a terminal of a given width.

namespace laggard::report {

/// Columns that `text` takes on a terminal: one for each code point. It must hold no escape sequences.
[[nodiscard]] std::size_t columns(std::string_view text);

enum class Ink : std::uint8_t { kPlain, kBold, kDim, kRed, kYellow, kGreen };

/// `text` between the escape sequences of `ink`; as it is when `colour` is off.
[[nodiscard]] std::string paint(std::string_view text, Ink ink, bool colour);

/// `text` broken at blanks into lines of at most `width` columns; a word that is longer gets a line of its
/// own rather than being cut, because names are copied from terminals.
[[nodiscard]] std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// A column of this importance is never left out.
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

/// How many items of a list to show: at most `limit`, or one more where that spares an "and 1 more".
inline std::size_t shown_of(std::size_t size, std::size_t limit) { return size <= limit + 1 ? size : limit; }

/// Builds the text of a report line by line.
class Page {
 public:
  static constexpr std::size_t kIndent = 2;
  static constexpr std::size_t kLabel = 13;  ///< "  or perhaps ": indent, label, blank.

  explicit Page(const TextOptions& options)
      : width_(std::max<std::size_t>(40, options.width)), colour_(options.colour) {}

  void blank() { out_ += '\n'; }
  void line(std::string_view text, std::size_t indent, Ink ink = Ink::kPlain) {
    out_.append(text.empty() ? 0 : indent, ' ');
    out_ += paint(text, ink, colour_);
    out_ += '\n';
  }
  void paragraph(std::string_view text, std::size_t indent, Ink ink = Ink::kPlain) {
    for (const std::string& piece : wrap(text, width_ - indent)) line(piece, indent, ink);
  }
  /// Writes `label` in front of the first line of `text` and indents the others as far; writes nothing when
  /// the text is empty.
  void labelled(std::string_view label, std::string_view text) {
    std::string front = std::string(kIndent, ' ') + std::string(label);
    front.resize(kLabel, ' ');
    for (const std::string& piece : wrap(text, width_ - kLabel)) {
      out_ += paint(front, Ink::kDim, colour_) + piece + '\n';
      front.assign(kLabel, ' ');
    }
  }
  void table(const Table& table, std::size_t indent) {
    Ink ink = Ink::kDim;
    for (const std::string& piece : table.lines(width_ - indent)) {
      line(piece, indent, ink);
      ink = Ink::kPlain;
    }
  }
  void bullet(std::string_view text) {
    std::string front = "  - ";
    for (const std::string& piece : wrap(text, width_ - front.size())) {
      out_ += front + piece + '\n';
      front.assign(front.size(), ' ');
    }
  }
  /// Says how many items a shortened list leaves out; writes nothing when it leaves out none.
  void rest(std::size_t count, std::size_t indent) {
    if (count > 0) paragraph(fmt::format("and {} more, which --json lists", count), indent, Ink::kDim);
  }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  std::size_t width_;
  bool colour_;
  std::string out_;
};

}  // namespace laggard::report
