#include "cmd/judge_shard.h"

#include <algorithm>
#include <optional>

#include "cmd/observation_feed.h"
#include "cmd/read_recording.h"
#include "derive/cell_plan.h"
#include "detect/peer/ratio/latency_ratio.h"
#include "detect/peer/skew/host_circles.h"
#include "engine/columns.h"

namespace laggard::cmd {

namespace {

/// Samples this many intervals beside a shard's cells have no say in them (kMaxGapIntervals), and one to
/// spare.
constexpr double kMarginIntervals = 4;
/// Read beyond what windows look back for: cells that a cut leaves incomplete.
constexpr std::int64_t kSpareCells = 4;
/// How much further back to read when it was not enough.
constexpr std::int64_t kFurther = 4;
/// A shard is at least as long as this many times what is read for it in vain.
constexpr std::int64_t kLeastHistories = 2;
constexpr Duration kLongestPart = std::chrono::hours(24);

std::int64_t history_of(const AnalysisSetup& setup) {
  return std::max<std::int64_t>(1, engine::history_cells(setup.grouping, judging_options(setup)));
}

Grid grid_of(const AnalysisSetup& setup) { return {setup.preset.windows.interval}; }

Duration margin_of(const AnalysisSetup& setup) {
  return derive::scaled(setup.sample_interval, kMarginIntervals) + setup.preset.windows.interval;
}

/// The disorder that a cut at `t` would fall into, or so near that it matters.
std::optional<TimeSpan> disorder_at(const AnalysisSetup& setup, WallTime t) {
  const Duration margin = margin_of(setup);
  for (const TimeSpan& span : setup.disorder) {
    if (t >= span.from - margin && t <= span.to + margin) return span;
  }
  return std::nullopt;
}

std::optional<WallTime> read_to(const AnalysisSetup& setup, const engine::Shard& shard) {
  const TimeSpan span = recorded_span(setup.inventory, setup.request);
  const Grid grid = grid_of(setup);
  if (shard.last >= grid.cell(span.to)) return setup.request.to;
  WallTime to = grid.end(shard.last) + margin_of(setup);
  for (auto disorder = disorder_at(setup, to); disorder && to < span.to; disorder = disorder_at(setup, to)) {
    to = disorder->to + 2 * margin_of(setup);
  }
  return to < span.to ? std::optional(to) : setup.request.to;
}

}  // namespace

LookBack::LookBack(const AnalysisSetup& setup) : cells_(history_of(setup) + kSpareCells) {}

void LookBack::further() { cells_ *= kFurther; }

/// Nothing: all there is.
std::optional<WallTime> LookBack::read_from(const AnalysisSetup& setup, const engine::Shard& shard) const {
  const TimeSpan span = recorded_span(setup.inventory, setup.request);
  const Grid grid = grid_of(setup);
  if (shard.begin() <= shard.after || shard.after - grid.cell(span.from) <= cells_) return std::nullopt;
  WallTime from = grid.begin(shard.after - cells_) - derive::scaled(setup.sample_interval, kMarginIntervals);
  // What is out of order is read as a whole or not at all.
  for (auto disorder = disorder_at(setup, from); disorder && from > span.from;
       disorder = disorder_at(setup, from)) {
    from = disorder->from - 2 * margin_of(setup);
  }
  return from > span.from ? std::optional(from) : std::nullopt;
}

engine::PipelineOptions judging_options(const AnalysisSetup& setup) {
  engine::PipelineOptions options = setup.pipeline;
  options.windows = setup.preset.windows;
  return options;
}

engine::RunShape run_shape(const AnalysisSetup& setup) {
  engine::RunShape shape;
  shape.loads = detect::RunLoads::row(setup.grouping, setup.pipeline.parameters.clocks);
  for (const PeerGroup& group : setup.grouping.groups) {
    const auto columns = engine::columns_for(group.kind, setup.pipeline);
    shape.groups.push_back({group.members.size(), columns.size()});
  }
  return shape;
}

std::vector<engine::Shard> plan_shards(const AnalysisSetup& setup, std::int64_t after, std::size_t sharers) {
  const TimeSpan span = recorded_span(setup.inventory, setup.request);
  const Grid grid = grid_of(setup);
  const std::int64_t first = std::max(after, grid.cell(span.from));
  const std::int64_t cells = std::max<std::int64_t>(grid.cell(span.to) - first, 1);
  const auto share = static_cast<std::int64_t>(sharers);
  const std::int64_t day = std::max<std::int64_t>(kLongestPart / grid.step, 1);
  const std::int64_t rounds = (cells + share * day - 1) / (share * day);
  const std::int64_t most = cells / (kLeastHistories * history_of(setup));
  // Nobody is kept waiting by one long shard, and nothing is read twice.
  const std::int64_t wanted = sharers == 1 ? 1 : share * rounds;
  const std::int64_t shards = std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(most, 1));
  std::vector<engine::Shard> plan;
  for (std::int64_t p = 0; p < shards; ++p) {
    engine::Shard& shard = plan.emplace_back();
    // cells x p would be too large a number for a year of nanoseconds.
    shard.after = p == 0 ? after : first + cells / shards * p;
    if (p + 1 < shards) shard.last = first + cells / shards * (p + 1);
  }
  return plan;
}

Status judge_shard(AnalysisSetup& setup, engine::Shard shard, const engine::Pipeline::RunSink& sink,
                   const std::function<bool()>& enough) {
  const TimeSpan span = recorded_span(setup.inventory, setup.request);
  for (LookBack back(setup);; back.further()) {
    shard.read_from = back.read_from(setup, shard);
    engine::PipelineOptions options = judging_options(setup);
    options.shard = shard;
    detect::RunLoads loads(setup.grouping, options.parameters.clocks);
    detect::LatencyRatios ratios(setup.grouping, options.parameters, grid_of(setup), setup.workers.get());
    options.observers = {&ratios};
    if (loads.observer() != nullptr) options.observers.push_back(loads.observer());
    engine::Pipeline pipeline(setup.grouping, std::move(options));
    ReadRequest request = setup.request;
    if (shard.read_from) request.from = shard.read_from;
    request.to = read_to(setup, shard);
    const engine::Pipeline::RunSink with_observed = [&](detect::JudgedRun& run) {
      loads.attach(run);
      ratios.attach(run);
      sink(run);
    };
    auto feed = ObservationFeed::open(setup.observations, request, {{}, setup.pipeline.derived.table});
    if (!feed) return forward(feed);
    const ObservationConsumer events{
        .events = [&](const EventTable& table) { pipeline.add(table); },
        .complete = [&](WallTime until) { pipeline.advance(until, with_observed); }};
    const auto add = [&](std::span<const SampleTable> tables) { pipeline.add(tables, with_observed); };
    bool stopped = false;
    const auto stop = [&] {
      stopped = stopped || (enough && enough());
      return stopped || pipeline.needs_earlier();
    };
    const TableReading reading{*setup.source, request, span, setup.workers.get(), stop};
    const auto read = [&](const AddSamples& consume) { return read_tables(reading, "diagnosing", consume); };
    if (Status done = feed->read_along(read, events, add); !done || stopped) return done;
    if (Status done = feed->read_rest(events); !done) return done;
    pipeline.finish(with_observed);
    if (!pipeline.needs_earlier()) return {};
  }
}

}  // namespace laggard::cmd
