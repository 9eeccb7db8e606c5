#include "collect/import/prometheus/host_sums.h"

#include <algorithm>
#include <array>

namespace laggard::collect {

namespace {

constexpr double kMs = 1000;

/// A series of a host that is a part of a counter.
struct PartOfSum {
  ExportedCounter exported;
  std::string_view mode{};  ///< The label that it must have; empty: any.
};

constexpr std::array kMetrics{std::string_view("node_cpu_seconds_total"),
                              std::string_view("node_edac_correctable_errors_total"),
                              std::string_view("node_edac_uncorrectable_errors_total")};

constexpr PartOfSum cpu(std::string_view mode, std::string_view counter) {
  return {{kMetrics[0], DeviceKind::kHost, counter, kMs}, mode};
}

/// As in /proc/stat, `user` holds what guests used.
constexpr std::array kParts{
    cpu("user", "cpu_user_ms"),
    cpu("nice", "cpu_user_ms"),
    cpu("system", "cpu_system_ms"),
    cpu("irq", "cpu_irq_ms"),
    cpu("softirq", "cpu_irq_ms"),
    cpu("idle", "cpu_idle_ms"),
    cpu("iowait", "cpu_iowait_ms"),
    cpu("steal", "cpu_steal_ms"),
    PartOfSum{{kMetrics[1], DeviceKind::kHost, "ecc_corrected"}},
    PartOfSum{{kMetrics[2], DeviceKind::kHost, "ecc_uncorrected"}},
};

}  // namespace

std::span<const std::string_view> HostSums::metrics() { return kMetrics; }

bool HostSums::series(const Labels& labels, const std::string& host) {
  const auto value = [&](std::string_view label) {
    const auto found = labels.find(label);
    return found == labels.end() ? std::string_view{} : std::string_view(found->second);
  };
  const auto part = std::ranges::find_if(kParts, [&](const PartOfSum& of) {
    return of.exported.metric == value("__name__") && (of.mode.empty() || of.mode == value("mode"));
  });
  if (part == kParts.end()) return false;
  exported_ = &part->exported;
  sums_ = &gathered_[{host, exported_->counter}];
  return true;
}

bool HostSums::sample(std::int64_t time_ms, std::string_view value) {
  const std::optional<std::uint64_t> bits = stored_value(*exported_, value);
  const auto [sum, is_first] = sums_->try_emplace(time_ms, bits);
  if (!is_first) sum->second = sum->second && bits ? std::optional(*sum->second + *bits) : std::nullopt;
  return bits.has_value();
}

void HostSums::hand_on(SampleCollector& collector) {
  constexpr std::int64_t kNsPerMs = 1'000'000;
  for (const auto& [key, sums] : gathered_) {
    const auto& [host, counter] = key;
    auto found = columns_.find(key);
    if (found == columns_.end()) {
      const StreamId stream = collector.stream(host, DeviceKind::kHost);
      const ColumnId column =
          collector.column(stream, kHostDevice, {std::string(counter), CounterForm::kCumulative});
      found = columns_.emplace(key, Column{stream, column}).first;
    }
    for (const auto& [time_ms, sum] : sums) {
      if (!sum) continue;
      collector.add(found->second.stream, found->second.column, from_unix_ns(time_ms * kNsPerMs), *sum);
    }
  }
  gathered_.clear();
}

}  // namespace laggard::collect
