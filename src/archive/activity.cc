#include "archive/activity.h"

#include <limits>
#include <numeric>
#include <span>
#include <string_view>

namespace laggard::archive {

namespace {

constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

/// The counters of a kind whose growth means load, at most ActivityTracker::kWatched. Without any, being
/// present means load.
std::span<const std::string_view> load_counters(DeviceKind kind) {
  static constexpr std::array<std::string_view, 3> kDisk{"rd_ios", "wr_ios", "ios"};
  static constexpr std::array<std::string_view, 4> kNet{"rx_packets", "tx_packets", "rx_bytes", "tx_bytes"};
  switch (kind) {
    case DeviceKind::kDisk:
      return kDisk;
    case DeviceKind::kNet:
      return kNet;
    case DeviceKind::kTcp:
    case DeviceKind::kHost:
    case DeviceKind::kDaemon:
    case DeviceKind::kJob:
      return {};
  }
  return {};
}

void mark_growth(const SampleTable& table, std::size_t c, std::size_t d, std::uint64_t& last,
                 std::vector<std::uint8_t>& active) {
  const SampleTable::View cells = table.view(c, d);
  for (std::size_t t = 0; t < active.size(); ++t) {
    if (!cells.present(t)) continue;
    if (last != kUnknown && cells.value(t) > last) active[t] = 1;
    last = cells.value(t);
  }
}

/// Marks the times at which a computed rate is not zero. The shift drops the sign bit, so that -0.0 is zero
/// too.
void mark_nonzero(const SampleTable& table, std::size_t c, std::size_t d, std::vector<std::uint8_t>& active) {
  const SampleTable::View cells = table.view(c, d);
  for (std::size_t t = 0; t < active.size(); ++t) {
    if ((cells.value(t) << 1) != 0) active[t] = 1;  // Missing cells hold 0.
  }
}

void mark_present(const SampleTable& table, std::size_t d, std::vector<std::uint8_t>& active) {
  for (std::size_t c = 0; c < table.counters().size(); ++c) {
    const SampleTable::View cells = table.view(c, d);
    for (std::size_t t = 0; t < active.size(); ++t) active[t] |= static_cast<std::uint8_t>(cells.present(t));
  }
}

/// Whether the counter means load when it is not zero.
bool means_load(const TableCounter& counter) {
  return counter.form == CounterForm::kComputedRate || counter.name == "in_flight";
}

}  // namespace

ActivityTracker::Last& ActivityTracker::last_of(const std::string& device) {
  Last unknown{};
  unknown.fill(kUnknown);
  return last_.try_emplace(device, unknown).first->second;
}

void ActivityTracker::mark(const SampleTable& table, std::size_t d, std::vector<std::uint8_t>& active) {
  const std::span<const std::string_view> watched = load_counters(table.kind());
  if (watched.empty()) return mark_present(table, d, active);
  Last& last = last_of(table.devices()[d]);
  for (std::size_t i = 0; i < watched.size(); ++i) {
    const auto c = table.counter_index(watched[i]);
    if (c) mark_growth(table, *c, d, last[i], active);
  }
  for (std::size_t c = 0; c < table.counters().size(); ++c) {
    if (means_load(table.counters()[c])) mark_nonzero(table, c, d, active);
  }
}

std::vector<std::uint32_t> ActivityTracker::count(const SampleTable& table) {
  std::vector<std::uint32_t> counts;
  std::vector<std::uint8_t> active;
  for (std::size_t d = 0; d < table.devices().size(); ++d) {
    active.assign(table.times().size(), 0);
    mark(table, d, active);
    counts.push_back(std::accumulate(active.begin(), active.end(), std::uint32_t{0}));
  }
  return counts;
}

}  // namespace laggard::archive
