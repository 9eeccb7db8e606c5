#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "collect/import/csv/fields.h"
#include "collect/import/csv/layout.h"
#include "collect/import/line_reader.h"
#include "collect/import/sample_collector.h"

namespace laggard::collect {

/// Reads CSV files of one form into a collector (docs/formats/csv.md). Keeps what it learnt about columns
/// from file to file, so that many files of the same devices cost nothing extra.
class CsvReader {
 public:
  /// Called every `kPulse` lines.
  using Pulse = std::function<void(std::uint64_t lines)>;
  static constexpr std::uint64_t kPulse = 1U << 16U;

  CsvReader(CsvForm form, SampleCollector& collector) : form_(std::move(form)), collector_(collector) {}

  /// Whether the first line is a header of this form; must come first. Its error has no place yet.
  [[nodiscard]] Status read_header(LineReader& lines);

  /// The rest of the lines. Stops at the first bad one; what came before it has been collected. An error's
  /// place is `where:line`.
  /// \return   lines read, the header not counted.
  [[nodiscard]] Result<std::uint64_t> read_rows(LineReader& lines, const std::string& where,
                                                const Pulse& pulse = {});

  [[nodiscard]] const CsvLayout& layout() const { return layout_; }
  [[nodiscard]] std::optional<WallTime> first() const { return first_; }
  [[nodiscard]] std::optional<WallTime> last() const { return last_; }
  /// Counter names of the long form that the catalogue does not have, as kind/name.
  [[nodiscard]] const std::set<std::string>& unknown_counters() const { return unknown_; }

 private:
  /// Where a value goes: in the long form one per (host, kind, device, counter), in the wide form one per
  /// (host, device) with the columns of its values behind each other.
  struct Target {
    std::string text;  ///< What stands between the first comma and the last of a canonical long line.
    StreamId stream;
    std::vector<ColumnId> columns;
    CounterForm form = CounterForm::kGauge;
    std::size_t next = 0;  ///< The target that followed the last time: the likely next one.
  };

  [[nodiscard]] bool read_predicted(std::string_view line);
  [[nodiscard]] bool read_line(std::string_view line);
  [[nodiscard]] bool read_long();
  [[nodiscard]] bool read_wide();
  [[nodiscard]] bool set_time(std::string_view text);
  [[nodiscard]] bool store(const Target& target, std::size_t column, CounterForm form, std::string_view text);
  [[nodiscard]] bool complain(std::string what);
  [[nodiscard]] std::optional<std::size_t> find_long_target();
  [[nodiscard]] std::optional<std::size_t> find_wide_target();
  void follow(std::size_t target);

  CsvForm form_;
  SampleCollector& collector_;
  CsvLayout layout_;
  std::vector<std::string_view> fields_;
  std::string scratch_;
  std::string key_;
  std::string time_text_;
  WallTime time_;
  std::vector<Target> targets_;
  std::unordered_map<std::string, std::size_t> target_index_;
  std::size_t current_ = 0;
  std::optional<WallTime> first_;
  std::optional<WallTime> last_;
  std::set<std::string> unknown_;
  std::string complaint_;
};

}  // namespace laggard::collect
