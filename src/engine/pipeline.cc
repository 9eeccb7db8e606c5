#include "engine/pipeline.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/missing.h"
#include "engine/columns.h"

namespace laggard::engine {

namespace {

/// Cells that are judged in one go: enough for threads to be worth waking, ...
constexpr std::size_t kRunCells = 128;
/// ... and of very large systems no more than make this many numbers of 8 bytes, ...
constexpr std::size_t kMostRunNumbers = std::size_t{1} << 22;
/// ... but so many, since every member is looked at once in a run.
constexpr std::size_t kLeastRunCells = 8;

/// \param numbers  per cell.
std::int64_t run_cells(std::size_t numbers) {
  const std::size_t fitting = kMostRunNumbers / std::max<std::size_t>(numbers, 1);
  return static_cast<std::int64_t>(std::clamp(fitting, kLeastRunCells, kRunCells));
}

}  // namespace

Pipeline::Pipeline(const Grouping& grouping, PipelineOptions options)
    : grouping_(grouping),
      options_(std::move(options)),
      grid_{options_.windows.interval},
      derivations_(options_.derived, options_.sample_interval),
      clock_(options_.windows.size),
      shard_(options_.shard.value_or(Shard{})) {
  std::vector<derive::TrackSpec> tracks;
  for (std::size_t g = 0; g < grouping.groups.size(); ++g) {
    const PeerGroup& group = grouping.groups[g];
    columns_.push_back(columns_for(group.kind, options_));
    first_track_.push_back(tracks.size());
    order_.push_back(g);
    judges_.push_back(make_judge(g, options_.windows, options_.parameters));
    if (options_.beside)
      beside_.push_back(make_judge(g, options_.beside->preset.windows, options_.beside->parameters));
    for (const detect::GroupJudge::Column& column : columns_.back()) {
      tracks.push_back(make_track(grouping, g, *column.metric));
    }
  }
  if (options_.parameters.policies.one_client) one_client_.emplace(grouping);
  work_.resize(grouping.groups.size());
  std::size_t numbers = 0;
  for (std::size_t g = 0; g < columns_.size(); ++g) {
    if (!columns_[g].empty()) by_cost_.push_back(g);
    numbers += columns_[g].size() * judges_[g]->members();
  }
  run_cells_ = run_cells(numbers);
  std::stable_sort(by_cost_.begin(), by_cost_.end(), [&](std::size_t a, std::size_t b) {
    return judges_[a]->members() > judges_[b]->members();
  });
  std::stable_partition(order_.begin(), order_.end(),
                        [&](std::size_t g) { return grouping.groups[g].second_only; });
  stream_ = std::make_unique<derive::MetricStream>(grid_, options_.sample_interval, std::move(tracks),
                                                   make_router(grouping));
  history_ = history_cells(grouping, options_);
  if (shard_.read_from) stream_->begin_at(sure_from(*shard_.read_from));
}

std::unique_ptr<detect::GroupJudge> Pipeline::make_judge(std::size_t group, const detect::WindowSpec& windows,
                                                         const detect::Parameters& parameters) const {
  const PeerGroup& peers = grouping_.groups[group];
  detect::JudgeOptions judge;
  judge.windows = windows;
  judge.distances = options_.distances;
  judge.parameters = parameters;
  judge.flash = detect::all_flash(grouping_, peers);
  for (const detect::GroupJudge::Column& column : columns_[group]) {
    judge.trained.push_back(
        detect::trained_members(options_.trained_times, column.metric->name, grouping_, group));
  }
  auto made = std::make_unique<detect::GroupJudge>(columns_[group], peers.members.size(), std::move(judge));
  if (options_.shard) made->judge_after(shard_.after);
  return made;
}

/// The first cell that is known in full when nothing before `read_from` is: a sample in the reach of one that
/// was not read tells of no later cell.
std::int64_t Pipeline::sure_from(WallTime read_from) const {
  const Duration gap = derive::scaled(options_.sample_interval, derive::kMaxGapIntervals);
  return grid_.cell(read_from + derivations_.memory() + gap) + 1;
}

const std::vector<detect::GroupJudge::Column>& Pipeline::columns(std::size_t group) const {
  return columns_[group];
}

WallTime Pipeline::judged_until(WallTime until) const { return grid_.end(stream_->final_at(until) - 1); }

void Pipeline::leave_out(std::size_t group, std::int64_t cell, std::span<const std::span<double>> row) {
  const auto& members = grouping_.groups[group].members;
  std::vector<std::uint8_t> left_out(members.size(), 0);
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!options_.interventions.excluded(members[i].index(), grid_.end(cell))) continue;
    left_out[i] = 1;
    for (const std::span<double>& column : row) column[i] = kMissing;
  }
  if (!beside_.empty()) beside_[group]->leave_out(left_out);
  judges_[group]->leave_out(std::move(left_out));
}

/// Whether all windows that are complete after the shard's seam are those of the whole recording: their cells
/// are known, their streams had begun, and nobody waits since longer ago than was read.
bool Pipeline::reads_far_enough(const CellRuns::Run& run) const {
  if (!shard_.read_from) return true;
  const bool across = run.begin <= shard_.after;
  // Windows that end in a gap come out behind it, so what counts is the last cell that was recorded.
  if (!across && !last_before_) return false;
  const std::int64_t needed = (across ? shard_.after : *last_before_) - history_;
  return needed >= sure_from(*shard_.read_from) && *first_told_ <= needed && !stream_->is_unsure_at(needed);
}

class Pipeline::LentMemory {
 public:
  explicit LentMemory(Pipeline& pipeline) : pipeline_(pipeline) {
    const std::scoped_lock lock(pipeline.memories_lock_);
    if (pipeline.memories_.empty()) return;
    memory_ = std::move(pipeline.memories_.back());
    pipeline.memories_.pop_back();
  }
  LentMemory(const LentMemory&) = delete;
  LentMemory& operator=(const LentMemory&) = delete;
  ~LentMemory() {
    const std::scoped_lock lock(pipeline_.memories_lock_);
    pipeline_.memories_.push_back(std::move(memory_));
  }
  detect::JudgeMemory& operator*() {
    const PipelineOptions& options = pipeline_.options_;
    if (!memory_) memory_ = std::make_unique<detect::JudgeMemory>(options.distances, options.parameters);
    return *memory_;
  }

 private:
  Pipeline& pipeline_;
  std::unique_ptr<detect::JudgeMemory> memory_;
};

void Pipeline::judge_run(std::size_t group, const CellRuns::Run& run) {
  LentMemory memory(*this);
  GroupWork& work = work_[group];
  const auto cells = static_cast<std::size_t>(run.end - run.begin);
  const std::size_t columns = columns_[group].size();
  const std::size_t n = judges_[group]->members();
  work.rows.resize(columns * cells * n);
  const auto rows_of = [&](std::size_t c) { return std::span(work.rows).subspan(c * cells * n, cells * n); };
  for (std::size_t c = 0; c < columns; ++c) stream_->take(first_track_[group] + c, run, rows_of(c));
  std::vector<std::span<double>> row(columns);
  for (std::size_t k = 0; k < cells; ++k) {
    const std::int64_t cell = run.begin + static_cast<std::int64_t>(k);
    for (std::size_t c = 0; c < columns; ++c) row[c] = rows_of(c).subspan(k * n, n);
    if (!options_.interventions.empty()) leave_out(group, cell, row);
    const std::vector<std::span<const double>> column(row.begin(), row.end());
    judges_[group]->push(grid_.end(cell), column, *memory, [&](detect::WindowJudgement& window) {
      work.finished.push_back({group, cell, std::move(window)});
    });
    if (beside_.empty()) continue;
    beside_[group]->push(grid_.end(cell), column, *memory, [&](detect::WindowJudgement& window) {
      work.beside.push_back({group, cell, std::move(window)});
    });
  }
}

/// To whoever looks on: on this thread, so that it need not mind the others.
void Pipeline::show(const CellRuns::Run& run) {
  if (options_.observers.empty()) return;
  const auto cells = static_cast<std::size_t>(run.end - run.begin);
  for (std::size_t g = 0; g < columns_.size(); ++g) {
    const std::size_t size = cells * judges_[g]->members();
    for (std::size_t c = 0; c < columns_[g].size(); ++c) {
      const std::span<const double> rows = std::span(work_[g].rows).subspan(c * size, size);
      for (detect::CellObserver* observer : options_.observers) {
        observer->observe(g, *columns_[g][c].metric, run, rows);
      }
    }
  }
  for (detect::CellObserver* observer : options_.observers) observer->end_run(run);
}

/// By the cell that completed them, then in the order of groups: as if cell after cell had been taken through
/// all groups.
std::vector<detect::JudgedWindow> Pipeline::finished_in(const CellRuns::Run& run,
                                                        std::vector<detect::JudgedWindow> GroupWork::*which) {
  std::vector<detect::JudgedWindow> all;
  std::vector<std::size_t> next(work_.size(), 0);
  for (std::int64_t cell = run.begin; cell < run.end; ++cell) {
    for (const std::size_t g : order_) {
      std::vector<detect::JudgedWindow>& finished = work_[g].*which;
      for (; next[g] < finished.size() && finished[next[g]].cell == cell; ++next[g]) {
        if (shard_.holds(cell)) all.push_back(std::move(finished[next[g]]));
      }
    }
  }
  for (GroupWork& work : work_) (work.*which).clear();
  return all;
}

void Pipeline::hand_out(const CellRuns::Run& run, const RunSink& sink) {
  detect::JudgedRun judged;
  judged.run = {std::max(run.begin, shard_.begin()), std::min(run.end, shard_.end())};
  judged.windows = finished_in(run, &GroupWork::finished);
  if (!beside_.empty()) judged.beside = finished_in(run, &GroupWork::beside);
  if (judged.run.begin < judged.run.end) sink(judged);
}

void Pipeline::pass_on_ready(const RunSink& sink) {
  for (CellRuns::Run run = stream_->front(run_cells_); run.begin < run.end;
       run = stream_->front(run_cells_)) {
    if (!first_told_) first_told_ = run.begin;
    if (!shard_begun_ && run.end > shard_.begin()) {
      shard_begun_ = true;
      needs_earlier_ = !reads_far_enough(run);
    }
    if (needs_earlier_) return;
    if (run.begin < shard_.end()) {
      run_all(options_.workers, by_cost_.size(), [&](std::size_t i) { judge_run(by_cost_[i], run); });
      show(run);
      hand_out(run, sink);
    }
    last_before_ = run.end - 1;
    stream_->drop(run);
  }
}

Pipeline::RunSink Pipeline::one_by_one(const Sink& sink) {
  return [this, &sink](detect::JudgedRun& judged) { clock_.take(judged, grid_, sink); };
}

void Pipeline::add(std::span<const SampleTable> tables, const Sink& sink) { add(tables, one_by_one(sink)); }
void Pipeline::finish(const Sink& sink) { finish(one_by_one(sink)); }

void Pipeline::add(const SampleTable& table, const Sink& sink) { add(std::span(&table, 1), sink); }

void Pipeline::add_to_stream(std::span<const SampleTable> tables) {
  if (!one_client_) {
    stream_->add(tables, options_.workers);
    return;
  }
  for (const SampleTable& table : tables) {
    if (table.kind() != DeviceKind::kTcp) {
      stream_->add({&table, 1}, options_.workers);
    } else if (const std::optional<SampleTable> seen = one_client_->narrowed(table)) {
      stream_->add({&*seen, 1}, options_.workers);
    }
  }
}

void Pipeline::add(std::span<const SampleTable> tables, const RunSink& sink) {
  const auto first_time = [](const SampleTable& table) {
    return *std::min_element(table.times().begin(), table.times().end());
  };
  // Tables that begin in one cell go in together: nothing could have been handed out between them.
  for (std::size_t begin = 0; begin < tables.size() && !needs_earlier_;) {
    std::size_t end = begin + 1;
    if (!tables[begin].times().empty()) {
      const std::int64_t final = stream_->final_at(first_time(tables[begin]));
      add_derived(first_time(tables[begin]));
      stream_->settle_before(first_time(tables[begin]));
      pass_on_ready(sink);
      while (end < tables.size() && !tables[end].times().empty() &&
             stream_->final_at(first_time(tables[end])) == final) {
        ++end;
      }
    }
    add_to_stream(tables.subspan(begin, end - begin));
    begin = end;
  }
}

/// What is derived is there before the samples of the same time, as if it had been recorded.
void Pipeline::add_derived(WallTime until) {
  if (!derivations_.empty()) stream_->add(derivations_.take(until), options_.workers);
}

void Pipeline::advance(WallTime until, const RunSink& sink) {
  add_derived(until);
  stream_->settle_before(until);
  pass_on_ready(sink);
}

void Pipeline::finish(const RunSink& sink) {
  add_derived(WallTime::max());
  stream_->settle_all();
  pass_on_ready(sink);
}

}  // namespace laggard::engine
