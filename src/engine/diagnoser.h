#pragma once

#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "detect/peer/judge/group_follower.h"
#include "detect/peer/judge/judged_run.h"
#include "detect/peer/skew/clock_watch.h"
#include "detect/peer/skew/host_circles.h"
#include "engine/diagnoser_options.h"
#include "engine/persistence_history.h"
#include "engine/pipeline.h"
#include "explain/hypothesis.h"
#include "model/incident.h"
#include "model/plot.h"

namespace laggard::engine {

/// The whole verdict on a recording, in one pass: samples in, a Diagnosis out, at any time.
class Diagnoser {
 public:
  /// `grouping` must outlive this.
  Diagnoser(const Grouping& grouping, DiagnoserOptions options);
  Diagnoser(const Diagnoser&) = delete;
  Diagnoser& operator=(const Diagnoser&) = delete;
  ~Diagnoser() = default;

  /// Tables in a TableReader's order.
  void add(const SampleTable& table);
  void add(std::span<const SampleTable> tables);
  void finish();
  /// All samples before `until` have been added: judges what can no longer change.
  void advance(WallTime until);
  /// Instead of tables: what a pipeline with these options judged, run after run.
  void take(detect::JudgedRun& judged);

  /// What is known so far. Coverage is filled as far as the analysis knows it.
  [[nodiscard]] Diagnosis diagnosis() const;
  [[nodiscard]] std::vector<ScoreMap> score_maps() const;
  /// By the hour, as the options asked; empty when they did not.
  [[nodiscard]] std::vector<PersistenceRow> persistence_rows() const;

 private:
  void follow(detect::JudgedRun& judged);
  void follow_groups(std::span<const detect::JudgedWindow> windows);
  [[nodiscard]] std::optional<WallTime> tick_before(WallTime end);
  void tell(WallTime tick);
  void forget_settled();
  [[nodiscard]] std::vector<detect::GroupAnomalies> anomalies() const;
  [[nodiscard]] explain::IncidentOptions incident_options() const;
  [[nodiscard]] std::vector<RankedComponent> ranking() const;
  void mark_excluded(std::vector<Incident>& incidents) const;

  const Grouping& grouping_;
  DiagnoserOptions options_;
  detect::FollowOptions follow_;
  detect::HostCircles circles_;
  detect::ClockWatch clocks_;
  detect::HostLoads loads_;  ///< Learns from the pipeline what is compared, and tells the watch.
  Pipeline pipeline_;
  detect::GapClock clock_;
  std::deque<detect::GroupFollower> followers_;  ///< Per group.
  /// Groups that others ask, and all others; the largest first.
  std::vector<std::size_t> seconds_;
  std::vector<std::size_t> firsts_;
  std::optional<PersistenceHistory> persistence_;
  std::optional<WallTime> ticked_;  ///< Up to where `tick` was told.
  std::int64_t position_ = 0;       ///< Of the newest window.
  std::size_t forget_from_ = 0;     ///< Anomalies from which it is worth looking for what is settled.
  std::optional<WallTime> from_;
  WallTime to_;
};

}  // namespace laggard::engine
