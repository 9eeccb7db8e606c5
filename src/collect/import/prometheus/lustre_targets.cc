#include "collect/import/prometheus/lustre_targets.h"

#include <cmath>
#include <utility>

#include "base/text.h"

namespace laggard::collect {

namespace {

constexpr std::int64_t kNsInMs = 1'000'000;
constexpr std::uint64_t kSectorBytes = 512;

constexpr std::string_view kReadCount = "lustre_read_samples_total";
constexpr std::string_view kReadSum = "lustre_read_bytes_total";
constexpr std::string_view kWriteCount = "lustre_write_samples_total";
constexpr std::string_view kWriteSum = "lustre_write_bytes_total";
/// Despite its name, the number of I/Os that took up to `size` milliseconds.
constexpr std::string_view kBuckets = "lustre_io_time_milliseconds_total";
constexpr std::string_view kOperationCount = "lustre_stats_total";
/// In microseconds.
constexpr std::string_view kOperationTime = "lustre_stats_time_total";

/// Of a job at a target.
constexpr std::string_view kJobOperationCount = "lustre_job_stats_total";

constexpr std::array kMetrics{kReadCount, kReadSum,        kWriteCount,    kWriteSum,
                              kBuckets,   kOperationCount, kOperationTime, kJobOperationCount};

std::string_view label(const Labels& labels, std::string_view name) {
  const auto found = labels.find(name);
  return found == labels.end() ? std::string_view{} : std::string_view(found->second);
}

std::optional<std::uint64_t> count_of(std::string_view text) {
  constexpr double kEnd = 18446744073709549568.0;  // the largest double below 2^64
  const std::optional<double> number = to_number<double>(text);
  if (!number || !(*number >= 0) || *number > kEnd) return std::nullopt;
  return static_cast<std::uint64_t>(std::round(*number));
}

/// Of a job there are no sums over operations.
std::size_t first_counter(DeviceKind kind) {
  return kind == DeviceKind::kJob ? static_cast<std::size_t>(TargetCounter::kOpen) : 0;
}

}  // namespace

std::span<const std::string_view> LustreTargets::metrics() { return kMetrics; }

std::optional<LustreTargets::Role> LustreTargets::role_of(const Labels& labels, bool metadata) {
  const std::string_view metric = label(labels, "__name__");
  const std::string_view operation = label(labels, "operation");
  if (metadata) {
    const auto counter = mdt_operation(operation);
    const bool counts = metric == kOperationCount || metric == kJobOperationCount;
    if (!counter || (!counts && metric != kOperationTime)) return std::nullopt;
    return Role{counts ? Part::kOperationCount : Part::kOperationTime, 0, *counter};
  }
  if (metric == kReadCount) return Role{Part::kReads};
  if (metric == kReadSum) return Role{Part::kReadBytes};
  if (metric == kWriteCount) return Role{Part::kWrites};
  if (metric == kWriteSum) return Role{Part::kWriteBytes};
  if (metric != kBuckets || (operation != "read" && operation != "write")) return std::nullopt;
  const auto bucket = BrwTimes::bucket(label(labels, "size"));
  if (!bucket) return std::nullopt;
  return Role{operation == "read" ? Part::kReadTimes : Part::kWriteTimes, *bucket};
}

void LustreTargets::begin_stretch() {
  for (auto& [key, target] : targets_) target.gathered.clear();
  target_ = nullptr;
}

bool LustreTargets::series(const Labels& labels, const std::string& host) {
  target_ = nullptr;
  const std::string_view component = label(labels, "component");
  const std::string name(label(labels, "target"));
  const bool metadata = component == "mdt";
  if (name.empty() || (!metadata && component != "ost")) return false;
  const std::optional<Role> role = role_of(labels, metadata);
  if (!role) return false;
  role_ = *role;
  if (label(labels, "__name__") != kJobOperationCount) {
    begin_target(host, name, metadata, DeviceKind::kDisk);
    return true;
  }
  const std::string_view job = label(labels, "jobid");
  if (job.empty()) return false;
  begin_target(host, name + "/" + std::string(job), metadata, DeviceKind::kJob);
  return true;
}

void LustreTargets::begin_target(const std::string& host, std::string name, bool metadata, DeviceKind kind) {
  const auto [found, fresh] = targets_.try_emplace(host + '\n' + name);
  target_ = &found->second;
  if (!fresh) return;
  target_->host = host;
  target_->name = name;
  target_->metadata = metadata;
  target_->kind = kind;
  if (kind == DeviceKind::kJob) return;
  DeviceInfo info;
  info.host = host;
  info.kind = DeviceKind::kDisk;
  info.device = std::move(name);
  info.facts.emplace_back("view", metadata ? "mdt" : "lustre");
  news_.push_back(std::move(info));
}

bool LustreTargets::sample(std::int64_t time_ms, std::string_view value) {
  Gathered& gathered = target_->gathered[time_ms];
  const std::optional<std::uint64_t> number = count_of(value);
  if (number) {
    add(role_, *number, gathered);
  } else {
    gathered.broken = true;
  }
  return number.has_value();
}

void LustreTargets::add(const Role& role, std::uint64_t value, Gathered& gathered) {
  switch (role.part) {
    case Part::kReads:
    case Part::kReadBytes:
    case Part::kWrites:
    case Part::kWriteBytes:
      gathered.transfers[static_cast<std::size_t>(role.part)] = value;
      break;
    case Part::kReadTimes:
      gathered.times.add_reads(role.bucket, value);
      break;
    case Part::kWriteTimes:
      gathered.times.add_writes(role.bucket, value);
      break;
    case Part::kOperationCount:
      gathered.operations.count(role.operation, value);
      break;
    case Part::kOperationTime:
      gathered.operations.time(role.operation, value);
      break;
  }
}

/// Lustre shows a direction from its first transfer on: a missing one counts zero when the other is there.
TargetCounters LustreTargets::counters_of(const Target& target, const Gathered& gathered) {
  if (target.metadata) return gathered.operations.counters();
  TargetCounters counters;
  const auto& [reads, read_bytes, writes, write_bytes] = gathered.transfers;
  if (reads || writes) {
    counters.set(TargetCounter::kReads, reads.value_or(0));
    counters.set(TargetCounter::kWrites, writes.value_or(0));
  }
  if (read_bytes || write_bytes) {
    counters.set(TargetCounter::kReadSectors, read_bytes.value_or(0) / kSectorBytes);
    counters.set(TargetCounter::kWriteSectors, write_bytes.value_or(0) / kSectorBytes);
  }
  gathered.times.complete(counters);
  return counters;
}

void LustreTargets::hand_on(SampleCollector& collector) {
  const std::vector<TableCounter> names = target_counters();
  for (auto& [key, target] : targets_) {
    if (target.gathered.empty()) continue;
    target.stream = collector.stream(target.host, target.kind);
    for (const auto& [time_ms, gathered] : target.gathered) {
      if (gathered.broken) continue;
      const TargetCounters counters = counters_of(target, gathered);
      for (std::size_t c = first_counter(target.kind); c < kTargetCounters; ++c) {
        if (!counters.has(static_cast<TargetCounter>(c))) continue;
        std::optional<ColumnId>& column = target.columns[c];
        if (!column) column = collector.column(target.stream, target.name, names[c]);
        collector.add(target.stream, *column, from_unix_ns(time_ms * kNsInMs), counters.values[c]);
      }
    }
    target.gathered.clear();
  }
}

std::vector<DeviceInfo> LustreTargets::take_facts() { return std::exchange(news_, {}); }

}  // namespace laggard::collect
