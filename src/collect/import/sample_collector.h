#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "base/id.h"
#include "base/time.h"
#include "model/sample_table.h"
#include "model/series_source.h"

namespace laggard::collect {

using StreamId = Id<struct ImportStreamTag>;  ///< One host, kind and boot.
using ColumnId = Id<struct ImportColumnTag>;  ///< One (device, counter) of a stream.

/// Assembles single values that arrive in any order into tables, in bounded memory.
///
/// Values are kept in memory until `full()`; then, or at the end, they go to the sink as tables sorted by
/// time. A value for a time and column that is still in memory replaces the earlier one (a repeated time
/// keeps the latest record). Values for a time that has already gone to the sink form another table, which a
/// merging sink (the archive) puts in place: a bad order costs speed but never a value.
class SampleCollector {
 public:
  struct Limits {
    std::size_t cells = 8U << 20U;        ///< Values in memory; 16 bytes each.
    std::size_t rows_per_table = 3600;    ///< Sample times of one table.
    std::size_t table_cells = 1U << 20U;  ///< Cells of one table, missing ones included.
  };

  explicit SampleCollector(TableSink& sink) : SampleCollector(sink, Limits{}) {}
  SampleCollector(TableSink& sink, Limits limits) : sink_(sink), limits_(limits) {}

  StreamId stream(std::string_view host, DeviceKind kind, std::string_view boot = {});
  ColumnId column(StreamId stream, std::string_view device, const TableCounter& counter);

  /// `bits` as in SampleTable: an unsigned integer or the bits of a double.
  void add(StreamId stream, ColumnId column, WallTime time, std::uint64_t bits);

  [[nodiscard]] bool full() const { return cells_ >= limits_.cells; }

  /// Gives the sink all values except those of the newest time of each stream, which may still be incomplete.
  [[nodiscard]] Status flush_older() { return flush(true); }
  [[nodiscard]] Status flush_all() { return flush(false); }

  [[nodiscard]] std::uint64_t values() const { return values_; }  ///< Added so far.
  [[nodiscard]] std::size_t streams() const { return streams_.size(); }

 private:
  struct Cell {
    std::uint32_t row;
    std::uint32_t column;
    std::uint64_t bits;
  };
  struct Column {
    std::uint32_t device;
    std::uint32_t counter;
  };
  struct Stream {
    std::string host;
    DeviceKind kind = DeviceKind::kDisk;
    std::string boot;
    std::vector<std::string> devices;
    std::vector<TableCounter> counters;
    std::vector<Column> columns;
    std::map<std::string, std::uint32_t, std::less<>> device_index;
    std::map<std::pair<std::string, CounterForm>, std::uint32_t> counter_index;
    std::map<std::pair<std::uint32_t, std::uint32_t>, ColumnId> column_index;
    std::vector<WallTime> times;  ///< Row -> time, in the order of arrival.
    std::unordered_map<std::int64_t, std::uint32_t> row_of_time;
    std::uint32_t last_row = 0;
    std::vector<Cell> cells;  ///< In the order of arrival.
  };

  static std::uint32_t row_at(Stream& stream, WallTime time);
  [[nodiscard]] Status flush(bool keep_newest);
  [[nodiscard]] Status flush_stream(Stream& stream, bool keep_newest);
  [[nodiscard]] Status append_table(const Stream& stream, const std::vector<WallTime>& times,
                                    const std::vector<Cell>& cells);

  TableSink& sink_;
  Limits limits_;
  std::vector<Stream> streams_;
  std::map<std::tuple<std::string, DeviceKind, std::string>, StreamId> stream_index_;
  std::size_t cells_ = 0;
  std::uint64_t values_ = 0;
};

}  // namespace laggard::collect
