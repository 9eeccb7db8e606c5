#include "model/exporter_names.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/error.h"
#include "base/text.h"

namespace laggard {

namespace {

using enum DeviceKind;
constexpr double kMs = 1000;
constexpr double kUs = 1e6;
constexpr double kSector = 512;
constexpr double kKilobyte = 1024;

constexpr ExportedCounter any(std::string_view metric, DeviceKind kind, CounterForm form) {
  return {metric, kind, "", 1, 1, form};
}

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
    // What node_exporter lacks.
    ExportedCounter{"laggard_disk_ios_total", kDisk, "ios"},
    ExportedCounter{"laggard_disk_sync_action", kDisk, "sync_action"},
    ExportedCounter{"laggard_disk_ceph_work", kDisk, "ceph_work"},
    ExportedCounter{"laggard_disk_md_open_total", kDisk, "md_open"},
    ExportedCounter{"laggard_disk_md_close_total", kDisk, "md_close"},
    ExportedCounter{"laggard_disk_md_getattr_total", kDisk, "md_getattr"},
    ExportedCounter{"laggard_disk_md_getxattr_total", kDisk, "md_getxattr"},
    ExportedCounter{"laggard_disk_md_statfs_total", kDisk, "md_statfs"},
    ExportedCounter{"laggard_disk_md_mknod_total", kDisk, "md_mknod"},
    ExportedCounter{"laggard_disk_md_link_total", kDisk, "md_link"},
    ExportedCounter{"laggard_disk_md_unlink_total", kDisk, "md_unlink"},
    ExportedCounter{"laggard_disk_md_mkdir_total", kDisk, "md_mkdir"},
    ExportedCounter{"laggard_disk_md_rmdir_total", kDisk, "md_rmdir"},
    ExportedCounter{"laggard_disk_md_rename_total", kDisk, "md_rename"},
    ExportedCounter{"laggard_disk_md_setattr_total", kDisk, "md_setattr"},
    ExportedCounter{"laggard_disk_md_setxattr_total", kDisk, "md_setxattr"},
    ExportedCounter{"laggard_disk_md_sync_total", kDisk, "md_sync"},
    ExportedCounter{"laggard_disk_paths_up", kDisk, "paths_up"},
    ExportedCounter{"laggard_disk_paths_down", kDisk, "paths_down"},
    ExportedCounter{"laggard_disk_read_sectors_per_second", kDisk, "rd_sec"},
    ExportedCounter{"laggard_disk_write_sectors_per_second", kDisk, "wr_sec"},
    ExportedCounter{"laggard_disk_await_milliseconds", kDisk, "await"},
    ExportedCounter{"laggard_disk_throughput", kDisk, "throughput"},
    ExportedCounter{"laggard_disk_latency", kDisk, "latency"},
    ExportedCounter{"laggard_net_receive_bytes_per_second", kNet, "rxbyt"},
    ExportedCounter{"laggard_net_transmit_bytes_per_second", kNet, "txbyt"},
    ExportedCounter{"laggard_net_receive_packets_per_second", kNet, "rxpck"},
    ExportedCounter{"laggard_net_transmit_packets_per_second", kNet, "txpck"},
    ExportedCounter{"laggard_tcp_congestion_window_segments", kTcp, "snd_cwnd"},
    ExportedCounter{"laggard_tcp_retransmitted_segments_total", kTcp, "retrans"},
    ExportedCounter{"laggard_tcp_lost_segments", kTcp, "lost"},
    ExportedCounter{"laggard_tcp_round_trip_microseconds", kTcp, "rtt_us"},
    ExportedCounter{"laggard_tcp_sent_bytes_total", kTcp, "bytes_sent"},
    ExportedCounter{"laggard_tcp_busy_microseconds_total", kTcp, "busy_us"},
    ExportedCounter{"laggard_tcp_receiver_limited_microseconds_total", kTcp, "rwnd_limited_us"},
    ExportedCounter{"laggard_tcp_send_buffer_limited_microseconds_total", kTcp, "sndbuf_limited_us"},
    ExportedCounter{"laggard_tcp_unsent_bytes", kTcp, "notsent_bytes"},
    ExportedCounter{"laggard_tcp_unacknowledged_segments", kTcp, "unacked"},
    ExportedCounter{"laggard_tcp_least_round_trip_microseconds", kTcp, "min_rtt_us"},
    ExportedCounter{"laggard_tcp_awaiting", kTcp, "awaiting"},
    ExportedCounter{"laggard_tcp_owing", kTcp, "owing"},
    ExportedCounter{"laggard_tcp_read_messages_total", kTcp, "messages"},
    ExportedCounter{"laggard_tcp_message_read_nanoseconds_total", kTcp, "message_ns"},
    ExportedCounter{"laggard_net_link_megabits", kNet, "link_mbit"},
    ExportedCounter{"laggard_net_half_duplex", kNet, "half_duplex"},
    ExportedCounter{"node_network_carrier_changes_total", kNet, "carrier_changes"},
    ExportedCounter{"laggard_net_receive_crc_errors_total", kNet, "rx_crc_errors"},
    // Of a host: one series each, without a device.
    ExportedCounter{"node_pressure_cpu_waiting_seconds_total", kHost, "psi_cpu_us", kUs},
    ExportedCounter{"node_pressure_io_waiting_seconds_total", kHost, "psi_io_us", kUs},
    ExportedCounter{"node_pressure_io_stalled_seconds_total", kHost, "psi_io_full_us", kUs},
    ExportedCounter{"node_pressure_memory_waiting_seconds_total", kHost, "psi_memory_us", kUs},
    ExportedCounter{"node_pressure_memory_stalled_seconds_total", kHost, "psi_memory_full_us", kUs},
    ExportedCounter{"node_vmstat_pswpin", kHost, "swap_in"},
    ExportedCounter{"node_vmstat_pswpout", kHost, "swap_out"},
    ExportedCounter{"node_vmstat_pgmajfault", kHost, "major_faults"},
    ExportedCounter{"node_memory_MemAvailable_bytes", kHost, "mem_available_kb", 1, kKilobyte},
    ExportedCounter{"node_procs_running", kHost, "procs_running"},
    ExportedCounter{"node_procs_blocked", kHost, "procs_blocked"},
    // node_exporter has these by processor, which are not added up.
    ExportedCounter{"laggard_host_cpu_user_milliseconds_total", kHost, "cpu_user_ms"},
    ExportedCounter{"laggard_host_cpu_system_milliseconds_total", kHost, "cpu_system_ms"},
    ExportedCounter{"laggard_host_cpu_irq_milliseconds_total", kHost, "cpu_irq_ms"},
    ExportedCounter{"laggard_host_cpu_idle_milliseconds_total", kHost, "cpu_idle_ms"},
    ExportedCounter{"laggard_host_cpu_iowait_milliseconds_total", kHost, "cpu_iowait_ms"},
    ExportedCounter{"laggard_host_cpu_steal_milliseconds_total", kHost, "cpu_steal_ms"},
    ExportedCounter{"laggard_host_cpu_megahertz", kHost, "cpu_mhz"},
    ExportedCounter{"laggard_host_thermal_throttles_total", kHost, "thermal_throttles"},
    ExportedCounter{"laggard_host_corrected_memory_errors_total", kHost, "ecc_corrected"},
    ExportedCounter{"laggard_host_uncorrected_memory_errors_total", kHost, "ecc_uncorrected"},
    ExportedCounter{"laggard_daemon_cpu_microseconds_total", kDaemon, "cpu_us"},
    ExportedCounter{"laggard_daemon_run_wait_microseconds_total", kDaemon, "run_wait_us"},
    ExportedCounter{"laggard_daemon_major_faults_total", kDaemon, "major_faults"},
    ExportedCounter{"laggard_daemon_resident_kilobytes", kDaemon, "rss_kb"},
    ExportedCounter{"laggard_daemon_processes", kDaemon, "processes"},
    ExportedCounter{"laggard_daemon_threads", kDaemon, "threads"},
    ExportedCounter{"laggard_daemon_stopped_processes", kDaemon, "stopped"},
    ExportedCounter{"laggard_daemon_throttled_microseconds_total", kDaemon, "throttled_us"},
    ExportedCounter{"laggard_daemon_throttles_total", kDaemon, "throttles"},
    ExportedCounter{"laggard_daemon_storage_reads_total", kDaemon, "dreads"},
    ExportedCounter{"laggard_daemon_storage_read_nanoseconds_total", kDaemon, "dread_ns"},
    ExportedCounter{"laggard_daemon_storage_writes_total", kDaemon, "dwrites"},
    ExportedCounter{"laggard_daemon_storage_write_nanoseconds_total", kDaemon, "dwrite_ns"},
    ExportedCounter{"laggard_daemon_storage_direct_writes_total", kDaemon, "direct_dwrites"},
    ExportedCounter{"laggard_daemon_storage_direct_write_nanoseconds_total", kDaemon, "direct_dwrite_ns"},
    ExportedCounter{"laggard_job_md_open_total", kJob, "md_open"},
    ExportedCounter{"laggard_job_md_close_total", kJob, "md_close"},
    ExportedCounter{"laggard_job_md_getattr_total", kJob, "md_getattr"},
    ExportedCounter{"laggard_job_md_getxattr_total", kJob, "md_getxattr"},
    ExportedCounter{"laggard_job_md_statfs_total", kJob, "md_statfs"},
    ExportedCounter{"laggard_job_md_mknod_total", kJob, "md_mknod"},
    ExportedCounter{"laggard_job_md_link_total", kJob, "md_link"},
    ExportedCounter{"laggard_job_md_unlink_total", kJob, "md_unlink"},
    ExportedCounter{"laggard_job_md_mkdir_total", kJob, "md_mkdir"},
    ExportedCounter{"laggard_job_md_rmdir_total", kJob, "md_rmdir"},
    ExportedCounter{"laggard_job_md_rename_total", kJob, "md_rename"},
    ExportedCounter{"laggard_job_md_setattr_total", kJob, "md_setattr"},
    ExportedCounter{"laggard_job_md_setxattr_total", kJob, "md_setxattr"},
    ExportedCounter{"laggard_job_md_sync_total", kJob, "md_sync"},
    // Counters of other names.
    any("laggard_disk_counter_total", kDisk, CounterForm::kCumulative),
    any("laggard_disk_level", kDisk, CounterForm::kGauge),
    any("laggard_disk_gauge", kDisk, CounterForm::kComputedRate),
    any("laggard_net_counter_total", kNet, CounterForm::kCumulative),
    any("laggard_net_level", kNet, CounterForm::kGauge),
    any("laggard_net_gauge", kNet, CounterForm::kComputedRate),
    any("laggard_tcp_counter_total", kTcp, CounterForm::kCumulative),
    any("laggard_tcp_level", kTcp, CounterForm::kGauge),
    any("laggard_tcp_gauge", kTcp, CounterForm::kComputedRate),
    any("laggard_host_counter_total", kHost, CounterForm::kCumulative),
    any("laggard_host_level", kHost, CounterForm::kGauge),
    any("laggard_host_gauge", kHost, CounterForm::kComputedRate),
    any("laggard_daemon_counter_total", kDaemon, CounterForm::kCumulative),
    any("laggard_daemon_level", kDaemon, CounterForm::kGauge),
    any("laggard_daemon_gauge", kDaemon, CounterForm::kComputedRate),
    any("laggard_job_counter_total", kJob, CounterForm::kCumulative),
    any("laggard_job_level", kJob, CounterForm::kGauge),
    any("laggard_job_gauge", kJob, CounterForm::kComputedRate),
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

CounterForm ExportedCounter::form() const {
  if (counter.empty()) return unnamed_form;
  const CounterSpec* spec = find_counter(kind, counter);
  LAGGARD_CHECK(spec != nullptr);
  return spec->form;
}

const ExportedCounter& exported_as(DeviceKind kind, const TableCounter& counter) {
  const auto named = std::find_if(kExported.begin(), kExported.end(), [&](const auto& entry) {
    return entry.kind == kind && entry.counter == counter.name;
  });
  if (named != kExported.end() && !counter.name.empty() && named->form() == counter.form) return *named;
  const auto general = std::find_if(kExported.begin(), kExported.end(), [&](const auto& entry) {
    return entry.kind == kind && entry.counter.empty() && entry.unnamed_form == counter.form;
  });
  LAGGARD_CHECK(general != kExported.end());
  return *general;
}

double exported_value(const ExportedCounter& exported, std::uint64_t bits) {
  if (exported.form() == CounterForm::kComputedRate) return std::bit_cast<double>(bits);
  return static_cast<double>(bits) * exported.divided_by / exported.times;
}

std::optional<std::uint64_t> stored_value(const ExportedCounter& exported, std::string_view text) {
  constexpr double kEnd = 18446744073709549568.0;  // the largest double below 2^64
  const std::optional<double> number = to_number<double>(text);
  if (!number || !std::isfinite(*number)) return std::nullopt;
  if (exported.form() == CounterForm::kComputedRate) return std::bit_cast<std::uint64_t>(*number);
  const double value = std::round(*number * exported.times / exported.divided_by);
  if (value < 0 || value > kEnd) return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

bool is_idle(std::string_view text) {
  const std::optional<double> number = to_number<double>(text.starts_with('+') ? text.substr(1) : text);
  return number && !std::isfinite(*number);
}

std::string host_of_instance(const std::string& instance) {
  const std::size_t colon = instance.rfind(':');
  if (instance.starts_with('['))
    return instance.substr(1, std::min(instance.rfind(']'), instance.size()) - 1);
  if (colon == std::string::npos || instance.find(':') != colon) return instance;
  return instance.substr(0, colon);
}

std::string instance_of_host(const std::string& host) {
  return host_of_instance(host) == host ? host : "[" + host + "]";
}

}  // namespace laggard
