#include "collect/import/prometheus/metric_names.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"

namespace laggard::collect {

namespace {

constexpr auto kDisk = DeviceKind::kDisk;
constexpr auto kNet = DeviceKind::kNet;
constexpr double kMs = 1000;
constexpr double kSector = 512;

constexpr std::array kExported{
    ExportedCounter{"node_disk_reads_completed_total", kDisk, "rd_ios"},
    ExportedCounter{"node_disk_reads_merged_total", kDisk, "rd_merges"},
    ExportedCounter{"node_disk_read_bytes_total", kDisk, "rd_sectors", 1, kSector},
    ExportedCounter{"node_disk_read_time_seconds_total", kDisk, "rd_ms", kMs},
    ExportedCounter{"node_disk_writes_completed_total", kDisk, "wr_ios"},
    ExportedCounter{"node_disk_writes_merged_total", kDisk, "wr_merges"},
    ExportedCounter{"node_disk_written_bytes_total", kDisk, "wr_sectors", 1, kSector},
    ExportedCounter{"node_disk_write_time_seconds_total", kDisk, "wr_ms", kMs},
    ExportedCounter{"node_disk_io_now", kDisk, "in_flight"},
    ExportedCounter{"node_disk_io_time_seconds_total", kDisk, "io_ms", kMs},
    ExportedCounter{"node_disk_io_time_weighted_seconds_total", kDisk, "weighted_ms", kMs},
    ExportedCounter{"node_disk_discards_completed_total", kDisk, "dc_ios"},
    ExportedCounter{"node_disk_discards_merged_total", kDisk, "dc_merges"},
    ExportedCounter{"node_disk_discarded_sectors_total", kDisk, "dc_sectors"},
    ExportedCounter{"node_disk_discard_time_seconds_total", kDisk, "dc_ms", kMs},
    ExportedCounter{"node_disk_flush_requests_total", kDisk, "fl_ios"},
    ExportedCounter{"node_disk_flush_requests_time_seconds_total", kDisk, "fl_ms", kMs},
    ExportedCounter{"node_network_receive_bytes_total", kNet, "rx_bytes"},
    ExportedCounter{"node_network_receive_packets_total", kNet, "rx_packets"},
    ExportedCounter{"node_network_receive_errs_total", kNet, "rx_errors"},
    ExportedCounter{"node_network_receive_drop_total", kNet, "rx_drop"},
    ExportedCounter{"node_network_transmit_bytes_total", kNet, "tx_bytes"},
    ExportedCounter{"node_network_transmit_packets_total", kNet, "tx_packets"},
    ExportedCounter{"node_network_transmit_errs_total", kNet, "tx_errors"},
    ExportedCounter{"node_network_transmit_drop_total", kNet, "tx_drop"},
    // Before 0.16.
    ExportedCounter{"node_disk_reads_completed", kDisk, "rd_ios"},
    ExportedCounter{"node_disk_reads_merged", kDisk, "rd_merges"},
    ExportedCounter{"node_disk_sectors_read", kDisk, "rd_sectors"},
    ExportedCounter{"node_disk_read_time_ms", kDisk, "rd_ms"},
    ExportedCounter{"node_disk_writes_completed", kDisk, "wr_ios"},
    ExportedCounter{"node_disk_writes_merged", kDisk, "wr_merges"},
    ExportedCounter{"node_disk_sectors_written", kDisk, "wr_sectors"},
    ExportedCounter{"node_disk_write_time_ms", kDisk, "wr_ms"},
    ExportedCounter{"node_disk_io_time_ms", kDisk, "io_ms"},
    ExportedCounter{"node_disk_io_time_weighted", kDisk, "weighted_ms"},
    ExportedCounter{"node_network_receive_bytes", kNet, "rx_bytes"},
    ExportedCounter{"node_network_receive_packets", kNet, "rx_packets"},
    ExportedCounter{"node_network_receive_errs", kNet, "rx_errors"},
    ExportedCounter{"node_network_receive_drop", kNet, "rx_drop"},
    ExportedCounter{"node_network_transmit_bytes", kNet, "tx_bytes"},
    ExportedCounter{"node_network_transmit_packets", kNet, "tx_packets"},
    ExportedCounter{"node_network_transmit_errs", kNet, "tx_errors"},
    ExportedCounter{"node_network_transmit_drop", kNet, "tx_drop"},
};

}  // namespace

std::span<const ExportedCounter> exported_counters() { return kExported; }

const ExportedCounter* find_exported(std::string_view metric) {
  const auto found = std::find_if(kExported.begin(), kExported.end(),
                                  [&](const auto& entry) { return entry.metric == metric; });
  return found == kExported.end() ? nullptr : &*found;
}

std::optional<std::uint64_t> counter_value(const ExportedCounter& exported, std::string_view text) {
  constexpr double kEnd = 18446744073709549568.0;  // the largest double below 2^64
  const std::optional<double> number = to_number<double>(text);
  if (!number || !std::isfinite(*number)) return std::nullopt;
  const double value = std::round(*number * exported.times / exported.divided_by);
  if (value < 0 || value > kEnd) return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

bool is_idle(std::string_view text) {
  const std::optional<double> number = to_number<double>(text.starts_with('+') ? text.substr(1) : text);
  return number && !std::isfinite(*number);
}

}  // namespace laggard::collect
