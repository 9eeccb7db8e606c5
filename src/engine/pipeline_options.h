#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/time.h"
#include "base/workers.h"
#include "detect/peer/compare/preset.h"
#include "detect/peer/judge/judged_run.h"
#include "detect/peer/judge/service_times.h"
#include "engine/derivations.h"
#include "model/decision.h"
#include "model/metric.h"

namespace laggard::engine {

/// A shard of a recording: a part of it that is judged by itself: by one of several processes, or by one that
/// goes on where another was killed. Its windows are those that are complete at cells (after, last]; they
/// come out as they do when the whole recording is judged, to the bit.
///
/// Why that can be: a window is a function of the samples of `history` cells, and what a device's meter
/// remembers ends with a gap, or with a cell in which the device was not stalled. So it is enough to read
/// that much more before the shard; and where it was not, the pipeline notices (Pipeline::needs_earlier) and
/// the shard is read again from further back. docs/methods/shards.md has the argument in full.
struct Shard {
  std::int64_t after = std::numeric_limits<std::int64_t>::min();
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  /// Samples before this are not read; nothing: the recording is read from its beginning.
  std::optional<WallTime> read_from;

  [[nodiscard]] bool holds(std::int64_t cell) const { return cell > after && cell <= last; }
  /// The same as [begin, end).
  [[nodiscard]] std::int64_t begin() const {
    return after == std::numeric_limits<std::int64_t>::min() ? after : after + 1;
  }
  [[nodiscard]] std::int64_t end() const {
    return last == std::numeric_limits<std::int64_t>::max() ? last : last + 1;
  }
};

/// Windows of another length, over the same cells, that are judged in the same pass.
struct BesideOptions {
  detect::Preset preset;
  detect::Parameters parameters;
};

struct PipelineOptions {
  detect::WindowSpec windows;
  std::optional<BesideOptions> beside;
  Duration sample_interval{std::chrono::seconds(1)};  ///< At which the hosts were recorded.
  std::vector<detect::Distance> distances{detect::Distance::kCdf};
  std::vector<const MetricSpec*> metrics;  ///< To judge; empty: the catalogue's default ones.
  std::set<std::string> counters;          ///< That were recorded at all (counters_of).
  DerivedDevices derived;                  ///< Whose samples follow from events.
  /// The disks' busy times are read beside what is judged: they tell who is slow from who is only waited for
  /// (levels.h).
  bool busy_times = false;
  detect::Parameters parameters;
  Interventions interventions;         ///< Of operators: who is left out, and when.
  detect::TrainedTimes trained_times;  ///< What is known of service times; in training who is saturated.
  /// Compare groups at the same time; null: one after the other. Outlives the pipeline. What comes out is the
  /// same to the bit.
  Workers* workers = nullptr;
  std::vector<detect::CellObserver*> observers;  ///< See what is compared; outlive the pipeline.
  /// Judge this shard of the recording only, of which no more is read than the shard says.
  std::optional<Shard> shard;
};

}  // namespace laggard::engine
