#pragma once

#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "analyse/diagnoser_options.h"
#include "analyse/group_follower.h"
#include "analyse/judge/gap_clock.h"
#include "analyse/judge/judged_run.h"
#include "analyse/judge/pipeline.h"
#include "analyse/persistence_history.h"
#include "analyse/skew/clock_watch.h"
#include "analyse/skew/host_circles.h"
#include "analyse/skew/host_loads.h"
#include "model/incident.h"
#include "model/plot.h"

namespace laggard::analyse {

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
  /// Instead of tables: what a pipeline with these options judged, run after run.
  void take(JudgedRun& judged);

  /// What is known so far. Coverage is filled as far as the analysis knows it.
  [[nodiscard]] Diagnosis diagnosis() const;
  [[nodiscard]] std::vector<ScoreMap> score_maps() const;
  /// By the hour, as the options asked; empty when they did not.
  [[nodiscard]] std::vector<PersistenceRow> persistence_rows() const;

 private:
  void follow(JudgedRun& judged);
  void follow_groups(std::span<const JudgedWindow> windows);
  [[nodiscard]] std::vector<RankedComponent> ranking() const;
  void mark_excluded(std::vector<Incident>& incidents) const;

  const Grouping& grouping_;
  DiagnoserOptions options_;
  HostCircles circles_;
  ClockWatch clocks_;
  HostLoads loads_;  ///< Learns from the pipeline what is compared, and tells the watch.
  Pipeline pipeline_;
  GapClock clock_;
  std::deque<GroupFollower> followers_;  ///< Per group.
  /// Groups that others ask, and all others; the largest first.
  std::vector<std::size_t> seconds_;
  std::vector<std::size_t> firsts_;
  std::optional<PersistenceHistory> persistence_;
  std::optional<WallTime> from_;
  WallTime to_;
};

}  // namespace laggard::analyse
