#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "engine/observation_queue.h"
#include "model/detector.h"
#include "model/observation_source.h"

namespace laggard::engine {

/// The detectors of a table, each handed what its row asks for, step by step.
class Detectors {
 public:
  /// Everything outlives this.
  Detectors(const Grouping& grouping, std::span<const DetectorSpec> table, Duration step);

  /// What nobody asks for is passed over.
  void add(const EventTable& table);
  void add(const ProfileTable& table);

  /// End of the first step in which something waits.
  [[nodiscard]] std::optional<WallTime> next() const { return queue_.next(); }
  /// Hands over all steps that end by then, a multiple of a step, and tells that all before it is complete.
  void complete(WallTime until);
  /// The same of everything that waits.
  void finish();
  /// Of what has been handed over: the beginning of the first step and the end of the last one.
  [[nodiscard]] std::optional<TimeSpan> span() const { return span_; }

  [[nodiscard]] std::size_t kept() const;
  /// Detector by detector, and of each in its order; those about a part that is a component are about that.
  /// Their `first` and `last` are set by whoever has a clock
  /// of positions.
  [[nodiscard]] std::vector<Finding> findings() const;
  void forget(std::span<const std::uint8_t> keep);
  [[nodiscard]] std::vector<PathEvidence> paths() const;
  [[nodiscard]] std::vector<Evidence> examine(const Suspicion& suspicion) const;

  /// One sentence each: what came late, or was lost.
  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  struct Seat {
    const DetectorSpec* spec = nullptr;
    std::unique_ptr<Detector> detector;
  };
  void hand_over(const ObservationStep& step);
  void tell_complete(WallTime until);

  const Grouping& grouping_;
  std::map<Part, std::size_t> components_;  ///< Parts that are exactly one component.
  Duration step_;
  ObservationQueue queue_;
  std::vector<Seat> seats_;
  std::optional<TimeSpan> span_;
  WallTime completed_ = WallTime::min();  ///< What the detectors were told last.
};

/// The detectors of events and profiles, a row per witness (detector_table.cc). To add one is to add a row;
/// the peer comparison of series is none of them, since it shares its windows with training (pipeline.h).
[[nodiscard]] std::span<const DetectorSpec> detector_table();

/// The kinds that a table's detectors want, sorted.
[[nodiscard]] std::vector<std::string> wanted_kinds(std::span<const DetectorSpec> table,
                                                    ObservationShape shape);

}  // namespace laggard::engine
