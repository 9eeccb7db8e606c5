#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/sample_table.h"

namespace laggard::collect {

// Counters of what is not a block device but serves like one: Lustre's OSTs and MDTs and ZFS's pools, under
// the names that mean the same for a disk (docs/formats/targets.md).

/// The places of TargetCounters::values, in the order of target_counters().
enum class TargetCounter : std::uint8_t {
  kReads,
  kReadSectors,
  kReadMs,
  kWrites,
  kWriteSectors,
  kWriteMs,
  kInFlight,
  kBusyMs,
  kWeightedMs,
  // Operations of an MDT.
  kOpen,
  kClose,
  kGetAttr,
  kGetXattr,
  kStatFs,
  kMkNod,
  kLink,
  kUnlink,
  kMkDir,
  kRmDir,
  kRename,
  kSetAttr,
  kSetXattr,
  kSync
};
inline constexpr std::size_t kTargetCounters = 23;
/// How many of them, the last ones, only MDTs have.
inline constexpr std::size_t kMdtOperations = 14;

struct TargetCounters {
  std::array<std::uint64_t, kTargetCounters> values{};
  std::uint32_t present = 0;  ///< A bit for each value that is there.

  [[nodiscard]] bool has(TargetCounter which) const {
    return (present >> static_cast<unsigned>(which) & 1U) != 0;
  }
  [[nodiscard]] std::uint64_t at(TargetCounter which) const {
    return values[static_cast<std::size_t>(which)];
  }
  void set(TargetCounter which, std::uint64_t value) {
    values[static_cast<std::size_t>(which)] = value;
    present |= std::uint32_t{1} << static_cast<unsigned>(which);
  }
};

/// rd_ios rd_sectors rd_ms wr_ios wr_sectors wr_ms in_flight io_ms weighted_ms, and md_open … md_sync.
[[nodiscard]] std::vector<TableCounter> target_counters();

/// The counter of an operation by its name in md_stats (`open` -> kOpen); nothing for a name that is not a
/// request in its own right.
[[nodiscard]] std::optional<TargetCounter> mdt_operation(std::string_view name);

/// The requests that an MDT served, gathered operation by operation, each given at most once.
class MdtOperations {
 public:
  void count(TargetCounter operation, std::uint64_t requests);
  /// The total time of its requests.
  void time(TargetCounter operation, std::uint64_t microseconds);

  /// Each operation under its own name, and their sums: operations that leave the name space unchanged (open,
  /// close, getattr, getxattr, statfs) add up to rd_ios, the others to wr_ios. An operation that was not
  /// given counts zero. rd_ms and wr_ms are set where every operation that was counted has a time.
  [[nodiscard]] TargetCounters counters() const;

 private:
  std::array<std::uint64_t, kMdtOperations> requests_{};
  std::uint64_t read_us_ = 0;
  std::uint64_t write_us_ = 0;
  std::uint32_t counted_ = 0;  ///< A bit for each operation.
  std::uint32_t timed_ = 0;
};

/// `I/O time (1/1000s)` of an OST's brw_stats, a histogram of I/Os over doubling times: bucket K holds those
/// of K/2 to K ms, each taken as three quarters of K, and those of the first bucket as half a millisecond.
class BrwTimes {
 public:
  void add_reads(std::uint64_t upper_ms, std::uint64_t count) { reads_.add(upper_ms, count); }
  void add_writes(std::uint64_t upper_ms, std::uint64_t count) { writes_.add(upper_ms, count); }

  /// Sets rd_ms and wr_ms if the histogram holds at least half of the transfers: osd-zfs leaves most out.
  void complete(TargetCounters& counters) const;

  /// `32`, `1K`, `4M` -> 32, 1024, 4194304: the upper end of a bucket.
  [[nodiscard]] static std::optional<std::uint64_t> bucket(std::string_view word);

 private:
  struct Sum {
    std::uint64_t ios = 0;
    std::uint64_t quarter_ms = 0;
    void add(std::uint64_t upper_ms, std::uint64_t count);
  };
  Sum reads_;
  Sum writes_;
};

/// Lustre's obdfilter/OST/stats. `read_bytes` and `write_bytes` count bulk transfers and their bytes; a line
/// that is not there yet counts zero, as Lustre shows lines from their first event on. `read` and `write` in
/// microseconds, which Lustre has since 2.12, give rd_ms and wr_ms. Nothing when it is not such a file.
[[nodiscard]] TargetCounters read_ost_stats(std::string_view text);

/// Adds the times of an OST from Lustre's brw_stats, where `stats` has none.
void add_brw_times(std::string_view text, TargetCounters& counters);

/// Lustre's mdt/MDT/md_stats. Newer versions of Lustre give times in microseconds, older ones only counts in
/// `[reqs]`. A line that is not there yet counts zero. samedir_rename and crossdir_rename are left out
/// because rename counts them too. Nothing when it is not such a file.
[[nodiscard]] TargetCounters read_mdt_stats(std::string_view text);

/// ZFS's kstat POOL/io (until OpenZFS 2.0): bytes, requests and the times of the pool's queues, in
/// nanoseconds. weighted_ms is waiting and running requests together. Nothing when it is not such a file.
[[nodiscard]] TargetCounters read_pool_io(std::string_view text);

/// Adds ZFS's kstat POOL/objset-ID: reads and writes of one file system, before the cache. False when it is
/// not such a file.
bool add_pool_objset(std::string_view text, TargetCounters& counters);

}  // namespace laggard::collect
