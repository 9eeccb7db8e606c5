#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/time.h"
#include "base/workers.h"
#include "derive/metric_stream.h"
#include "detect/peer/compare/preset.h"
#include "detect/peer/judge/group_judge.h"
#include "detect/peer/judge/judged_run.h"
#include "detect/peer/judge/service_times.h"
#include "engine/derivations.h"
#include "engine/one_client.h"
#include "model/decision.h"
#include "model/grouping.h"
#include "model/sample_table.h"
#include "model/series_source.h"

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

/// The metrics that a group of this kind can be compared in, given the counters that were recorded, and those
/// that the judge needs beside them (they tell reads from writes, and busy from idle).
[[nodiscard]] std::vector<detect::GroupJudge::Column> columns_for(GroupKind kind,
                                                                  const PipelineOptions& options);

/// Whether windows are of samples of up to 5 s, as in `lab` and `quick`.
[[nodiscard]] bool is_fine(const detect::WindowSpec& windows);

/// Whether windows are worth busy times: yes with samples of up to 5 s, as in `lab` and `quick`. For those of
/// production they are a fifth more to read, and averages over minutes of light load say little of
/// saturation. No where they excuse nobody (Parameters::least_slowdown).
[[nodiscard]] bool wants_busy_times(const detect::WindowSpec& windows, const detect::Parameters& parameters);

/// From how many cells before the one at which it is complete a window's samples may come, smoothing
/// included: the most of all groups and metrics; 0 without any.
[[nodiscard]] std::int64_t history_cells(const Grouping& grouping, const PipelineOptions& options);

/// One metric over one group, for a MetricStream.
[[nodiscard]] derive::TrackSpec make_track(const Grouping& grouping, std::size_t group,
                                           const MetricSpec& metric);

/// Routes recorded series to the members of the groups. `grouping` must outlive it.
[[nodiscard]] derive::Router make_router(const Grouping& grouping);

/// The counters that the metrics of the groups are computed from, by name: what need not be read for them is
/// not among them. Empty when there is none.
[[nodiscard]] std::vector<std::string> counters_to_read(const Grouping& grouping,
                                                        const PipelineOptions& options,
                                                        const Inventory& inventory);

/// The names of all counters in an inventory.
[[nodiscard]] std::set<std::string> counters_of(const Inventory& inventory);

}  // namespace laggard::engine
