#include "engine/diagnoser.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/state_codec.h"
#include "explain/incidents.h"

namespace laggard::engine {

namespace {

/// Fewer anomalies or pieces of work than that are not worth looking through.
constexpr std::size_t kLeastToForget = 64;

constexpr StateFormat kStateFormat{"state of the engine", 13};

PipelineOptions complete(PipelineOptions options, const detect::WindowSpec& windows,
                         std::vector<detect::CellObserver*> observers) {
  options.windows = windows;
  std::erase(observers, nullptr);
  options.observers = std::move(observers);
  return options;
}

detect::RatioFollower::Options ratio_options(const DiagnoserOptions& options) {
  const detect::Parameters& parameters = options.pipeline.parameters;
  const detect::WindowSpec& windows = options.preset.windows;
  return {.windows = detect::short_windows(parameters.ratio, windows.interval),
          .k = parameters.ratio.k,
          .pause = static_cast<std::int64_t>((2 * windows.k - 1) * windows.shift),
          .most_strength = parameters.incidents.secondary_score,
          .trained = options.thresholds.trained(),
          .grid = Grid{windows.interval}};
}

detect::BurstFollower::Options burst_options(const DiagnoserOptions& options) {
  const detect::BurstOptions& burst = options.pipeline.parameters.burst;
  const Grid grid{options.preset.windows.interval};
  return {.burst = burst,
          .horizon = static_cast<std::int64_t>(burst.horizon_seconds / to_seconds(grid.step)),
          .trained = options.thresholds.trained(),
          .grid = grid};
}

/// Takes those of up to a cell from the front.
template <class T>
std::span<const T> take_until(std::span<const T>& rest, std::int64_t cell) {
  const auto end = std::ranges::find_if(rest, [&](const T& one) { return one.cell > cell; });
  const auto taken = rest.first(static_cast<std::size_t>(end - rest.begin()));
  rest = rest.subspan(taken.size());
  return taken;
}

}  // namespace

Diagnoser::Diagnoser(const Grouping& grouping, DiagnoserOptions options)
    : grouping_(grouping),
      options_(std::move(options)),
      circles_(detect::make_circles(grouping)),
      clocks_(circles_, Grid{options_.preset.windows.interval}, options_.pipeline.parameters.clocks,
              options_.pipeline.workers),
      loads_(grouping, options_.pipeline.parameters.clocks),
      ratios_(grouping, options_.pipeline.parameters, Grid{options_.preset.windows.interval},
              options_.pipeline.workers),
      burst_watch_(grouping, options_.pipeline.parameters.burst, Grid{options_.preset.windows.interval},
                   options_.pipeline.workers),
      pipeline_(grouping, complete(options_.pipeline, options_.preset.windows,
                                   {loads_.observer(), &ratios_, &burst_watch_})),
      clock_(options_.preset.windows.size),
      peers_(grouping,
             {.preset = options_.preset,
              .parameters = options_.pipeline.parameters,
              .thresholds = options_.thresholds,
              .interventions = options_.pipeline.interventions,
              .bias = options_.bias,
              .learn = options_.learn},
             pipeline_.columns(), options_.pipeline.workers),
      impacts_(grouping, pipeline_.columns(), options_.preset.windows),
      troubles_(grouping, pipeline_.columns(), options_.preset.windows, impacts_.moved()),
      extent_(grouping, pipeline_.columns(), !options_.pipeline.metrics.empty(), options_.preset.windows),
      presence_(grouping,
                options_.preset.windows.interval * static_cast<std::int64_t>(options_.preset.windows.size)),
      slow_(grouping, options_.pipeline.interventions, ratio_options(options_)),
      bursts_(grouping, options_.pipeline.interventions, burst_options(options_)),
      work_(grouping),
      step_(detect::window_step(options_.preset.windows)),
      detectors_(grouping, options_.detectors,
                 {.grouping = grouping,
                  .step = step_,
                  .log_patterns = options_.log_patterns,
                  .normal_errors = options_.normal_errors,
                  .code_measure = options_.code_measure,
                  .trained_behaviour = &options_.trained_behaviour}),
      load_(grouping),
      examiners_(grouping, detectors_, load_) {
  if (options_.history) persistence_.emplace(*options_.history);
  if (const auto& beside = options_.pipeline.beside) {
    beside_.emplace_back(grouping,
                         detect::FollowOptions{.preset = beside->preset,
                                               .parameters = beside->parameters,
                                               .thresholds = options_.beside_thresholds,
                                               .interventions = options_.pipeline.interventions,
                                               .bias = false},
                         pipeline_.columns(), options_.pipeline.workers);
  }
}

/// Steps in which something waits, each with a verdict when it is over: no window ended in them after the
/// last one that was followed.
void Diagnoser::pass_steps(WallTime until) {
  while (const auto next = detectors_.next()) {
    if (*next > until) break;
    detectors_.complete(*next);
    position_ = std::max(position_, clock_.position(pipeline_.grid().cell(*next)));
    examine(*next);
    if (options_.tick.every > Duration::zero()) tick(floor_to(*next, options_.tick.every));
  }
  detectors_.complete(floor_to(until, step_));
}

/// New hypotheses come from new findings only; those that nobody could tell why wait for a while. Asked at
/// the ends of steps, whatever is told when: what is answered depends on the observations alone.
void Diagnoser::examine(WallTime step) {
  if (step <= examined_ || !may_ask(step)) return;
  examined_ = step;
  load_.complete(step);
  const std::size_t count = kept();
  if (count == std::exchange(examined_findings_, count) && !examiners_.wait(step)) return;
  detectors_.complete(step);
  examiners_.look(incidents(), step);
}

/// No window that ends by then is still to come.
void Diagnoser::end_steps(WallTime until) {
  pass_steps(until);
  examine(until);
}

/// Of clocks, too, a verdict knows what the cells before it say, however many came with it in one run.
void Diagnoser::watch_clocks(const detect::JudgedRun& judged, std::int64_t until) {
  if (judged.loads.empty()) return;
  const auto row = [&](std::int64_t cell) {
    return static_cast<std::size_t>(cell - judged.run.begin) * circles_.row();
  };
  clocks_.take({clocked_, until}, std::span(judged.loads).subspan(row(clocked_), row(until) - row(clocked_)));
  clocked_ = until;
}

/// Windows that are complete, and those of the other length that were complete by then; by the hour, when
/// somebody wants to know who was persistent at its end.
void Diagnoser::follow_windows(const detect::JudgedRun& judged, std::span<const detect::JudgedWindow> windows,
                               std::span<const detect::JudgedWindow> beside) {
  const auto follow_beside = [&](std::int64_t until) {
    for (detect::PeerDetector& peers : beside_) peers.follow(take_until(beside, until));
  };
  std::size_t followed = 0;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const detect::WindowJudgement& window = windows[i].window;
    from_ = std::min(from_.value_or(window.start), window.start);
    to_ = std::max(to_, window.end);
    const WallTime step = floor_to(window.end - Duration{1}, step_);
    const auto follow_so_far = [&] {
      peers_.follow(windows.subspan(followed, i - followed));
      follow_beside(windows[i].cell - 1);
      followed = i;
    };
    if (step > stepped_) {
      stepped_ = step;
      if (const auto next = detectors_.next(); may_ask(step) || (next && *next <= step)) follow_so_far();
      watch_clocks(judged, windows[i].cell);
      end_steps(step);
    }
    if (persistence_ && persistence_->due(window.end)) {
      follow_so_far();
      persistence_->close(peers_.ranking());
    }
    if (persistence_) persistence_->pass(window.end);
    position_ = std::max(position_, window.position);
    impacts_.follow(windows[i]);
    troubles_.follow(windows[i]);
    extent_.follow(windows[i]);
  }
  peers_.follow(windows.subspan(followed));
  follow_beside(std::numeric_limits<std::int64_t>::max());
}

/// Of one cell. \return whether there is something new to tell.
bool Diagnoser::follow_slow(std::span<const detect::SlowMember> slow) {
  bool news = false;
  for (const detect::SlowMember& one : slow) {
    const std::int64_t first = one.cell - slow_.windows().size + 1;
    news = slow_.add(one, clock_.position(first)) || news;
  }
  return news;
}

/// The same of bursts.
bool Diagnoser::follow_bursts(std::span<const detect::SlowMember> bursts) {
  bool news = false;
  for (const detect::SlowMember& one : bursts) news = bursts_.add(one, clock_.position(one.cell)) || news;
  return news;
}

/// Cell by cell where something happens: windows are complete, ticks are due, a member turns out to be slow.
/// What is told when depends on cells alone, not on how they were cut into runs: of a tick when all cells
/// that end by then are judged, of a member at once.
void Diagnoser::follow(detect::JudgedRun& judged) {
  clock_.place(judged, pipeline_.grid());
  clocked_ = judged.run.begin;
  extent_.pass(judged.run);
  presence_.heed(judged.windows);
  const Grid& grid = pipeline_.grid();
  const Duration every = options_.tick.every;
  std::span<const detect::JudgedWindow> windows = judged.windows;
  std::span<const detect::JudgedWindow> beside = judged.beside;
  std::span<const detect::SlowMember> slow = judged.slow;
  std::span<const detect::SlowMember> bursts = judged.bursts;
  const std::int64_t last = judged.run.end - 1;
  std::optional<WallTime> next;
  if (every > Duration::zero()) next = floor_to(grid.end(judged.run.begin) - Duration{1}, every) + every;
  for (std::int64_t cell = judged.run.begin - 1; cell < last;) {
    const std::int64_t due = next ? to_unix_ns(*next) / grid.step.count() : last;
    cell = std::min(
        {last, due, slow.empty() ? last : slow.front().cell, bursts.empty() ? last : bursts.front().cell});
    follow_windows(judged, take_until(windows, cell), take_until(beside, cell));
    watch_clocks(judged, cell + 1);
    now_ = clock_.position(cell);
    const bool is_slow = follow_slow(take_until(slow, cell));
    const bool news = follow_bursts(take_until(bursts, cell)) || is_slow;
    if (next && cell == due) {
      end_steps(floor_to(*next, step_));
      tick(*next);
      *next += every;
    } else if (next && news) {
      tell(grid.end(cell));
    }
  }
  work_.complete(grid.end(last));
}

void Diagnoser::tick(WallTime at) {
  if (ticked_ && at <= *ticked_) return;
  ticked_ = at;
  detectors_.complete(floor_to(at, step_));
  tell(at);
  if (!options_.tick.forget) return;
  forget_settled();
  forget_work();
}

void Diagnoser::tell(WallTime at) {
  work_.complete(at);
  options_.tick.tell(*this, at);
}

std::size_t Diagnoser::kept() const {
  std::size_t count = peers_.kept() + slow_.size() + bursts_.size() + detectors_.kept();
  for (const detect::PeerDetector& peers : beside_) count += peers.kept();
  return count;
}

/// How long before now a finding that is yet to come may begin.
std::int64_t Diagnoser::look_back() const {
  const auto reach = [](const detect::WindowSpec& windows) {
    return static_cast<std::int64_t>(std::max(detect::kLongestReach, 2 * windows.k - 1) * windows.shift);
  };
  const auto& beside = options_.pipeline.beside;
  return std::max(
      {reach(options_.preset.windows), beside ? reach(beside->preset.windows) : 0, bursts_.horizon()});
}

/// What is settled does not leave at once: all of it is looked at, which is worth it now and then only.
void Diagnoser::forget_settled() {
  if (kept() < forget_from_) return;
  const std::vector<Finding> findings = this->findings();
  const std::vector<std::uint8_t> gone =
      explain::settled(grouping_, findings, incident_options(), {.now = position_, .look_back = look_back()});
  std::vector<std::uint8_t> keep(gone.size());
  std::ranges::transform(gone, keep.begin(), [](std::uint8_t one) { return one == 0 ? 1 : 0; });
  std::span<const std::uint8_t> rest = keep;
  const auto next = [&](std::size_t count) {
    const std::span<const std::uint8_t> own = rest.first(count);
    rest = rest.subspan(count);
    return own;
  };
  peers_.forget(next(peers_.kept()));
  for (detect::PeerDetector& peers : beside_) peers.forget(next(peers.kept()));
  slow_.forget(next(slow_.size()));
  bursts_.forget(next(bursts_.size()));
  detectors_.forget(rest);
  const auto kept = static_cast<std::size_t>(std::ranges::count(keep, 1));
  forget_from_ = std::max(kLeastToForget, 2 * kept);
}

/// What ended before anything began that is not settled, or is yet to be found.
void Diagnoser::forget_work() {
  if (work_.kept() < forget_work_from_) return;
  // A window may begin in a gap, by which the clock of windows does not tell its time.
  const auto& beside = options_.pipeline.beside;
  const auto window = static_cast<std::int64_t>(
      std::max(options_.preset.windows.size, beside ? beside->preset.windows.size : 0));
  WallTime from = pipeline_.grid().end(clock_.cell_at(position_ - look_back()) - window);
  for (const Finding& finding : findings()) from = std::min(from, finding.since);
  work_.forget(from);
  forget_work_from_ = std::max(kLeastToForget, 2 * work_.kept());
}

Pipeline::RunSink Diagnoser::observed() {
  return [this](detect::JudgedRun& judged) {
    loads_.attach(judged);
    ratios_.attach(judged);
    burst_watch_.attach(judged);
    follow(judged);
  };
}

std::optional<Checkpoint> Diagnoser::checkpoint() const {
  if (!clock_.last() || finished_ || detectors_.have_seen_any()) return std::nullopt;
  return Checkpoint{state_fingerprint(grouping_, options_), *clock_.last(), save_state(kStateFormat, *this)};
}

Status Diagnoser::restore(const Checkpoint& checkpoint) {
  LAGGARD_CHECK(options_.pipeline.shard && options_.pipeline.shard->after == checkpoint.after);
  if (checkpoint.fingerprint != state_fingerprint(grouping_, options_)) {
    return fail(ErrorCode::kBadUse, "", "the saved state is of other peers or other options");
  }
  if (Status restored = restore_state(kStateFormat, checkpoint.state, *this); !restored) return restored;
  if (clock_.last() == checkpoint.after) return {};
  return fail(ErrorCode::kDamaged, "", "the saved state of the engine is damaged");
}

void Diagnoser::add(const SampleTable& table) { add(std::span(&table, 1)); }

void Diagnoser::add(std::span<const SampleTable> tables) { pipeline_.add(tables, observed()); }

void Diagnoser::add_work(const SampleTable& table) {
  // Nobody is told what goes on before a shard, so it need not wait.
  const std::optional<Shard>& shard = options_.pipeline.shard;
  if (shard && shard->begin() > shard->after && !table.times().empty()) {
    work_.complete(std::min(*std::ranges::min_element(table.times()), pipeline_.grid().end(shard->after)));
  }
  work_.add(table);
}

void Diagnoser::advance(WallTime until) {
  pipeline_.advance(until, observed());
  pass_steps(std::min(until, pipeline_.judged_until(until)));
}

void Diagnoser::finish() {
  finished_ = true;
  pipeline_.finish(observed());
  work_.complete(WallTime::max());
  clocks_.finish();
  peers_.finish();
  detectors_.finish();
  detectors_.complete(floor_to(to_, step_));
  if (persistence_) persistence_->close(peers_.ranking());
}

}  // namespace laggard::engine
