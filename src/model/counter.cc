#include "model/counter.h"

#include <array>

namespace laggard {

namespace {

using enum CounterForm;
using enum DeviceKind;

/// In the order of DeviceKind.
constexpr std::array<DeviceKindSpec, kDeviceKinds> kKinds{
    {{kDisk, "disk"}, {kNet, "net"}, {kTcp, "tcp"}, {kHost, "host"}, {kDaemon, "daemon"}, {kJob, "job"}}};

constexpr std::array kCounters{
    CounterSpec{"rd_ios", kDisk, kCumulative, "requests"},
    CounterSpec{"rd_merges", kDisk, kCumulative, "requests"},
    CounterSpec{"rd_sectors", kDisk, kCumulative, "sectors"},
    CounterSpec{"rd_ms", kDisk, kCumulative, "ms"},
    CounterSpec{"wr_ios", kDisk, kCumulative, "requests"},
    CounterSpec{"wr_merges", kDisk, kCumulative, "requests"},
    CounterSpec{"wr_sectors", kDisk, kCumulative, "sectors"},
    CounterSpec{"wr_ms", kDisk, kCumulative, "ms"},
    CounterSpec{"in_flight", kDisk, kGauge, "requests"},
    CounterSpec{"io_ms", kDisk, kCumulative, "ms"},
    CounterSpec{"weighted_ms", kDisk, kCumulative, "ms"},
    CounterSpec{"dc_ios", kDisk, kCumulative, "requests"},
    CounterSpec{"dc_merges", kDisk, kCumulative, "requests"},
    CounterSpec{"dc_sectors", kDisk, kCumulative, "sectors"},
    CounterSpec{"dc_ms", kDisk, kCumulative, "ms"},
    CounterSpec{"fl_ios", kDisk, kCumulative, "requests"},
    CounterSpec{"fl_ms", kDisk, kCumulative, "ms"},
    // What an md array does by itself: model/background_work.h.
    CounterSpec{"sync_action", kDisk, kGauge, "state"},
    // Of a multipath device: docs/formats/diskstats.md.
    CounterSpec{"paths_up", kDisk, kGauge, "paths"},
    CounterSpec{"paths_down", kDisk, kGauge, "paths"},
    // What the Ceph OSD on a disk does by itself: model/background_work.h.
    CounterSpec{"ceph_work", kDisk, kGauge, "state"},
    // What a Lustre MDT was asked for: docs/formats/targets.md.
    CounterSpec{"md_open", kDisk, kCumulative, "requests"},
    CounterSpec{"md_close", kDisk, kCumulative, "requests"},
    CounterSpec{"md_getattr", kDisk, kCumulative, "requests"},
    CounterSpec{"md_getxattr", kDisk, kCumulative, "requests"},
    CounterSpec{"md_statfs", kDisk, kCumulative, "requests"},
    CounterSpec{"md_mknod", kDisk, kCumulative, "requests"},
    CounterSpec{"md_link", kDisk, kCumulative, "requests"},
    CounterSpec{"md_unlink", kDisk, kCumulative, "requests"},
    CounterSpec{"md_mkdir", kDisk, kCumulative, "requests"},
    CounterSpec{"md_rmdir", kDisk, kCumulative, "requests"},
    CounterSpec{"md_rename", kDisk, kCumulative, "requests"},
    CounterSpec{"md_setattr", kDisk, kCumulative, "requests"},
    CounterSpec{"md_setxattr", kDisk, kCumulative, "requests"},
    CounterSpec{"md_sync", kDisk, kCumulative, "requests"},
    // Where only the sum over reads and writes is known (sysstat's files).
    CounterSpec{"ios", kDisk, kCumulative, "requests"},
    // Rates that another tool computed: sadf's text output, Perseus, vendors' exporters.
    CounterSpec{"rd_sec", kDisk, kComputedRate, "sectors/s"},
    CounterSpec{"wr_sec", kDisk, kComputedRate, "sectors/s"},
    CounterSpec{"await", kDisk, kComputedRate, "ms"},
    CounterSpec{"throughput", kDisk, kComputedRate, "any"},
    CounterSpec{"latency", kDisk, kComputedRate, "any"},
    CounterSpec{"rx_bytes", kNet, kCumulative, "bytes"},
    CounterSpec{"rx_packets", kNet, kCumulative, "packets"},
    CounterSpec{"rx_errors", kNet, kCumulative, "packets"},
    CounterSpec{"rx_drop", kNet, kCumulative, "packets"},
    CounterSpec{"tx_bytes", kNet, kCumulative, "bytes"},
    CounterSpec{"tx_packets", kNet, kCumulative, "packets"},
    CounterSpec{"tx_errors", kNet, kCumulative, "packets"},
    CounterSpec{"tx_drop", kNet, kCumulative, "packets"},
    // What the driver says of the link: docs/formats/net_dev.md.
    CounterSpec{"link_mbit", kNet, kGauge, "Mbit/s"},
    CounterSpec{"half_duplex", kNet, kGauge, "state"},
    CounterSpec{"carrier_changes", kNet, kCumulative, "changes"},
    CounterSpec{"rx_crc_errors", kNet, kCumulative, "packets"},
    CounterSpec{"rxbyt", kNet, kComputedRate, "bytes/s"},
    CounterSpec{"txbyt", kNet, kComputedRate, "bytes/s"},
    CounterSpec{"rxpck", kNet, kComputedRate, "packets/s"},
    CounterSpec{"txpck", kNet, kComputedRate, "packets/s"},
    CounterSpec{"snd_cwnd", kTcp, kGauge, "segments"},
    CounterSpec{"retrans", kTcp, kCumulative, "segments"},
    CounterSpec{"lost", kTcp, kGauge, "segments"},
    CounterSpec{"rtt_us", kTcp, kGauge, "us"},
    CounterSpec{"bytes_sent", kTcp, kCumulative, "bytes"},
    // Who waits for whom: docs/formats/inet_diag.md.
    CounterSpec{"busy_us", kTcp, kCumulative, "us"},
    CounterSpec{"rwnd_limited_us", kTcp, kCumulative, "us"},
    CounterSpec{"sndbuf_limited_us", kTcp, kCumulative, "us"},
    CounterSpec{"notsent_bytes", kTcp, kGauge, "bytes"},
    CounterSpec{"unacked", kTcp, kGauge, "segments"},
    CounterSpec{"min_rtt_us", kTcp, kGauge, "us"},
    CounterSpec{"awaiting", kTcp, kGauge, "state"},
    CounterSpec{"owing", kTcp, kGauge, "state"},
    // What follows from recorded system calls, here and at the end: docs/methods/syscalls.md.
    CounterSpec{"messages", kTcp, kCumulative, "messages"},
    CounterSpec{"message_ns", kTcp, kCumulative, "ns"},
    // docs/formats/host.md has where these come from.
    CounterSpec{"cpu_user_ms", kHost, kCumulative, "ms"},
    CounterSpec{"cpu_system_ms", kHost, kCumulative, "ms"},
    CounterSpec{"cpu_irq_ms", kHost, kCumulative, "ms"},
    CounterSpec{"cpu_idle_ms", kHost, kCumulative, "ms"},
    CounterSpec{"cpu_iowait_ms", kHost, kCumulative, "ms"},
    CounterSpec{"cpu_steal_ms", kHost, kCumulative, "ms"},
    CounterSpec{"procs_running", kHost, kGauge, "processes"},
    CounterSpec{"procs_blocked", kHost, kGauge, "processes"},
    CounterSpec{"psi_cpu_us", kHost, kCumulative, "us"},
    CounterSpec{"psi_io_us", kHost, kCumulative, "us"},
    CounterSpec{"psi_io_full_us", kHost, kCumulative, "us"},
    CounterSpec{"psi_memory_us", kHost, kCumulative, "us"},
    CounterSpec{"psi_memory_full_us", kHost, kCumulative, "us"},
    CounterSpec{"swap_in", kHost, kCumulative, "pages"},
    CounterSpec{"swap_out", kHost, kCumulative, "pages"},
    CounterSpec{"major_faults", kHost, kCumulative, "faults"},
    CounterSpec{"mem_available_kb", kHost, kGauge, "kB"},
    CounterSpec{"cpu_mhz", kHost, kGauge, "MHz"},
    CounterSpec{"thermal_throttles", kHost, kCumulative, "events"},
    CounterSpec{"ecc_corrected", kHost, kCumulative, "errors"},
    CounterSpec{"ecc_uncorrected", kHost, kCumulative, "errors"},
    CounterSpec{"cpu_us", kDaemon, kCumulative, "us"},
    CounterSpec{"run_wait_us", kDaemon, kCumulative, "us"},
    CounterSpec{"major_faults", kDaemon, kCumulative, "faults"},
    CounterSpec{"rss_kb", kDaemon, kGauge, "kB"},
    CounterSpec{"processes", kDaemon, kGauge, "processes"},
    CounterSpec{"threads", kDaemon, kGauge, "threads"},
    CounterSpec{"stopped", kDaemon, kGauge, "processes"},
    CounterSpec{"throttled_us", kDaemon, kCumulative, "us"},
    CounterSpec{"throttles", kDaemon, kCumulative, "periods"},
    CounterSpec{"dreads", kDaemon, kCumulative, "calls"},
    CounterSpec{"dread_ns", kDaemon, kCumulative, "ns"},
    CounterSpec{"dwrites", kDaemon, kCumulative, "calls"},
    CounterSpec{"dwrite_ns", kDaemon, kCumulative, "ns"},
    CounterSpec{"direct_dwrites", kDaemon, kCumulative, "calls"},
    CounterSpec{"direct_dwrite_ns", kDaemon, kCumulative, "ns"},
    // What a job asked a Lustre MDT for: docs/formats/targets.md.
    CounterSpec{"md_open", kJob, kCumulative, "requests"},
    CounterSpec{"md_close", kJob, kCumulative, "requests"},
    CounterSpec{"md_getattr", kJob, kCumulative, "requests"},
    CounterSpec{"md_getxattr", kJob, kCumulative, "requests"},
    CounterSpec{"md_statfs", kJob, kCumulative, "requests"},
    CounterSpec{"md_mknod", kJob, kCumulative, "requests"},
    CounterSpec{"md_link", kJob, kCumulative, "requests"},
    CounterSpec{"md_unlink", kJob, kCumulative, "requests"},
    CounterSpec{"md_mkdir", kJob, kCumulative, "requests"},
    CounterSpec{"md_rmdir", kJob, kCumulative, "requests"},
    CounterSpec{"md_rename", kJob, kCumulative, "requests"},
    CounterSpec{"md_setattr", kJob, kCumulative, "requests"},
    CounterSpec{"md_setxattr", kJob, kCumulative, "requests"},
    CounterSpec{"md_sync", kJob, kCumulative, "requests"},
};

}  // namespace

std::span<const DeviceKindSpec> device_kinds() { return kKinds; }

std::string_view to_name(DeviceKind kind) { return kKinds[static_cast<std::size_t>(kind)].name; }

std::optional<DeviceKind> device_kind(std::string_view name) {
  for (const DeviceKindSpec& spec : kKinds) {
    if (spec.name == name) return spec.kind;
  }
  return std::nullopt;
}

std::span<const CounterSpec> known_counters() { return kCounters; }

const CounterSpec* find_counter(DeviceKind kind, std::string_view name) {
  for (const CounterSpec& spec : kCounters) {
    if (spec.kind == kind && spec.name == name) return &spec;
  }
  return nullptr;
}

std::optional<std::uint64_t> counter_increase(std::uint64_t before, std::uint64_t after) {
  if (after >= before) return after - before;
  constexpr std::uint64_t kWrap = std::uint64_t{1} << 32;
  constexpr std::uint64_t kNear = std::uint64_t{1} << 28;
  if (before >= kWrap || before < kWrap - kNear || kWrap - before + after >= kNear) return std::nullopt;
  return kWrap - before + after;
}

}  // namespace laggard
