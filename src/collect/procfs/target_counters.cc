#include "collect/procfs/target_counters.h"

#include <algorithm>
#include <cstddef>

#include "base/error.h"
#include "base/text.h"

namespace laggard::collect {

namespace {

using enum TargetCounter;

constexpr std::uint64_t kMicrosecondsInMs = 1000;

/// In the order of TargetCounter; those that change nothing in the name space come first.
constexpr std::array<std::string_view, kMdtOperations> kOperations{
    "open",   "close", "getattr", "getxattr", "statfs",  "mknod",    "link",
    "unlink", "mkdir", "rmdir",   "rename",   "setattr", "setxattr", "sync"};
constexpr std::size_t kReadingOperations = 5;

std::size_t place_of(TargetCounter operation) {
  LAGGARD_CHECK(operation >= kOpen && operation <= kSync);
  return static_cast<std::size_t>(operation) - static_cast<std::size_t>(kOpen);
}

TargetCounter operation_at(std::size_t place) {
  return static_cast<TargetCounter>(static_cast<std::size_t>(kOpen) + place);
}

}  // namespace

std::vector<TableCounter> target_counters() {
  using enum CounterForm;
  return {{"rd_ios", kCumulative},      {"rd_sectors", kCumulative}, {"rd_ms", kCumulative},
          {"wr_ios", kCumulative},      {"wr_sectors", kCumulative}, {"wr_ms", kCumulative},
          {"in_flight", kLevel},        {"io_ms", kCumulative},      {"weighted_ms", kCumulative},
          {"md_open", kCumulative},     {"md_close", kCumulative},   {"md_getattr", kCumulative},
          {"md_getxattr", kCumulative}, {"md_statfs", kCumulative},  {"md_mknod", kCumulative},
          {"md_link", kCumulative},     {"md_unlink", kCumulative},  {"md_mkdir", kCumulative},
          {"md_rmdir", kCumulative},    {"md_rename", kCumulative},  {"md_setattr", kCumulative},
          {"md_setxattr", kCumulative}, {"md_sync", kCumulative}};
}

std::optional<TargetCounter> mdt_operation(std::string_view name) {
  const auto* const found = std::find(kOperations.begin(), kOperations.end(), name);
  if (found == kOperations.end()) return std::nullopt;
  return operation_at(static_cast<std::size_t>(found - kOperations.begin()));
}

void MdtOperations::count(TargetCounter operation, std::uint64_t requests) {
  const std::size_t place = place_of(operation);
  requests_[place] = requests;
  counted_ |= std::uint32_t{1} << place;
}

void MdtOperations::time(TargetCounter operation, std::uint64_t microseconds) {
  const std::size_t place = place_of(operation);
  (place < kReadingOperations ? read_us_ : write_us_) += microseconds;
  timed_ |= std::uint32_t{1} << place;
}

TargetCounters MdtOperations::counters() const {
  TargetCounters counters;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  for (std::size_t place = 0; place < kOperations.size(); ++place) {
    counters.set(operation_at(place), requests_[place]);
    (place < kReadingOperations ? reads : writes) += requests_[place];
  }
  counters.set(kReads, reads);
  counters.set(kWrites, writes);
  if (timed_ == 0 || timed_ != counted_) return counters;
  counters.set(kReadMs, read_us_ / kMicrosecondsInMs);
  counters.set(kWriteMs, write_us_ / kMicrosecondsInMs);
  return counters;
}

void BrwTimes::Sum::add(std::uint64_t upper_ms, std::uint64_t count) {
  ios += count;
  quarter_ms += count * (upper_ms <= 1 ? 2 : 3 * upper_ms);
}

void BrwTimes::complete(TargetCounters& counters) const {
  if (!counters.has(kReads) || !counters.has(kWrites)) return;
  const std::uint64_t transfers = counters.at(kReads) + counters.at(kWrites);
  if (transfers == 0 || reads_.ios + writes_.ios < transfers / 2 + transfers % 2) return;
  counters.set(kReadMs, reads_.quarter_ms / 4);
  counters.set(kWriteMs, writes_.quarter_ms / 4);
}

std::optional<std::uint64_t> BrwTimes::bucket(std::string_view word) {
  std::uint64_t factor = 1;
  if (word.ends_with('K')) factor = 1024;
  if (word.ends_with('M')) factor = std::uint64_t{1024} * 1024;
  if (factor > 1) word.remove_suffix(1);
  const auto number = to_number<std::uint64_t>(word);
  if (!number || *number > UINT32_MAX) return std::nullopt;
  return *number * factor;
}

}  // namespace laggard::collect
