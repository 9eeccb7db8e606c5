#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "collect/import/prometheus/query.h"
#include "collect/import/sample_collector.h"
#include "model/exporter_names.h"

namespace laggard::collect {

/// Counters of a host that node_exporter gives by processor and mode (`node_cpu_seconds_total`) or by
/// controller of memory (`node_edac_…`): the series of a host that belong to one counter are added up at each
/// time of theirs.
///
/// One scrape has all series of a host at the same time; a processor that is taken away makes a sum smaller,
/// which is a counter's reset. So the samples of a stretch of time are gathered, and handed on once all its
/// series are there. Where one value is unreadable, the sum at that time is left out.
class HostSums {
 public:
  /// The names of the metrics, those since node_exporter 0.16.
  [[nodiscard]] static std::span<const std::string_view> metrics();

  /// Drops what was gathered but not handed on.
  void begin_stretch() { gathered_.clear(); }

  /// Whether the series belongs to a sum; its samples follow.
  [[nodiscard]] bool series(const Labels& labels, const std::string& host);
  /// False for a value that no counter can have.
  [[nodiscard]] bool sample(std::int64_t time_ms, std::string_view value);

  void hand_on(SampleCollector& collector);

  [[nodiscard]] std::size_t size() const { return columns_.size(); }

 private:
  using Key = std::pair<std::string, std::string_view>;  ///< A host and the name of a counter.
  struct Column {
    StreamId stream;
    ColumnId column;
  };

  std::map<Key, std::map<std::int64_t, std::optional<std::uint64_t>>> gathered_;  ///< By time in ms.
  std::map<Key, Column> columns_;
  std::map<std::int64_t, std::optional<std::uint64_t>>* sums_ = nullptr;  ///< Of the series being read.
  const ExportedCounter* exported_ = nullptr;
};

}  // namespace laggard::collect
