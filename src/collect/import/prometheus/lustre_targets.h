#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collect/import/prometheus/query.h"
#include "collect/import/sample_collector.h"
#include "collect/procfs/target_counters.h"

namespace laggard::collect {

/// OSTs, MDTs and the jobs at these as Lustre's exporters export them (Hewlett-Packard's lustre_exporter and
/// its descendants, Whamcloud's lustrefs-exporter): the files that `record` reads itself, but with every
/// number as a series, of which several add up to one counter of a target.
///
/// So the samples of a stretch of time are gathered, and handed on once all its series are there. Where one
/// number is unreadable, the target's sample at that time is left out: a sum without one of its parts would
/// look like a counter reset.
class LustreTargets {
 public:
  /// The names of the metrics, all with the components `ost` and `mdt`.
  [[nodiscard]] static std::span<const std::string_view> metrics();

  /// Drops what was gathered but not handed on.
  void begin_stretch();

  /// Whether the series belongs to a target; its samples follow.
  [[nodiscard]] bool series(const Labels& labels, const std::string& host);
  /// False for a value that no counter can have.
  [[nodiscard]] bool sample(std::int64_t time_ms, std::string_view value);

  void hand_on(SampleCollector& collector);

  /// Facts of the targets first seen since the last call: each is a view of what lies on other devices.
  [[nodiscard]] std::vector<DeviceInfo> take_facts();
  [[nodiscard]] std::size_t size() const { return targets_.size(); }

 private:
  /// Which part of a target's counters a series is.
  enum class Part : std::uint8_t {
    kReads,
    kReadBytes,
    kWrites,
    kWriteBytes,
    kReadTimes,   ///< A bucket of brw_stats.
    kWriteTimes,  ///< A bucket of brw_stats.
    kOperationCount,
    kOperationTime
  };
  struct Role {
    Part part = Part::kReads;
    std::uint64_t bucket = 0;                        ///< Of brw_stats, its upper end in ms.
    TargetCounter operation = TargetCounter::kOpen;  ///< Of an MDT.
  };
  struct Gathered {
    std::array<std::optional<std::uint64_t>, 4> transfers;  ///< By the first four parts.
    BrwTimes times;
    MdtOperations operations;
    bool broken = false;
  };
  struct Target {
    std::string host;
    std::string name;
    bool metadata = false;
    DeviceKind kind = DeviceKind::kDisk;  ///< Or a job at an MDT.
    StreamId stream;
    std::array<std::optional<ColumnId>, kTargetCounters> columns;
    std::map<std::int64_t, Gathered> gathered;  ///< By time in milliseconds.
  };

  [[nodiscard]] static std::optional<Role> role_of(const Labels& labels, bool metadata);
  void begin_target(const std::string& host, std::string name, bool metadata, DeviceKind kind);
  static void add(const Role& role, std::uint64_t value, Gathered& gathered);
  [[nodiscard]] static TargetCounters counters_of(const Target& target, const Gathered& gathered);

  std::unordered_map<std::string, Target> targets_;
  std::vector<DeviceInfo> news_;
  Target* target_ = nullptr;  ///< The target whose series is being read.
  Role role_;
};

}  // namespace laggard::collect
