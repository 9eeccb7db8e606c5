#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/time.h"
#include "model/counter.h"

namespace laggard {

/// What a metric says about a component. Rules and detectors speak of roles, so that gauges from elsewhere
/// (sadf's rates, an array vendor's latency) take part in them.
enum class Role : std::uint8_t {
  kThroughput,
  kLatency,
  kCongestion,
  kRetransmission,
  /// How long, or how much of the time, what is ready to go waits for the resource: a packet and its
  /// acknowledgement on their way, a thread for a processor, a process for memory. No request's work.
  kDelay,
  kOccupancy,  ///< How much of the time the resource is in use, or is waited for by those that it serves.
  kCapacity,   ///< What it could do at best: the speed that a link has agreed on.
  kErrors,     ///< How often something failed that hardly ever fails where all is well.
};
inline constexpr std::array kRoles{Role::kThroughput,     Role::kLatency, Role::kCongestion,
                                   Role::kRetransmission, Role::kDelay,   Role::kOccupancy,
                                   Role::kCapacity,       Role::kErrors};

enum class Resource : std::uint8_t {
  kStorage,
  kNetwork,
  kCpu,
  kMemory,
  kService,  ///< What a server gives its clients, by whichever of its resources.
};
inline constexpr std::array kResources{Resource::kStorage, Resource::kNetwork, Resource::kCpu,
                                       Resource::kMemory, Resource::kService};

/// In which direction a component that differs from its peers is sick.
enum class BadDirection : std::uint8_t { kBoth, kHigher, kLower };

/// What a metric measures, for code that needs a certain quantity whatever is judged: reads are told from
/// writes by it, busy windows from idle ones, and it is by their traffic that the clocks of hosts are
/// compared.
enum class Quantity : std::uint8_t {
  kOther,
  kRead,
  kWritten,
  kTraffic,  ///< Reads and writes together, in a unit of the vendor's.
  kReceived,
  kSent,
  kRequests,
  kBusyTime,
  kReadLatency,  ///< What reads take, whatever writes do.
  kWaiters,      ///< How many wait for an answer at a time: what there is to do.
};

/// The two quantities that add up to what goes through storage or a network.
[[nodiscard]] constexpr std::array<Quantity, 2> moved(Resource resource) {
  if (resource == Resource::kStorage) return {Quantity::kRead, Quantity::kWritten};
  return {Quantity::kReceived, Quantity::kSent};
}

/// How a metric follows from counters. Here d(x) is what x grew by in a grid cell, of which dt seconds are
/// known; `derive/formula.h` has the degenerate cases.
enum class FormulaShape : std::uint8_t {
  kRate,         ///< d(counted) / dt
  kRatio,        ///< d(counted) / (divisor d(per)); of connections, over all of a host
  kWait,         ///< d(counted) / d(per), in ms; a stall is a wait that goes on
  kMeanCount,    ///< d(counted) / 1000 dt, of ms: how many there were at a time
  kBusyShare,    ///< 100 d(counted) / (divisor dt), of times of which `divisor` make a second
  kGauge,        ///< the mean of a gauge or of a computed rate
  kSenders,      ///< kGauge, over those connections of a host that sent something
  kUsers,        ///< kGauge, over those that sent something or of which the gauge is not 0
  kTotal,        ///< the sum of a gauge over all connections of a host
  kUsersShare,   ///< kBusyShare, over those connections that sent something or spent any of that time
  kPacketShare,  ///< 100 d(counted) / d(packets), over all connections of a host
};

/// Counters that are added up, by name; an empty name is none. (In a constant, g++ 12 can only read elements
/// of `terms` that were written out.)
struct CounterSum {
  std::array<std::string_view, 2> terms{{{}, {}}};  ///< All are needed, ...
  std::string_view total{};                         ///< ... unless their sum was recorded.
  std::string_view also{};                          ///< Added where it was recorded.
};

/// The formula of a metric as data. Counters are those of the metric's kind of device.
struct FormulaSpec {
  FormulaShape shape = FormulaShape::kGauge;
  CounterSum counted{};
  CounterSum per{};
  std::string_view computed_rate{};  ///< What another tool computed; used where the counters are missing.

  /// What tells that requests wait and none completes: how many are in flight, and where that was not
  /// recorded the milliseconds that requests waited together.
  struct Stall {
    std::string_view in_flight{};
    std::string_view queue_ms{};
  };
  Stall stall{};
  /// Of gauges and ratios: from the counter's unit to the metric's. Of shares of time: how many of the
  /// counter's units make a second.
  double divisor = 1;
  std::string_view sent{};  ///< Tells which connections sent something; where it was not recorded, all count.
  /// Of the host's network interfaces.
  struct Packets {
    std::string_view sent{};
    std::string_view received{};
  };
  Packets packets{};
};

/// Which connections of a server tell a metric.
enum class ConnectionEnd : std::uint8_t {
  kEither,
  kServers,  ///< Its own ends alone, ...
  kClients,  ///< ... or those of its clients.
};

/// A quantity that peers are compared on, derived from counters (T Table 3.1, docs/methods/metrics.md).
struct MetricSpec {
  std::string_view name;
  std::string_view title;  ///< For people: `TCP congestion window`.
  DeviceKind kind = DeviceKind::kDisk;
  FormulaSpec formula;
  Resource resource = Resource::kStorage;
  Role role = Role::kThroughput;
  BadDirection bad = BadDirection::kBoth;
  Quantity quantity = Quantity::kOther;
  std::string_view unit;
  /// Differences below this are noise whatever the statistics say (T §5.8.2). In `unit`, rotating disks.
  double noise_floor = 0;
  /// The same for devices known not to rotate: 1 ms would blind us to a sick NVMe.
  double noise_floor_flash = 0;
  bool diagnosed_by_default = false;
  /// In `unit`; where it is not 0, what is compared is log2(1 + x / log_unit): factors count above it, and
  /// differences below.
  double log_unit = 0;
  /// No paper of Kasick's has it; their algorithm judges it only when asked to.
  bool is_ours = false;
  ConnectionEnd end = ConnectionEnd::kEither;  ///< Of connections.
  /// What one cell must reach, in `unit`, to be far off for a moment (docs/methods/burst.md); 0: not looked
  /// at.
  double least_burst = 0;
  /// Judged by default only where samples are at least so far apart.
  Duration least_interval{0};

  /// Whether it is how long a call or a message takes (S §6): a time per what took it. What also knows of
  /// requests that wait and do not complete is a wait (FormulaShape::kWait) instead.
  [[nodiscard]] constexpr bool is_service_time() const {
    return formula.shape == FormulaShape::kRatio && role == Role::kLatency;
  }

  /// Who observes it (Evidence::source): service times follow from system calls.
  [[nodiscard]] constexpr std::string_view witness() const {
    return is_service_time() ? "syscalls" : "metrics";
  }

  /// Whether it is one of the quantities that add up to what goes through its resource.
  [[nodiscard]] constexpr bool is_moved() const {
    if (resource != Resource::kStorage && resource != Resource::kNetwork) return false;
    const auto [one, other] = moved(resource);
    return quantity == one || quantity == other;
  }

  /// The counters of devices of this kind that the metric is computed from; empty names are none.
  [[nodiscard]] constexpr std::array<std::string_view, 12> inputs(DeviceKind of) const {
    std::array<std::string_view, 12> names{};
    std::size_t n = 0;
    if (of != kind) {
      if (of == DeviceKind::kNet) names[n++] = formula.packets.sent;
      if (of == DeviceKind::kNet) names[n++] = formula.packets.received;
      return names;
    }
    for (const CounterSum* sum : {&formula.counted, &formula.per}) {
      for (const std::string_view counter : {sum->terms[0], sum->terms[1], sum->total, sum->also}) {
        names[n++] = counter;
      }
    }
    for (const std::string_view counter :
         {formula.computed_rate, formula.stall.in_flight, formula.stall.queue_ms, formula.sent}) {
      names[n++] = counter;
    }
    return names;
  }
};

/// docs/methods/metrics.md lists them.
[[nodiscard]] std::span<const MetricSpec> metric_catalogue();
[[nodiscard]] const MetricSpec* find_metric(std::string_view name);

[[nodiscard]] std::string_view to_name(Role role);          // throughput, latency, …, errors
[[nodiscard]] std::string_view to_name(Resource resource);  // storage, network, cpu, memory, service

}  // namespace laggard
