#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "report/layout.h"
#include "report/text.h"

namespace laggard::report {

/// How many of a list are shown: at most `limit`, but the last place is not given to "and 1 more".
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
  /// `label` in front of the first line of `text`, the others hanging below it. Nothing for empty text.
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
  /// What a shortened list leaves out; nothing when that is nothing.
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
