#include "collect/procfs/proc_tables.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <utility>

#include "base/text.h"
#include "model/background_work.h"

namespace laggard::collect {

namespace {

constexpr std::size_t kFirstBuffer = std::size_t{64} << 10;
/// Some 500,000 devices; a longer file is not the one that we know.
constexpr std::size_t kLargestBuffer = std::size_t{64} << 20;

}  // namespace

ProcFile::ProcFile(Fd fd, std::string path)
    : fd_(std::move(fd)), path_(std::move(path)), buffer_(kFirstBuffer) {}

Result<ProcFile> ProcFile::open(const std::filesystem::path& path) {
  Fd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!fd.valid()) return fail_errno(errno, path.string(), "cannot open");
  return ProcFile(std::move(fd), path.string());
}

Result<std::string_view> ProcFile::read() {
  std::size_t length = 0;
  for (;;) {
    if (length == buffer_.size()) {
      if (buffer_.size() >= kLargestBuffer) {
        return fail(ErrorCode::kBadInput, path_, "is larger than 64 MB, which no list of devices is");
      }
      buffer_.resize(buffer_.size() * 2);
    }
    const ssize_t n =
        ::pread(fd_.get(), buffer_.data() + length, buffer_.size() - length, static_cast<off_t>(length));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail_errno(errno, path_, "cannot read");
    if (n == 0) return std::string_view(buffer_.data(), length);
    length += static_cast<std::size_t>(n);
  }
}

namespace {

constexpr std::array<std::string_view, kDiskCounters> kDiskNames{
    "rd_ios",     "rd_merges",  "rd_sectors", "rd_ms",  "wr_ios",      "wr_merges",
    "wr_sectors", "wr_ms",      "in_flight",  "io_ms",  "weighted_ms", "dc_ios",
    "dc_merges",  "dc_sectors", "dc_ms",      "fl_ios", "fl_ms"};

constexpr int kFewest = 11;

}  // namespace

std::vector<TableCounter> disk_counters() {
  std::vector<TableCounter> counters;
  counters.reserve(kDiskCounters + 3);
  for (const std::string_view name : kDiskNames) {
    counters.push_back({std::string(name), find_counter(DeviceKind::kDisk, name)->form});
  }
  for (const std::string_view gauge :
       {kSyncActionCounter, std::string_view("paths_up"), std::string_view("paths_down")}) {
    counters.push_back({std::string(gauge), CounterForm::kGauge});
  }
  return counters;
}

std::optional<DiskLine> split_disk_line(std::string_view line) {
  const std::string_view major = take_word(line);
  const std::string_view minor = take_word(line);
  const std::string_view name = take_word(line);
  const auto digit = [](std::string_view word) { return !word.empty() && word[0] >= '0' && word[0] <= '9'; };
  if (!digit(major) || !digit(minor) || name.empty()) return std::nullopt;
  return DiskLine{name, line};
}

std::uint32_t read_disk_counters(std::string_view counters, std::span<std::uint64_t, kDiskCounters> values) {
  const std::uint32_t mask = read_numbers(counters, values);
  // The width decides, not how many numbers were readable: a negative in_flight spoils only itself.
  return std::bit_width(mask) < kFewest ? 0 : mask;
}

namespace {

struct Column {
  std::string_view name;
  std::size_t place;  ///< Among the numbers after the colon: 8 of receive, then 8 of transmit.
};

constexpr std::array<Column, kNetCounters> kColumns{{{"rx_bytes", 0},
                                                     {"rx_packets", 1},
                                                     {"rx_errors", 2},
                                                     {"rx_drop", 3},
                                                     {"tx_bytes", 8},
                                                     {"tx_packets", 9},
                                                     {"tx_errors", 10},
                                                     {"tx_drop", 11}}};
constexpr std::size_t kNumbers = 12;

}  // namespace

std::vector<TableCounter> net_counters() {
  std::vector<TableCounter> counters;
  counters.reserve(kNetCounters);
  for (const Column& column : kColumns) {
    counters.push_back({std::string(column.name), find_counter(DeviceKind::kNet, column.name)->form});
  }
  return counters;
}

std::optional<NetLine> split_net_line(std::string_view line) {
  // The last colon: aliases of old kernels (`eth0:1`) have one in their name; numbers never do.
  const std::size_t colon = line.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view name = trim(line.substr(0, colon));
  if (name.empty() || name.find('|') != std::string_view::npos) return std::nullopt;
  return NetLine{name, line.substr(colon + 1)};
}

std::uint32_t read_net_counters(std::string_view counters, std::span<std::uint64_t, kNetCounters> values) {
  std::array<std::uint64_t, kNumbers> all{};
  const std::uint32_t found = read_numbers(counters, all);
  if (std::bit_width(found) < static_cast<int>(kNumbers)) return 0;
  std::uint32_t mask = 0;
  for (std::size_t c = 0; c < kNetCounters; ++c) {
    if ((found >> kColumns[c].place & 1U) == 0) continue;
    values[c] = all[kColumns[c].place];
    mask |= std::uint32_t{1} << c;
  }
  return mask;
}

void DeviceTracker::begin_pass() {
  ++pass_;
  next_ = 0;
  changed_ = false;
}

DeviceTracker::Found DeviceTracker::find(std::string_view name) {
  if (!changed_ && next_ < order_.size() && order_[next_]->name == name) {
    TrackedDevice* device = order_[next_++];
    device->pass = pass_;
    return {device, false};
  }
  if (!changed_) {
    changed_ = true;
    seen_.assign(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(next_));
  }
  const auto [it, is_new] = by_name_.try_emplace(std::string(name));
  TrackedDevice* device = &it->second;
  if (is_new) device->name = name;
  if (device->pass != pass_) seen_.push_back(device);  // Otherwise listed twice, see ProcFile::read.
  device->pass = pass_;
  return {device, is_new};
}

bool DeviceTracker::end_pass() {
  if (!changed_) {
    if (next_ == order_.size()) return false;
    seen_.assign(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(next_));
  }
  order_.swap(seen_);
  for (auto it = by_name_.begin(); it != by_name_.end();) {
    it = it->second.pass == pass_ ? std::next(it) : by_name_.erase(it);
  }
  return true;
}

TrackedDevice* DeviceTracker::get(const std::string& name) {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &found->second;
}

void add_ended(Facts& facts, const Facts& before) {
  for (const auto& [key, value] : before) {
    const bool still =
        std::any_of(facts.begin(), facts.end(), [&k = key](const auto& fact) { return fact.first == k; });
    if (!still) facts.emplace_back(key, std::string{});
  }
}

void forget_the_gone(ToldFacts& told, DeviceTracker& tracker) {
  // Facts of devices that may return are kept, so that the sink learns which of them no longer hold.
  constexpr std::size_t kWorthKeeping = 1000;
  if (told.size() <= 2 * tracker.devices().size() + kWorthKeeping) return;
  std::erase_if(told, [&](const auto& entry) { return tracker.get(entry.first) == nullptr; });
}

}  // namespace laggard::collect
