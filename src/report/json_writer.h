#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace laggard::report {

/// Writes JSON in the order of the calls: the same calls give the same bytes. Numbers are the shortest that
/// read back to the same double (`to_chars`); NaN and the infinities, which JSON lacks, become null; bytes
/// that are not UTF-8 become U+FFFD, and what a terminal would obey is escaped.
///
/// It is our own because a library's is slower and cannot write this: nlohmann-json, which we read JSON with,
/// first builds the whole document, writes 9 as 9.0 and puts every value of a list on a line of its own.
///
/// The caller keeps the grammar: inside an object `key` comes before every value, and begin and end pair up.
class JsonWriter {
 public:
  enum class Style : std::uint8_t {
    kReadable,  ///< A line per object member and object; lists of plain values stay on one line.
    kCompact,   ///< One line.
    kScript,    ///< One line, and `<`, `>`, `&` escaped, so that no text can end the <script> it is in.
  };
  explicit JsonWriter(Style style) : style_(style) {}

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_list() { open('['); }
  void end_list() { close(']'); }
  void key(std::string_view name);

  void text(std::string_view value);
  void number(double value);
  void number(float value);  ///< The shortest that reads back to the same float.
  void integer(std::int64_t value);
  void boolean(bool value);
  void null();

  void member(std::string_view name, std::string_view value);
  void member(std::string_view name, double value);
  void member(std::string_view name, const std::optional<double>& value);
  void integer_member(std::string_view name, std::int64_t value);
  void member(std::string_view name, WallTime value);
  void member(std::string_view name, const std::optional<WallTime>& value);
  void member(std::string_view name, std::span<const std::string> values);
  void member(std::string_view name, std::span<const WallTime> values);

  /// A list whose items `write(item)` writes.
  template <typename Items, typename Write>
  void list(std::string_view name, const Items& items, Write write) {
    key(name);
    begin_list();
    for (const auto& item : items) write(item);
    end_list();
  }

  /// The document. The writer is empty afterwards.
  [[nodiscard]] std::string take();

 private:
  struct Level {
    bool empty = true;
    bool inline_list = true;  ///< A list that so far holds plain values only.
    bool is_list = false;
  };
  void open(char bracket);
  void close(char bracket);
  void before_value(bool composite);
  void new_line();
  void append_quoted(std::string_view value);
  void append_code_point(char32_t value, std::string_view bytes);

  Style style_;
  std::string out_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

}  // namespace laggard::report
