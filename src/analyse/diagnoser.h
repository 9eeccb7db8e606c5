#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyse/explain/incidents.h"
#include "analyse/explain/rules.h"
#include "analyse/judge/pipeline.h"
#include "analyse/judge/score_history.h"
#include "analyse/judge/spells.h"
#include "analyse/judge/threshold_book.h"
#include "analyse/peer/bias.h"
#include "analyse/peer/preset.h"
#include "analyse/persistence_history.h"
#include "analyse/skew/clock_watch.h"
#include "analyse/skew/host_circles.h"
#include "analyse/skew/host_loads.h"
#include "model/incident.h"
#include "model/plot.h"

namespace laggard::analyse {

struct DiagnoserOptions {
  Preset preset;
  PipelineOptions pipeline;  ///< Its windows are taken from the preset.
  std::vector<Rule> rules;
  ThresholdBook thresholds;
  std::optional<PersistenceHistory::Spec> history;  ///< Keep who was persistent when.
  bool bias = true;  ///< Look for what is a little slower in nearly every window, too.
};

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
  /// What the latest window said about the members of a group that is the second of double peer groups.
  struct Second {
    std::int64_t window = std::numeric_limits<std::int64_t>::min();
    std::map<std::pair<const MetricSpec*, std::string>, std::vector<std::uint8_t>> anomalous;
  };

  void find_seconds();
  void judge(std::size_t group, const WindowJudgement& window);
  void clear_where_second_is_well(std::size_t group, const WindowJudgement& window, const MetricSpec* metric,
                                  const std::string& detector, ScoredTrack& track) const;
  void heed_repairs(std::size_t group, WallTime start);
  void judge_bias(std::size_t group, const WindowJudgement& window);
  void judge_absent(std::size_t group, const WindowJudgement& window);
  void judge_uncalled(std::size_t group, const WindowJudgement& window);
  [[nodiscard]] bool has_tracker(std::size_t group, std::string_view detector) const;
  SpellTracker& tracker(std::size_t group, const MetricSpec* metric, const std::string& detector);
  void feed(std::size_t group, const WindowJudgement& window, const MetricSpec* metric,
            const std::string& detector, ScoredTrack track);
  [[nodiscard]] std::vector<RankedComponent> ranking() const;
  void mark_excluded(std::vector<Incident>& incidents) const;

  const Grouping& grouping_;
  DiagnoserOptions options_;
  HostCircles circles_;
  ClockWatch clocks_;
  HostLoads loads_;  ///< Learns from the pipeline what is compared, and tells the watch.
  Pipeline pipeline_;
  GapClock clock_;  ///< Of what was taken.
  std::deque<SpellTracker> trackers_;
  std::vector<std::optional<BiasDetector>> bias_;
  std::optional<PersistenceHistory> persistence_;
  std::vector<ScoreHistory> history_;
  std::vector<std::vector<std::string>> names_;  ///< Per group, of its members.
  std::vector<Second> seconds_;                  ///< Per group; in use for those that are only seconds.
  /// Per group and member: where it must be anomalous too (double peer groups, T §6.2.3).
  struct Place {
    std::size_t group = 0;
    std::size_t member = 0;
  };
  std::vector<std::vector<std::optional<Place>>> second_of_;
  std::vector<bool> redundant_;  ///< Per group: attachments that have better ones before them.
  std::vector<std::int64_t> last_position_;
  std::vector<std::optional<WallTime>> last_end_;
  std::vector<WallTime> last_start_;
  std::optional<WallTime> from_;
  WallTime to_;
};

}  // namespace laggard::analyse
