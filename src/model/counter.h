#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace laggard {

/// What a device is; decides which counters it has.
enum class DeviceKind : std::uint8_t {
  kDisk,    ///< A block device as /proc/diskstats shows it.
  kNet,     ///< A network interface.
  kTcp,     ///< One TCP connection, named `local>peer`, each `address:port`.
  kHost,    ///< The machine as a whole: processors, memory, pressure. One to a host, named kHostDevice.
  kDaemon,  ///< Processes that serve together: all of one name, or of one control group.
  kJob,     ///< A job of the cluster at a metadata target, named `target/job`.
};
inline constexpr std::size_t kDeviceKinds = 6;
inline constexpr std::string_view kHostDevice = "host";

struct DeviceKindSpec {
  DeviceKind kind;
  std::string_view name;  ///< As recordings and CSV spell it.
};

[[nodiscard]] std::span<const DeviceKindSpec> device_kinds();
[[nodiscard]] std::string_view to_name(DeviceKind kind);
[[nodiscard]] std::optional<DeviceKind> device_kind(std::string_view name);

/// How the numbers of a counter are to be read.
enum class CounterForm : std::uint8_t {
  kCumulative,    ///< Only grows; a rate is a difference. Stored as an unsigned 64-bit integer.
  kGauge,         ///< A momentary value, as an unsigned integer (in_flight, snd_cwnd).
  kComputedRate,  ///< What another tool computed, a rate or a mean, as a double.
};

/// One number that a device shows. Names are the kernel's (Documentation/admin-guide/iostats.rst) in the
/// spelling of docs/formats/csv.md.
struct CounterSpec {
  std::string_view name;
  DeviceKind kind;
  CounterForm form;
  std::string_view unit;  ///< requests, sectors (512 bytes), ms, bytes, packets, segments, us, pages, …
};

/// All counters that laggard knows by name. Others are stored and exported under their own names.
[[nodiscard]] std::span<const CounterSpec> known_counters();
[[nodiscard]] const CounterSpec* find_counter(DeviceKind kind, std::string_view name);

/// Increase of a cumulative counter from `before` to `after`.
/// A step backwards is a reset (device re-attached, reboot) and gives nothing: the interval is missing. The
/// exception is a 32-bit wrap of old kernels, taken as such when the last value was within 2^28 of 2^32 and
/// the increase over the wrap is below 2^28 too (docs/methods/metrics.md: "next value small and the last near
/// 2^32").
[[nodiscard]] std::optional<std::uint64_t> counter_increase(std::uint64_t before, std::uint64_t after);

}  // namespace laggard
