#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "collect/import/csv/format.h"
#include "collect/import/line_reader.h"
#include "collect/import/sample_collector.h"

namespace laggard::collect {

/// Reads CSV files of one form into a collector (docs/formats/csv.md). Remembers devices and columns from
/// file to file, so that many files of the same devices cost nothing extra.
class CsvReader {
 public:
  /// Called every `kPulse` lines.
  using Pulse = std::function<void(std::uint64_t lines)>;
  static constexpr std::uint64_t kPulse = 1U << 16U;

  CsvReader(CsvForm form, SampleCollector& collector) : form_(std::move(form)), collector_(collector) {}

  /// Reads the first line, which must be a header of this form. Call it first; the caller adds the place to
  /// an error.
  [[nodiscard]] Status read_header(LineReader& lines);

  /// Reads the other lines. Stops at the first bad one; the lines before it have been collected. The place of
  /// an error is `where:line`. \return   lines read, the header not counted.
  [[nodiscard]] Result<std::uint64_t> read_rows(LineReader& lines, const std::string& where,
                                                const Pulse& pulse = {});

  [[nodiscard]] const CsvLayout& layout() const { return layout_; }
  [[nodiscard]] std::optional<WallTime> first() const { return first_; }
  [[nodiscard]] std::optional<WallTime> last() const { return last_; }
  /// Counter names of the long form that are not in the catalogue, as kind/name.
  [[nodiscard]] const std::set<std::string>& unknown_counters() const { return unknown_; }

 private:
  /// Where a value goes: in the long form one target per (host, kind, device, counter), in the wide form one
  /// per (host, device) with a column for each of its values.
  struct Target {
    std::string text;  ///< The text between the first comma and the last of a canonical long line.
    StreamId stream;
    std::vector<ColumnId> columns;
    CounterForm form = CounterForm::kComputedRate;
    std::size_t next = 0;  ///< The target that followed this one last time: the likely next one.
  };

  [[nodiscard]] bool read_predicted(std::string_view line);
  [[nodiscard]] bool read_line(std::string_view line);
  [[nodiscard]] bool read_long();
  [[nodiscard]] bool read_wide();
  [[nodiscard]] bool set_time(std::string_view text);
  /// Of one value of a line.
  struct Place {
    std::size_t column = 0;
    CounterForm form = CounterForm::kComputedRate;
    double scale = 1;
  };
  [[nodiscard]] bool store(const Target& target, const Place& place, std::string_view text);
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
