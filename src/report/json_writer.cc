#include "report/json_writer.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "base/error.h"
#include "base/terminal_text.h"

namespace laggard::report {

namespace {

template <typename Number>
void append_number(std::string& out, Number value) {
  std::array<char, 40> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  LAGGARD_CHECK(error == std::errc{});
  out.append(buffer.data(), end);
}

}  // namespace

void JsonWriter::new_line() {
  if (style_ != Style::kReadable) return;
  out_ += '\n';
  out_.append(2 * levels_.size(), ' ');
}

void JsonWriter::before_value(bool composite) {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  Level& level = levels_.back();
  if (!level.empty) out_ += ',';
  if (composite) level.inline_list = false;
  if (!level.inline_list) {
    new_line();
  } else if (!level.empty && style_ == Style::kReadable) {
    out_ += ' ';
  }
  level.empty = false;
}

void JsonWriter::open(char bracket) {
  before_value(true);
  out_ += bracket;
  levels_.push_back({.empty = true, .inline_list = true, .is_list = bracket == '['});
}

void JsonWriter::close(char bracket) {
  LAGGARD_CHECK(!levels_.empty() && levels_.back().is_list == (bracket == ']') && !after_key_);
  const Level level = levels_.back();
  levels_.pop_back();
  if (!level.empty && !(level.is_list && level.inline_list)) new_line();
  out_ += bracket;
}

void JsonWriter::key(std::string_view name) {
  LAGGARD_CHECK(!levels_.empty() && !levels_.back().is_list && !after_key_);
  if (!levels_.back().empty) out_ += ',';
  levels_.back().empty = false;
  new_line();
  append_quoted(name);
  out_ += style_ == Style::kReadable ? ": " : ":";
  after_key_ = true;
}

void JsonWriter::append_code_point(char32_t value, std::string_view bytes) {
  const bool markup = style_ == Style::kScript && (value == '<' || value == '>' || value == '&');
  if (value == '"' || value == '\\') {
    out_ += '\\';
    out_ += bytes;
  } else if (value == '\n') {
    out_ += "\\n";
  } else if (value == '\t') {
    out_ += "\\t";
  } else if (value == '\r') {
    out_ += "\\r";
  } else if (markup || is_unprintable(value)) {
    out_ += fmt::format("\\u{:04x}", static_cast<unsigned>(value));
  } else {
    out_ += bytes;
  }
}

void JsonWriter::append_quoted(std::string_view value) {
  out_ += '"';
  while (!value.empty()) {
    const CodePoint point = first_code_point(value);
    if (point.valid) {
      append_code_point(point.value, value.substr(0, point.bytes));
    } else {
      out_ += "\xEF\xBF\xBD";
    }
    value.remove_prefix(point.bytes);
  }
  out_ += '"';
}

void JsonWriter::text(std::string_view value) {
  before_value(false);
  append_quoted(value);
}

void JsonWriter::number(double value) {
  if (!std::isfinite(value)) return null();
  before_value(false);
  append_number(out_, value);
}

void JsonWriter::number(float value) {
  if (!std::isfinite(value)) return null();
  before_value(false);
  append_number(out_, value);
}

void JsonWriter::integer(std::int64_t value) {
  before_value(false);
  append_number(out_, value);
}

void JsonWriter::boolean(bool value) {
  before_value(false);
  out_ += value ? "true" : "false";
}

void JsonWriter::null() {
  before_value(false);
  out_ += "null";
}

void JsonWriter::member(std::string_view name, std::string_view value) {
  key(name);
  text(value);
}

void JsonWriter::member(std::string_view name, double value) {
  key(name);
  number(value);
}

void JsonWriter::member(std::string_view name, const std::optional<double>& value) {
  key(name);
  value ? number(*value) : null();
}

void JsonWriter::integer_member(std::string_view name, std::int64_t value) {
  key(name);
  integer(value);
}

void JsonWriter::member(std::string_view name, WallTime value) { member(name, to_iso8601(value)); }

void JsonWriter::member(std::string_view name, const std::optional<WallTime>& value) {
  key(name);
  value ? text(to_iso8601(*value)) : null();
}

void JsonWriter::member(std::string_view name, std::span<const std::string> values) {
  list(name, values, [&](const std::string& value) { text(value); });
}

void JsonWriter::member(std::string_view name, std::span<const WallTime> values) {
  list(name, values, [&](WallTime value) { text(to_iso8601(value)); });
}

std::string JsonWriter::take() {
  LAGGARD_CHECK(levels_.empty());
  if (style_ == Style::kReadable) out_ += '\n';
  return std::exchange(out_, {});
}

}  // namespace laggard::report
