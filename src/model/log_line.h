#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "model/event.h"

namespace laggard {

/// The kind of events that lines of logs are.
inline constexpr std::string_view kLogKind = "log";

/// The severities of syslog (RFC 5424 §6.2.1).
namespace severity {
inline constexpr int kEmergency = 0;
inline constexpr int kAlert = 1;
inline constexpr int kCritical = 2;
inline constexpr int kError = 3;
inline constexpr int kWarning = 4;
inline constexpr int kNotice = 5;
inline constexpr int kInformation = 6;
inline constexpr int kDebug = 7;
}  // namespace severity

/// A line of a log as it is kept: without the time and the names that stand before its text.
struct LogLine {
  WallTime time;
  std::string_view program;         ///< `kernel`, `ceph-osd`; empty where the log does not say.
  std::optional<std::int64_t> pid;  ///< Of the program.
  std::optional<int> severity;      ///< severity::kEmergency to kDebug.
  std::string_view text;
};

/// Puts lines into a table of the kind kLogKind, each as a template and its numbers: what differs between two
/// lines of one statement of a program is mostly numbers, and a dictionary that held each line would be as
/// large as the log. The template is what happened (`what`), the numbers are attributes `0`, `1`, …:
///
///     sd 2:0:0:0: [sdb] tag#12 FAILED   ->   sd <d>:<d>:<d>:<d>: [sdb] tag#<d> FAILED   2 0 0 0 12
///
/// `<d>` is a number without leading zeros, `<d4>` one of four digits, `<x8>` and `<X8>` eight hexadecimal
/// ones; `<<` is a `<` of the line. The line comes out of it (`LogLines`) as it went in, but for its end
/// where it is longer than kMostText; then the attribute `length` says how long it was.
class LogAppender {
 public:
  static constexpr std::size_t kMostText = 1900;   ///< Bytes; its template is never too long for a word.
  static constexpr std::size_t kMostNumbers = 64;  ///< Of one line; further ones stay in its template.

  /// \param table  outlives this.
  explicit LogAppender(EventTable& table) : table_(&table) {}
  /// False, and no line is added, when the table has no more room: then another one is begun.
  [[nodiscard]] bool append(const LogLine& line);

 private:
  /// One template and the numbers for it, reused from line to line.
  class Split;
  [[nodiscard]] std::optional<std::size_t> column(std::size_t number);
  void set(std::optional<std::size_t>& column, std::string_view key, std::int64_t value);

  EventTable* table_;
  std::string template_;
  std::array<std::uint64_t, kMostNumbers> numbers_{};
  std::array<std::optional<std::size_t>, kMostNumbers> columns_{};
  std::optional<std::size_t> program_;
  std::optional<std::size_t> pid_;
  std::optional<std::size_t> severity_;
  std::optional<std::size_t> length_;
};

/// Reads the lines of a table that LogAppender, or anybody, filled.
class LogLines {
 public:
  /// \param table  outlives this.
  explicit LogLines(const EventTable& table);

  /// The text of an event, its template with the numbers put in. Where one is missing the template shows.
  void text(std::size_t e, std::string& into) const;
  [[nodiscard]] std::string_view program(std::size_t e) const { return table_.word(program_, e); }
  [[nodiscard]] std::optional<int> severity(std::size_t e) const;

 private:
  const EventTable& table_;
  std::array<const AttributeColumn*, LogAppender::kMostNumbers> numbers_{};
  const AttributeColumn* program_ = nullptr;
  const AttributeColumn* severity_ = nullptr;
};

}  // namespace laggard
