#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "archive/block.h"
#include "model/sample_table.h"

namespace laggard::archive {

/// The union of the counters and devices of several tables or blocks, in the order of their first appearance.
class Union {
 public:
  /// \return the index of each of `devices` in the union.
  std::vector<std::size_t> add_devices(const std::vector<std::string>& devices);
  std::vector<std::size_t> add_counters(const std::vector<TableCounter>& counters);

  [[nodiscard]] const std::vector<std::string>& devices() const { return devices_; }
  [[nodiscard]] const std::vector<TableCounter>& counters() const { return counters_; }

 private:
  std::vector<std::string> devices_;
  std::map<std::string, std::size_t, std::less<>> device_index_;
  std::vector<TableCounter> counters_;
  std::map<std::string, std::size_t, std::less<>> counter_index_;
};

/// One table after the other, all of one host, kind and boot. Cells that a table lacks are missing.
[[nodiscard]] SampleTable concatenate(std::span<const SampleTable> tables);

/// Rows [begin, end).
[[nodiscard]] SampleTable slice(const SampleTable& table, std::size_t begin, std::size_t end);

/// The rows [begin, end). What is uniform stays so.
[[nodiscard]] SampleTable rows_between(const SampleTable& table, std::size_t begin, std::size_t end);

/// Rows for which keep[t] is not 0.
[[nodiscard]] SampleTable keep_rows(const SampleTable& table, std::span<const std::uint8_t> keep);

/// The table without the counters, devices and sample times that have no cell at all.
[[nodiscard]] SampleTable without_empty(const SampleTable& table);

}  // namespace laggard::archive
