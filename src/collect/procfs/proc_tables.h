#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "model/sample_table.h"

namespace laggard::collect {

/// A file of /proc that is read over and over: stays open and is read from its start each time, which makes
/// the kernel write its present numbers. The buffer grows to the file's size once and is then kept.
class ProcFile {
 public:
  [[nodiscard]] static Result<ProcFile> open(const std::filesystem::path& path);

  /// The text at this moment. Valid until the next call. The kernel hands out a page at a time, so that
  /// devices that come or go between two pages can be missing from one text or appear twice.
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

/// The names of those counters in their order, and behind them what only md arrays have: `sync_action`.
[[nodiscard]] std::vector<TableCounter> disk_counters();

/// Nothing when the line is not of that form.
[[nodiscard]] std::optional<DiskLine> split_disk_line(std::string_view line);

/// Reads the counters of a line; the mask of those that are there, or 0 when there are fewer than the 11 of
/// Linux 2.6 (4 on its oldest partitions), which says that the line means something else.
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

/// Reads the counters of a line; the mask of those that are there, 0 when the line has fewer than 12 numbers.
[[nodiscard]] std::uint32_t read_net_counters(std::string_view counters,
                                              std::span<std::uint64_t, kNetCounters> values);

}  // namespace laggard::collect
