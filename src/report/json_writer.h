#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace laggard::report {

/// Writes JSON in the order of the calls: same calls, same bytes. Numbers are the shortest that read back to
/// the same double (`to_chars`); NaN and the infinities, which JSON lacks, become null; what is no UTF-8
/// becomes U+FFFD.
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
