#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/time.h"
#include "derive/metric_stream.h"
#include "detect/peer/judge/group_judge.h"
#include "detect/peer/judge/judged_run.h"
#include "engine/derivations.h"
#include "engine/one_client.h"
#include "engine/pipeline_options.h"
#include "model/grouping.h"
#include "model/sample_table.h"

namespace laggard::engine {

/// From samples to judged windows: the part that training, diagnosis and the live service share. One pass;
/// memory is bounded by the windows and by how far one host's tables run ahead of another's.
class Pipeline {
 public:
  /// Of the groups whose windows end together, those that exist only as the second of double peer groups come
  /// first: who judges the others needs to know them.
  using Sink = std::function<void(std::size_t group, const detect::WindowJudgement&)>;
  /// The same by runs of cells, positions not yet set.
  using RunSink = std::function<void(detect::JudgedRun&)>;

  /// `grouping` must outlive this.
  Pipeline(const Grouping& grouping, PipelineOptions options);

  /// Tables come in a TableReader's order: what was recorded before the first time of this one has been
  /// added.
  void add(const SampleTable& table, const Sink& sink);
  /// In any order; those before a time come before the samples from then on, and what is later than that is
  /// not counted. What no derivation asks for is passed over.
  void add(const EventTable& table) { derivations_.add(table); }
  /// As table after table.
  void add(std::span<const SampleTable> tables, const Sink& sink);
  void finish(const Sink& sink);
  void add(std::span<const SampleTable> tables, const RunSink& sink);
  void finish(const RunSink& sink);
  /// All samples and events before `until` have been added: hands out what can no longer change.
  void advance(WallTime until, const RunSink& sink);
  void advance(WallTime until, const Sink& sink) { advance(until, one_by_one(sink)); }

  /// Of a shard: it cannot be judged from what is read, and nothing of it has been or will be handed out;
  /// read from further back. Known before the shard's first run is handed out.
  [[nodiscard]] bool needs_earlier() const { return needs_earlier_; }

  /// What came of events: Derivations::unknown_devices and notes.
  [[nodiscard]] const Derivations& derivations() const { return derivations_; }

  /// The metrics of a group, in the order of WindowJudgement::levels. Empty for groups without metrics.
  [[nodiscard]] const std::vector<detect::GroupJudge::Column>& columns(std::size_t group) const;
  /// The same of all groups.
  [[nodiscard]] std::span<const std::vector<detect::GroupJudge::Column>> columns() const { return columns_; }
  [[nodiscard]] const Grid& grid() const { return grid_; }
  /// Windows that end by then have been handed out when all samples before `until` have been added.
  [[nodiscard]] WallTime judged_until(WallTime until) const;

 private:
  struct GroupWork {
    std::vector<double> rows;  ///< Cells x members, per column.
    std::vector<detect::JudgedWindow> finished;
    std::vector<detect::JudgedWindow> beside;  ///< The same of the other length.
  };

  /// Memory to judge a group with, which goes back to where it came from.
  class LentMemory;

  void pass_on_ready(const RunSink& sink);
  void add_derived(WallTime until);
  void add_to_stream(std::span<const SampleTable> tables);
  [[nodiscard]] RunSink one_by_one(const Sink& sink);
  [[nodiscard]] std::int64_t sure_from(WallTime read_from) const;
  [[nodiscard]] bool reads_far_enough(const CellRuns::Run& run) const;
  void judge_run(std::size_t group, const CellRuns::Run& run);
  [[nodiscard]] std::unique_ptr<detect::GroupJudge> make_judge(std::size_t group,
                                                               const detect::WindowSpec& windows,
                                                               const detect::Parameters& parameters) const;
  [[nodiscard]] std::vector<detect::JudgedWindow> finished_in(
      const CellRuns::Run& run, std::vector<detect::JudgedWindow> GroupWork::*which);
  /// Takes those that operators left out of a row of the group's columns.
  void leave_out(std::size_t group, std::int64_t cell, std::span<const std::span<double>> row);
  void hand_out(const CellRuns::Run& run, const RunSink& sink);
  void show(const CellRuns::Run& run);

  const Grouping& grouping_;
  PipelineOptions options_;
  Grid grid_;
  std::vector<std::vector<detect::GroupJudge::Column>> columns_;
  std::vector<std::unique_ptr<detect::GroupJudge>> judges_;
  std::vector<std::unique_ptr<detect::GroupJudge>> beside_;  ///< Of windows of the other length, or none.
  std::vector<std::size_t> order_;                           ///< Of the groups, within a window.
  std::vector<std::size_t> first_track_;  ///< Per group, of its columns in the metric stream.
  Derivations derivations_;
  std::optional<OneClient> one_client_;  ///< Policies::one_client.
  std::unique_ptr<derive::MetricStream> stream_;
  std::vector<GroupWork> work_;  ///< Per group.
  std::mutex memories_lock_;
  std::vector<std::unique_ptr<detect::JudgeMemory>> memories_;  ///< As many as groups were judged at a time.
  std::vector<std::size_t> by_cost_;                            ///< Groups with columns, the costliest first.
  std::int64_t run_cells_ = 0;                                  ///< In a run at most.
  detect::GapClock clock_;
  Shard shard_;
  std::int64_t history_ = 0;                 ///< Cells that a window of any column may look back.
  std::optional<std::int64_t> first_told_;   ///< The first cell of all, ...
  std::optional<std::int64_t> last_before_;  ///< ... and the last one before the shard.
  bool shard_begun_ = false;
  bool needs_earlier_ = false;
};

}  // namespace laggard::engine
