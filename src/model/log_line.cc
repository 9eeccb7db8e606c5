#include "model/log_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"

namespace laggard {

namespace {

constexpr std::size_t kMostDecimals = 18;  ///< So many digits always fit into 64 bits with a sign.
constexpr std::size_t kMostHexadecimals = 16;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }
bool is_upper_hex(char c) { return is_digit(c) || (c >= 'A' && c <= 'F'); }
bool is_word(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::uint64_t value_of(std::string_view digits, unsigned base) {
  std::uint64_t value = 0;
  for (const char c : digits) {
    const int digit = is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10;
    value = base * value + static_cast<std::uint64_t>(digit);
  }
  return value;
}

/// The numbers of a template, put where they belong.
struct Placeholder {
  char form = 'd';
  std::size_t width = 0;   ///< 0: as many digits as it takes.
  std::size_t length = 0;  ///< Of `<d4>` in the template.
};

/// What stands at the beginning of `text`; nothing when it is no placeholder.
std::optional<Placeholder> placeholder_at(std::string_view text) {
  if (text.size() < 3 || text[0] != '<') return std::nullopt;
  Placeholder found{.form = text[1]};
  if (found.form != 'd' && found.form != 'x' && found.form != 'X') return std::nullopt;
  std::size_t i = 2;
  for (; i < text.size() && i < 4 && is_digit(text[i]); ++i) {
    found.width = 10 * found.width + static_cast<std::size_t>(text[i] - '0');
  }
  if (i == text.size() || text[i] != '>' || found.width > kMostDecimals) return std::nullopt;
  found.length = i + 1;
  return found;
}

void append_number(std::uint64_t bits, const Placeholder& place, std::string& into) {
  auto out = std::back_inserter(into);
  const std::size_t width = place.width;
  switch (place.form) {
    case 'x':
      fmt::format_to(out, "{:0{}x}", bits, width);
      return;
    case 'X':
      fmt::format_to(out, "{:0{}X}", bits, width);
      return;
    default:
      if (width == 0) {
        fmt::format_to(out, "{}", static_cast<std::int64_t>(bits));
      } else {
        fmt::format_to(out, "{:0{}}", static_cast<std::int64_t>(bits), width);
      }
  }
}

}  // namespace

/// Splits texts into a template and numbers.
class LogAppender::Split {
 public:
  Split(std::string& form, std::array<std::uint64_t, kMostNumbers>& numbers)
      : form_(form), numbers_(numbers) {}

  void text(std::string_view text) {
    form_.clear();
    count_ = 0;
    for (std::size_t i = 0; i < text.size();) {
      if (!is_word(text[i])) {
        form_.append(text[i] == '<' ? 2 : 1, text[i]);
        ++i;
        continue;
      }
      const std::size_t begin = i;
      while (i < text.size() && is_word(text[i])) ++i;
      word(text.substr(begin, i - begin));
    }
  }
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  /// A run of letters and digits.
  void word(std::string_view run) {
    if (std::ranges::none_of(run, is_digit)) {
      form_ += run;
    } else if (std::ranges::all_of(run, is_digit)) {
      decimal(run);
    } else if (std::ranges::all_of(run, is_lower_hex)) {
      hexadecimal(run, 'x');
    } else if (std::ranges::all_of(run, is_upper_hex)) {
      hexadecimal(run, 'X');
    } else if (run.starts_with("0x") && std::ranges::all_of(run.substr(2), is_lower_hex)) {
      form_ += "0x";
      hexadecimal(run.substr(2), 'x');
    } else {
      mixed(run);
    }
  }

  /// A name with digits in it: `OST0003`.
  void mixed(std::string_view run) {
    for (std::size_t i = 0; i < run.size();) {
      const std::size_t begin = i;
      const bool digits = is_digit(run[i]);
      while (i < run.size() && is_digit(run[i]) == digits) ++i;
      const std::string_view piece = run.substr(begin, i - begin);
      if (digits) {
        decimal(piece);
      } else {
        form_ += piece;
      }
    }
  }

  void decimal(std::string_view digits) {
    while (!digits.empty()) {
      const std::string_view piece = digits.substr(0, kMostDecimals);
      const bool plain = piece.size() == digits.size() && (piece.size() == 1 || piece.front() != '0');
      put(piece, 'd', plain ? 0 : piece.size(), 10);
      digits.remove_prefix(piece.size());
    }
  }

  void hexadecimal(std::string_view digits, char form) {
    while (!digits.empty()) {
      const std::string_view piece = digits.substr(0, kMostHexadecimals);
      put(piece, form, piece.size(), 16);
      digits.remove_prefix(piece.size());
    }
  }

  void put(std::string_view digits, char form, std::size_t width, unsigned base) {
    if (count_ == kMostNumbers) {
      form_ += digits;
      return;
    }
    numbers_[count_++] = value_of(digits, base);
    form_ += '<';
    form_ += form;
    if (width > 0) fmt::format_to(std::back_inserter(form_), "{}", width);
    form_ += '>';
  }

  std::string& form_;
  std::array<std::uint64_t, kMostNumbers>& numbers_;
  std::size_t count_ = 0;
};

std::optional<std::size_t> LogAppender::column(std::size_t number) {
  std::optional<std::size_t>& known = columns_[number];
  if (!known) known = table_->attribute(std::to_string(number), AttributeForm::kInteger);
  return known;
}

void LogAppender::set(std::optional<std::size_t>& column, std::string_view key, std::int64_t value) {
  if (!column) column = table_->attribute(key, AttributeForm::kInteger);
  if (column) table_->set(*column, value);
}

bool LogAppender::append(const LogLine& line) {
  Split split(template_, numbers_);
  split.text(line.text.substr(0, kMostText));
  const auto what = table_->intern(template_);
  const auto program = table_->intern(line.program.substr(0, Dictionary::kLongestWord));
  if (!what || !program) return false;
  table_->append({.time = line.time, .duration = {}, .subject = kNoWord, .what = *what});
  for (std::size_t n = 0; n < split.count(); ++n) {
    if (const auto at = column(n)) table_->set_bits(*at, numbers_[n]);
  }
  if (!program_) program_ = table_->attribute("program", AttributeForm::kWord);
  if (program_ && !line.program.empty()) table_->set(*program_, *program);
  if (line.pid) set(pid_, "pid", *line.pid);
  if (line.severity) set(severity_, "severity", *line.severity);
  if (line.text.size() > kMostText) set(length_, "length", static_cast<std::int64_t>(line.text.size()));
  return true;
}

LogLines::LogLines(const EventTable& table)
    : table_(table),
      program_(table.find_attribute("program", AttributeForm::kWord)),
      severity_(table.find_attribute("severity", AttributeForm::kInteger)) {
  for (const AttributeColumn& column : table.attributes()) {
    const auto number = to_number<std::size_t>(column.key);
    if (column.form == AttributeForm::kInteger && number && *number < numbers_.size()) {
      numbers_[*number] = &column;
    }
  }
}

void LogLines::text(std::size_t e, std::string& into) const {
  into.clear();
  std::string_view form = table_.words().text(table_.whats()[e]);
  std::size_t number = 0;
  while (!form.empty()) {
    const std::size_t literal = std::min(form.find('<'), form.size());
    into += form.substr(0, literal);
    form.remove_prefix(literal);
    if (form.empty()) return;
    const std::optional<Placeholder> place = placeholder_at(form);
    if (!place) {
      into += '<';
      form.remove_prefix(form.starts_with("<<") ? 2 : 1);
      continue;
    }
    const AttributeColumn* column = number < numbers_.size() ? numbers_[number] : nullptr;
    ++number;
    if (const auto bits = column == nullptr ? std::nullopt : column->bits(e)) {
      append_number(*bits, *place, into);
    } else {
      into += form.substr(0, place->length);
    }
    form.remove_prefix(place->length);
  }
}

std::optional<int> LogLines::severity(std::size_t e) const {
  const auto bits = severity_ == nullptr ? std::nullopt : severity_->bits(e);
  if (!bits || *bits > severity::kDebug) return std::nullopt;
  return static_cast<int>(*bits);
}

}  // namespace laggard
