#pragma once

#include <array>

#include "model/metric.h"

namespace laggard::metric_rows {

using enum BadDirection;
using enum DeviceKind;
using enum FormulaShape;
using enum Quantity;
using enum Resource;
using enum Role;

constexpr CounterSum just(std::string_view counter) { return {.terms = {counter, {}}}; }
constexpr CounterSum both(std::string_view one, std::string_view other) { return {.terms = {one, other}}; }

inline constexpr double kMsPerSecond = 1e3;
inline constexpr double kUsPerSecond = 1e6;
inline constexpr double kNsPerMs = 1e6;
/// Of a gauge that is 0 or 1: its mean as a percentage.
inline constexpr double kPercent = 0.01;

/// A formula of each shape, from the counters that the shape needs.
constexpr FormulaSpec rate(const CounterSum& counted, std::string_view computed_rate = {}) {
  return {.shape = kRate, .counted = counted, .computed_rate = computed_rate};
}
constexpr FormulaSpec ratio(const CounterSum& counted, const CounterSum& per) {
  return {.shape = kRatio, .counted = counted, .per = per};
}
/// In ms, of a time in ns.
constexpr FormulaSpec mean_ms(std::string_view ns, std::string_view per) {
  return {.shape = kRatio, .counted = just(ns), .per = just(per), .divisor = kNsPerMs};
}
constexpr FormulaSpec wait(const CounterSum& ms, const CounterSum& per, std::string_view computed_rate,
                           const FormulaSpec::Stall& stall) {
  return {.shape = kWait, .counted = ms, .per = per, .computed_rate = computed_rate, .stall = stall};
}
constexpr FormulaSpec mean_count(std::string_view ms) { return {.shape = kMeanCount, .counted = just(ms)}; }
/// Of times in \p units to the second.
constexpr FormulaSpec busy_share(const CounterSum& time, double units) {
  return {.shape = kBusyShare, .counted = time, .divisor = units};
}
constexpr FormulaSpec mean(std::string_view counter, double divisor = 1) {
  return {.shape = kGauge, .counted = just(counter), .divisor = divisor};
}
constexpr FormulaSpec mean(const CounterSum& gauges) { return {.shape = kGauge, .counted = gauges}; }
constexpr FormulaSpec senders(std::string_view counter, std::string_view sent, double divisor = 1) {
  return {.shape = kSenders, .counted = just(counter), .divisor = divisor, .sent = sent};
}
constexpr FormulaSpec users(std::string_view gauge, double divisor) {
  return {.shape = kUsers, .counted = just(gauge), .divisor = divisor, .sent = "bytes_sent"};
}
constexpr FormulaSpec total(std::string_view gauge) { return {.shape = kTotal, .counted = just(gauge)}; }
constexpr FormulaSpec users_share(std::string_view us) {
  return {.shape = kUsersShare, .counted = just(us), .divisor = kUsPerSecond, .sent = "bytes_sent"};
}
constexpr FormulaSpec packet_share(std::string_view counter, const FormulaSpec::Packets& packets) {
  return {.shape = kPacketShare, .counted = just(counter), .packets = packets};
}

/// What completed on a disk; sysstat stores the sum alone.
inline constexpr CounterSum kDiskRequests{.terms = {"rd_ios", "wr_ios"}, .total = "ios"};

/// How long that took together. Discards count where the kernel counts them, as newer sysstat does.
inline constexpr CounterSum kDiskWaits{.terms = {"rd_ms", "wr_ms"}, .also = "dc_ms"};

/// What processors worked, whatever for.
inline constexpr CounterSum kCpuWork{.terms = {"cpu_user_ms", "cpu_system_ms"}, .also = "cpu_irq_ms"};

/// The catalogue: all that is known of a metric stands in its row. It is a constant of a header so that
/// `derive` can number the counters that metrics read when it is compiled; everybody else asks metric.h.
///
/// Noise floors. await: 1 ms, T §5.8.2's server workloads stay below it; 0.05 ms on flash is about one device
/// access. A daemon's reads and writes wait for the same disks; what a message takes depends on the scheduler
/// too, whose turns are of milliseconds: 1 ms. Throughput: 128 sectors/s, one request of 64 KB; network:
/// 32 KB/s, or seven packets.
///
/// Least bursts: requests that take a second (F §9's stalls, T's controllers), round trips of 50 ms, which no
/// healthy queue in a machine room makes, 5 % of all packets sent again, and a daemon that is stopped.
inline constexpr std::array kMetrics{
    MetricSpec{"rd_sec", "Read throughput", kDisk, rate(just("rd_sectors"), "rd_sec"), kStorage, kThroughput,
               kBoth, kRead, "sectors/s", 128, 128, true},
    MetricSpec{"wr_sec", "Write throughput", kDisk, rate(just("wr_sectors"), "wr_sec"), kStorage, kThroughput,
               kBoth, kWritten, "sectors/s", 128, 128, true},
    MetricSpec{"await", "Latency per request", kDisk,
               wait(kDiskWaits, kDiskRequests, "await", {"in_flight", "weighted_ms"}), kStorage, kLatency,
               kHigher, kOther, "ms", 1.0, 0.05, true, 0, false, ConnectionEnd::kEither, 1000},
    // A sample of a second is of reads or of writes, one of 15 s of both: then writes that end in a cache
    // hide what reads wait for.
    MetricSpec{"r_await", "Latency per read", kDisk,
               wait(just("rd_ms"), just("rd_ios"), {}, {"in_flight", "weighted_ms"}), kStorage, kLatency,
               kHigher, kReadLatency, "ms", 1.0, 0.05, true, 0, true, ConnectionEnd::kEither, 0,
               std::chrono::seconds(5)},
    MetricSpec{"tps", "Requests", kDisk, rate(kDiskRequests), kStorage, kThroughput, kBoth, kRequests,
               "requests/s", 1, 1, false},
    MetricSpec{"avgrq-sz", "Request size", kDisk, ratio(both("rd_sectors", "wr_sectors"), kDiskRequests),
               kStorage, kThroughput, kBoth, kOther, "sectors", 8, 8, false},
    MetricSpec{"avgqu-sz", "Queue length", kDisk, mean_count("weighted_ms"), kStorage, kLatency, kHigher,
               kOther, "requests", 0.1, 0.1, false},
    MetricSpec{"%util", "Utilisation", kDisk, busy_share(just("io_ms"), kMsPerSecond), kStorage, kLatency,
               kHigher, kBusyTime, "%", 1, 1, false},
    MetricSpec{"paths-down", "Paths that are lost", kDisk, mean("paths_down"), kStorage, kErrors, kHigher,
               kOther, "paths", 0, 0, true, 0, true},
    MetricSpec{"throughput", "Throughput", kDisk, mean("throughput"), kStorage, kThroughput, kBoth, kTraffic,
               "any", 0, 0, true},
    MetricSpec{"latency", "Latency", kDisk, mean("latency"), kStorage, kLatency, kHigher, kOther, "any", 0, 0,
               true},
    MetricSpec{"rxbyt", "Network receive", kNet, rate(just("rx_bytes"), "rxbyt"), kNetwork, kThroughput,
               kBoth, kReceived, "bytes/s", 32768, 32768, true},
    MetricSpec{"txbyt", "Network send", kNet, rate(just("tx_bytes"), "txbyt"), kNetwork, kThroughput, kBoth,
               kSent, "bytes/s", 32768, 32768, true},
    MetricSpec{"rxpck", "Packets received", kNet, rate(just("rx_packets"), "rxpck"), kNetwork, kThroughput,
               kBoth, kOther, "packets/s", 7, 7, false},
    MetricSpec{"txpck", "Packets sent", kNet, rate(just("tx_packets"), "txpck"), kNetwork, kThroughput, kBoth,
               kOther, "packets/s", 7, 7, false},
    MetricSpec{"cwnd", "TCP congestion window", kTcp, senders("snd_cwnd", "bytes_sent"), kNetwork,
               kCongestion, kLower, kOther, "segments", 0, 0, true, 1},
    MetricSpec{"retransmits", "TCP retransmits", kTcp, packet_share("retrans", {"tx_packets", "rx_packets"}),
               kNetwork, kRetransmission, kHigher, kOther, "%", 0.5, 0.5, true, 0, true,
               ConnectionEnd::kEither, 5},
    MetricSpec{"rtt", "TCP round trip", kTcp, senders("rtt_us", "bytes_sent", 1000), kNetwork, kDelay,
               kHigher, kOther, "ms", 0, 0, true, 1, true, ConnectionEnd::kEither, 50},
    // Who waits for whom. Shares of time are compared in points, all else by factors above `log_unit`.
    MetricSpec{"awaiting", "Clients waiting for an answer", kTcp, users("awaiting", kPercent), kService,
               kOccupancy, kHigher, kOther, "%", 0, 0, false, 0, true, ConnectionEnd::kClients},
    MetricSpec{"waiters", "Connections that wait for an answer", kTcp, total("awaiting"), kService,
               kOccupancy, kHigher, kWaiters, "connections", 0, 0, false, 1, true, ConnectionEnd::kClients},
    MetricSpec{"owing", "Server owing an answer", kTcp, users("owing", kPercent), kService, kOccupancy,
               kHigher, kOther, "%", 0, 0, false, 0, true, ConnectionEnd::kServers},
    MetricSpec{"tcp-busy", "TCP with data outstanding", kTcp, users_share("busy_us"), kNetwork, kOccupancy,
               kHigher, kOther, "%", 0, 0, true, 0, true},
    MetricSpec{"rwnd-limited", "TCP limited by the receiver", kTcp, users_share("rwnd_limited_us"), kService,
               kDelay, kHigher, kOther, "%", 0, 0, true, 0, true},
    MetricSpec{"sndbuf-limited", "TCP limited by the send buffer", kTcp, users_share("sndbuf_limited_us"),
               kNetwork, kDelay, kHigher, kOther, "%", 0, 0, false, 0, true},
    MetricSpec{"unsent", "TCP bytes not sent yet", kTcp, users("notsent_bytes", 1), kNetwork, kDelay, kHigher,
               kOther, "bytes", 0, 0, false, 65536, true},
    MetricSpec{"link-speed", "Speed of the link", kNet, mean("link_mbit"), kNetwork, kCapacity, kLower,
               kOther, "Mbit/s", 0, 0, false, 1, true},
    MetricSpec{"carrier", "Changes of the link's carrier", kNet, rate(just("carrier_changes")), kNetwork,
               kErrors, kHigher, kOther, "changes/s", 0, 0, true, 0, true},
    MetricSpec{"crc-errors", "Packets with a wrong checksum", kNet, rate(just("rx_crc_errors")), kNetwork,
               kErrors, kHigher, kOther, "packets/s", 0, 0, false, 0, true},
    MetricSpec{"load", "Processes that run or wait for storage", kHost,
               mean(both("procs_running", "procs_blocked")), kCpu, kOccupancy, kHigher, kOther, "processes",
               0, 0, false, 1, true},
    MetricSpec{"host-cpu", "Processors of the host", kHost, busy_share(kCpuWork, kMsPerSecond), kCpu,
               kOccupancy, kHigher, kOther, "% of a core", 0, 0, false, 0, true},
    MetricSpec{"steal", "Processors taken by the hypervisor", kHost,
               busy_share(just("cpu_steal_ms"), kMsPerSecond), kCpu, kDelay, kHigher, kOther, "% of a core",
               0, 0, false, 0, true},
    MetricSpec{"psi-cpu", "Time in which some wait for a processor", kHost,
               busy_share(just("psi_cpu_us"), kUsPerSecond), kCpu, kDelay, kHigher, kOther, "%", 0, 0, false,
               0, true},
    MetricSpec{"psi-io", "Time in which some wait for storage", kHost,
               busy_share(just("psi_io_us"), kUsPerSecond), kStorage, kDelay, kHigher, kOther, "%", 0, 0,
               false, 0, true},
    MetricSpec{"psi-memory", "Time in which some wait for memory", kHost,
               busy_share(just("psi_memory_us"), kUsPerSecond), kMemory, kDelay, kHigher, kOther, "%", 0, 0,
               false, 0, true},
    MetricSpec{"swap", "Pages swapped in and out", kHost, rate(both("swap_in", "swap_out")), kMemory, kDelay,
               kHigher, kOther, "pages/s", 0, 0, false, 100, true},
    MetricSpec{"memory-errors", "Errors that memory corrects", kHost, rate(just("ecc_corrected")), kMemory,
               kErrors, kHigher, kOther, "errors/s", 0, 0, true, 0, true},
    MetricSpec{"clock-rate", "Clock rate of the processors", kHost, mean("cpu_mhz"), kCpu, kCapacity, kLower,
               kOther, "MHz", 0, 0, false, 1, true},
    MetricSpec{"thermal", "Processors slowed down for heat", kHost, rate(just("thermal_throttles")), kCpu,
               kErrors, kHigher, kOther, "events/s", 0, 0, false, 0, true},
    MetricSpec{"cpu", "Processor time of the daemon", kDaemon, busy_share(just("cpu_us"), kUsPerSecond), kCpu,
               kOccupancy, kHigher, kOther, "% of a core", 0, 0, false, 0, true},
    MetricSpec{"run-wait", "Daemon ready and not running", kDaemon,
               busy_share(just("run_wait_us"), kUsPerSecond), kCpu, kDelay, kHigher, kOther, "% of a thread",
               0, 0, true, 10, true},
    MetricSpec{"throttled", "Daemon held by its quota", kDaemon,
               busy_share(just("throttled_us"), kUsPerSecond), kCpu, kDelay, kHigher, kOther, "%", 0, 0, true,
               0, true},
    MetricSpec{"page-waits", "Pages that the daemon waits for", kDaemon, rate(just("major_faults")), kMemory,
               kDelay, kHigher, kOther, "faults/s", 0, 0, true, 2, true},
    MetricSpec{"stopped", "Daemon stopped", kDaemon, mean("stopped", kPercent), kCpu, kDelay, kHigher, kOther,
               "% of a process", 0, 0, true, 0, true, ConnectionEnd::kEither, 50},
    // From recorded system calls (docs/methods/syscalls.md).
    MetricSpec{"dread", "Time of a read from storage", kDaemon, mean_ms("dread_ns", "dreads"), kStorage,
               kLatency, kHigher, kOther, "ms", 1.0, 0.05, true},
    MetricSpec{"dwrite", "Time of a write to storage", kDaemon, mean_ms("dwrite_ns", "dwrites"), kStorage,
               kLatency, kHigher, kOther, "ms", 1.0, 0.05, true},
    MetricSpec{"dwrite-direct", "Time of a write to storage with O_DIRECT", kDaemon,
               mean_ms("direct_dwrite_ns", "direct_dwrites"), kStorage, kLatency, kHigher, kOther, "ms", 1.0,
               0.05, true},
    MetricSpec{"nsread", "Time in which a server reads a request", kTcp, mean_ms("message_ns", "messages"),
               kNetwork, kLatency, kHigher, kOther, "ms", 1.0, 1.0, true, 0, false, ConnectionEnd::kServers},
    MetricSpec{"ncread", "Time in which a client reads an answer", kTcp, mean_ms("message_ns", "messages"),
               kNetwork, kLatency, kHigher, kOther, "ms", 1.0, 1.0, true, 0, false, ConnectionEnd::kClients},
};

}  // namespace laggard::metric_rows
