#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/time.h"
#include "collect/record/sampler.h"
#include "model/sample_table.h"

namespace laggard::collect {

/// A file of /proc that is read at every tick. It stays open and is read from its start each time, which
/// makes the kernel generate it anew. The buffer grows to the file's size once and is then reused.
class ProcFile {
 public:
  [[nodiscard]] static Result<ProcFile> open(const std::filesystem::path& path);

  /// The present text, valid until the next call. The kernel hands out a page at a time, so that a device may
  /// be missing or appear twice when devices come or go between two pages.
  [[nodiscard]] Result<std::string_view> read();

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  ProcFile(Fd fd, std::string path);

  Fd fd_;
  std::string path_;
  std::vector<char> buffer_;
};

/// A line of /proc/diskstats (docs/formats/diskstats.md): `major minor name counter...`.
struct DiskLine {
  std::string_view name;
  std::string_view counters;
};

/// 11 counters since Linux 2.6, 15 since 4.18 (discards), 17 since 5.5 (flushes). Later ones are not read.
inline constexpr std::size_t kDiskCounters = 17;
/// In which places of them stand the requests that were completed.
inline constexpr std::size_t kReadsPlace = 0;
inline constexpr std::size_t kWritesPlace = 4;

/// The names of those counters in their order, followed by `sync_action`, which only md arrays have.
[[nodiscard]] std::vector<TableCounter> disk_counters();

/// Nothing when the line is not of that form.
[[nodiscard]] std::optional<DiskLine> split_disk_line(std::string_view line);

/// Reads the counters of a line. \return the mask of those that are there, or 0 when the line has fewer than
/// the 11 of Linux 2.6 (4 on its oldest partitions) and so means something else.
[[nodiscard]] std::uint32_t read_disk_counters(std::string_view counters,
                                               std::span<std::uint64_t, kDiskCounters> values);

/// A line of /proc/net/dev (docs/formats/net_dev.md): `name: rx counters... tx counters...`.
struct NetLine {
  std::string_view name;
  std::string_view counters;
};

/// rx and tx bytes, packets, errors and drops.
inline constexpr std::size_t kNetCounters = 8;
[[nodiscard]] std::vector<TableCounter> net_counters();

/// Nothing for the two header lines and for what is not of that form.
[[nodiscard]] std::optional<NetLine> split_net_line(std::string_view line);

/// Reads the counters of a line. \return the mask of those that are there, 0 for fewer than 12 numbers.
[[nodiscard]] std::uint32_t read_net_counters(std::string_view counters,
                                              std::span<std::uint64_t, kNetCounters> values);

/// How often to look again for changes that the kernel's tables do not show: a loop device's file, a pool, a
/// target.
inline constexpr Duration kLookEvery = std::chrono::seconds(10);

struct TrackedDevice {
  std::string name;
  bool wanted = false;  ///< Is to be recorded.
  Slot slot;
  std::uint64_t pass = 0;  ///< The last pass that showed it.
  MonoTime since;          ///< When it appeared.
};

/// Remembers the devices of a file of /proc from one reading (a pass) to the next.
///
/// The kernel lists devices in the same order until one comes or goes, so that a device is normally found by
/// comparing one name, and searched for only after a change.
class DeviceTracker {
 public:
  void begin_pass();

  struct Found {
    TrackedDevice* device;
    bool is_new;  ///< Then the caller fills it in.
  };
  [[nodiscard]] Found find(std::string_view name);

  /// Forgets the devices that this pass did not show; they are new when they return.
  /// \return whether a device came or went.
  bool end_pass();

  /// In the kernel's order, as of the last `end_pass`.
  [[nodiscard]] const std::vector<TrackedDevice*>& devices() const { return order_; }
  [[nodiscard]] TrackedDevice* get(const std::string& name);

 private:
  std::unordered_map<std::string, TrackedDevice> by_name_;
  std::vector<TrackedDevice*> order_;
  std::vector<TrackedDevice*> seen_;  ///< This pass's order; filled only once it differs from `order_`.
  std::size_t next_ = 0;
  std::uint64_t pass_ = 0;
  bool changed_ = false;
};

using Facts = std::vector<std::pair<std::string, std::string>>;

/// The facts of each device that the sink was last given.
using ToldFacts = std::map<std::string, Facts>;

/// Adds the keys of `before` that `facts` no longer has, with an empty value, which tells a sink that they no
/// longer hold.
void add_ended(Facts& facts, const Facts& before);

/// Keeps `told` bounded where devices with ever new names come and go (containers' interfaces).
void forget_the_gone(ToldFacts& told, DeviceTracker& tracker);

}  // namespace laggard::collect
