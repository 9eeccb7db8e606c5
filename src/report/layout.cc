#include "report/layout.h"

#include "base/error.h"
#include "base/terminal_text.h"
#include "base/text.h"

namespace laggard::report {

namespace {

constexpr std::size_t kBetween = 2;

std::string_view code(Ink ink) {
  switch (ink) {
    case Ink::kPlain:
      return "";
    case Ink::kBold:
      return "1";
    case Ink::kDim:
      return "2";
    case Ink::kRed:
      return "1;31";
    case Ink::kYellow:
      return "1;33";
    case Ink::kGreen:
      return "1;32";
  }
  return "";
}

std::size_t total(const std::vector<std::size_t>& widths) {
  std::size_t sum = 0;
  for (const std::size_t width : widths) sum += width == 0 ? 0 : width + kBetween;
  return sum == 0 ? 0 : sum - kBetween;
}

/// Index of the least important column that is still shown, the rightmost of equals.
std::size_t least_important(const std::vector<Column>& columns, const std::vector<std::size_t>& widths) {
  std::size_t least = columns.size();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (widths[i] == 0) continue;
    if (least == columns.size() || columns[i].importance <= columns[least].importance) least = i;
  }
  return least;
}

}  // namespace

std::size_t columns(std::string_view text) {
  std::size_t count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(first_code_point(text).bytes);
  return count;
}

std::string paint(std::string_view text, Ink ink, bool colour) {
  if (!colour || ink == Ink::kPlain || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code(ink), text);
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  std::size_t used = 0;
  for (std::string_view word = take_word(text); !word.empty(); word = take_word(text)) {
    const std::size_t needed = columns(word);
    if (!line.empty() && used + 1 + needed > width) {
      lines.push_back(std::move(line));
      line.clear();
      used = 0;
    }
    if (!line.empty()) {
      line += ' ';
      ++used;
    }
    line += word;
    used += needed;
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

void Table::add(std::vector<std::string> cells) {
  LAGGARD_CHECK(cells.size() == columns_.size());
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    for (const auto& row : rows_) widths[i] = std::max(widths[i], columns(row[i]));
    if (widths[i] > 0) widths[i] = std::max(widths[i], columns(columns_[i].title));
  }
  return widths;
}

std::vector<std::string> Table::lines(std::size_t width) const {
  std::vector<std::size_t> shown = widths();
  while (total(shown) > width) {
    const std::size_t least = least_important(columns_, shown);
    if (least == columns_.size() || columns_[least].importance >= kAlways) break;
    shown[least] = 0;
  }
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  std::vector<std::string> out;
  const auto put = [&](const std::vector<std::string>& cells) {
    std::string line;
    std::size_t owed = 0;  // blanks before the next cell; never written at the end of a line
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (shown[i] == 0) continue;
      const std::size_t fill = shown[i] - columns(cells[i]);
      const std::size_t before = columns_[i].right ? fill : 0;
      if (!cells[i].empty()) {
        line.append(owed + before, ' ').append(cells[i]);
        owed = kBetween + fill - before;
      } else {
        owed += shown[i] + kBetween;
      }
    }
    out.push_back(std::move(line));
  };
  put(titles);
  for (const auto& row : rows_) put(row);
  return out;
}

}  // namespace laggard::report
