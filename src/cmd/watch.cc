#include "cmd/watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "archive/reader.h"
#include "archive/watched.h"
#include "cmd/read_recording.h"
#include "detect/peer/ratio/latency_ratio.h"

namespace laggard::cmd {

namespace {

/// Whether it is known how often anything is recorded, on which the preset depends.
bool has_cadence(const Inventory& inventory) {
  return inventory.devices.empty() || std::ranges::any_of(inventory.devices, [](const DeviceInfo& device) {
           return device.interval.has_value();
         });
}

/// A restart judges so much again at most; a large site's checkpoint takes some time to write.
constexpr Duration kCheckpointEvery = std::chrono::minutes(5);

/// Judged again before the first one that matters: more than biases (BiasOptions) and persistence need.
constexpr std::size_t kWindowsAgain = 1024;

/// Nothing to watch yet, which is no mistake while a recorder has only just begun.
bool is_not_there_yet(const Error& error) {
  return error.code == ErrorCode::kNotFound || error.code == ErrorCode::kTemporary ||
         error.what.find("nothing recorded") != std::string::npos;
}

/// A recorder that starts or ends puts its files in order; what is read meanwhile is refused, and is there
/// when we look again.
bool is_passing(const Error& error) {
  return error.code == ErrorCode::kUnavailable || error.code == ErrorCode::kTemporary ||
         error.code == ErrorCode::kNotFound;
}

Duration cells(const detect::WindowSpec& windows, std::size_t n) {
  return windows.interval * static_cast<std::int64_t>(n);
}

/// Of all windows that are judged, in cells.
std::size_t shortest_shift(const AnalysisSetup& setup) {
  const std::size_t shift = setup.preset.windows.shift;
  const auto& beside = setup.pipeline.beside;
  return beside ? std::min(shift, beside->preset.windows.shift) : shift;
}

/// For how long an incident may be quiet and still come back as itself (IncidentLimits::recurrence), and how
/// long another blame or cause has to hold: as long as a fault takes to be one, k windows (ours).
engine::ChangeTracker::Patience patience_of(const AnalysisSetup& setup, const Watch::Options& options) {
  const detect::WindowSpec& windows = setup.preset.windows;
  const Duration slack = cells(windows, windows.shift * (2 * windows.k - 1));
  const double recurrence = setup.pipeline.parameters.incidents.recurrence;
  return {
      .closed_after = Duration(static_cast<std::int64_t>(recurrence * static_cast<double>(slack.count()))),
      .lasting = cells(windows, windows.shift * windows.k),
      .alarm_after = options.alarm_after,
      .overload_alarm_after = options.overload_alarm_after};
}

}  // namespace

Watch::Watch(Options options, WatchListener listener)
    : options_(std::move(options)),
      listener_(std::move(listener)),
      watermark_(options_.silence, [this](const std::string& text) { listener_.note(text); }) {
  options_.diagnose.analysis.cache = &cache_;
}

/// The recordings as they are now, until it is closed.
Result<std::unique_ptr<archive::Reader>> Watch::open() {
  return archive::Reader::open(options_.diagnose.analysis.recordings, {.cache = &cache_});
}

void Watch::verdict(const engine::Diagnoser& diagnoser, WallTime at, bool last) {
  // Judged again after hosts came or a restart: it has been told.
  if (!told_ || (at <= tracker_->at() && !last)) return;
  Diagnosis diagnosis = diagnoser.diagnosis();
  note_judged(diagnosis.coverage.judged);
  std::vector<Incident> now = std::move(diagnosis.incidents);
  const WallTime when = std::max(at, tracker_->at());
  outbox_ = last ? tracker_->finish(std::move(now), when) : tracker_->update(std::move(now), when);
  if (outbox_.empty()) return;
  if (listener_.decided) told_ = listener_.decided();
  deliver();
}

/// When too few can be held against peers, silence is no good news.
void Watch::note_judged(const Judged& now) {
  judged_ = now;
  if (now.windows < now.needed && now.groups.there > 0) return;  // It has just begun.
  const bool enough = now.enough_lately();
  if (std::exchange(enough_, enough) == enough) return;
  const std::string counts = fmt::format("{} of {} components", now.lately, now.components.there);
  const std::string since = now.to ? " since " + to_iso8601(*now.to) : "";
  listener_.note(enough
                     ? fmt::format("{} are compared with peers", counts)
                     : fmt::format("only {} can be compared with peers{}; of the others nothing can be said",
                                   counts, since));
}

void Watch::deliver() {
  // What led to it may be in the memory of recorders alone.
  if (std::ranges::find(outbox_, ChangeKind::kOpened, &Change::kind) != outbox_.end()) {
    for (const auto& recording : options_.diagnose.analysis.recordings) archive::mark_wanted(recording);
  }
  for (const Change& change : outbox_) {
    if (told_) told_ = listener_.change(change);
  }
  if (told_) outbox_.clear();
}

void Watch::restore(WatchState state) {
  restored_ = std::move(state.changes);
  outbox_ = std::move(state.outbox);
  checkpoint_ = std::move(state.engine);
}

Result<AnalysisSetup> Watch::prepare_live() {
  options_.diagnose.analysis.live = true;
  auto setup = prepare_diagnosis(options_.diagnose);
  const bool chosen = options_.diagnose.analysis.preset == "auto" && options_.diagnose.thresholds.empty();
  if (setup && chosen) listener_.note(setup->remarks.front());
  return setup;
}

/// Makes the groups of what is recorded by now and a diagnoser that has seen nothing yet.
Status Watch::begin() {
  diagnoser_.reset();
  auto setup = prepare_live();
  if (!setup) return forward(setup);
  setup_ = std::make_unique<AnalysisSetup>(std::move(*setup));
  setup_->observations = nullptr;
  setup_->source.reset();  // Each look has its own reader, and none keeps a writer from folding in its log.
  if (!tracker_) {
    tracker_.emplace(patience_of(*setup_, options_));
    if (restored_) tracker_->restore(std::move(*restored_));
  }
  devices_.set(setup_->inventory);
  look_back_.emplace(*setup_);
  after_ = checkpoint_ ? std::optional(checkpoint_->after) : judge_again_after();
  return start();
}

Result<engine::DiagnoserOptions> Watch::settings(std::optional<engine::Shard> shard) {
  auto settings = diagnoser_options(options_.diagnose, *setup_);
  if (!settings) return settings;
  const detect::WindowSpec& windows = setup_->preset.windows;
  settings->tick = {
      .every = cells(windows, shortest_shift(*setup_)),
      .tell = [this](const engine::Diagnoser& diagnoser, WallTime at) { verdict(diagnoser, at, false); },
      .forget = true};
  settings->pipeline.shard = shard;
  return settings;
}

/// What was judged cannot be gone on from: everything is judged again that may still change what was told,
/// and with it what it is held against. Nothing: from the beginning.
std::optional<std::int64_t> Watch::judge_again_after() const {
  const engine::ChangeTracker::State told = tracker_->state();
  if (told.at == WallTime::min()) return std::nullopt;
  WallTime from = told.at;
  for (const engine::ChangeTracker::Told& one : told.told) {
    if (one.kind != ChangeKind::kClosed) from = std::min(from, one.incident.since);
  }
  const detect::WindowSpec& windows = setup_->preset.windows;
  const Grid grid{windows.interval};
  const auto& beside = setup_->pipeline.beside;
  const std::size_t shift = std::max(windows.shift, beside ? beside->preset.windows.shift : 0);
  const std::int64_t after = grid.cell(from) - static_cast<std::int64_t>(kWindowsAgain * shift);
  const TimeSpan span = recorded_span(setup_->inventory, setup_->request);
  return after > grid.cell(span.from) ? std::optional(after) : std::nullopt;
}

/// A diagnoser that has judged all cells up to `after_`.
Status Watch::start() {
  std::optional<engine::Shard> shard;
  if (after_) {
    shard.emplace().after = *after_;
    shard->read_from = look_back_->read_from(*setup_, *shard);
  }
  auto how = settings(shard);
  if (!how) return forward(how);
  diagnoser_ = std::make_unique<engine::Diagnoser>(setup_->grouping, std::move(*how));
  position_.reset();
  last_late_work_ = WallTime::min();
  read_.clear();
  late_.clear();
  read_from_ = shard ? shard->read_from : std::nullopt;
  if (!checkpoint_) return {};
  Status restored = diagnoser_->restore(*checkpoint_);
  if (restored) return {};
  listener_.note(restored.error().message() + "; what was recorded is judged again");
  checkpoint_.reset();
  checkpointed_.reset();
  after_ = judge_again_after();
  return start();
}

Witnesses Watch::witnesses() const {
  return {options_.diagnose.analysis.detectors, options_.diagnose.analysis.derivations};
}

/// What was recorded of a time that had been judged: a reader that goes through time does not see it.
void Watch::note_late(const Streams& streams) {
  for (const ObservationStream& stream : streams) {
    if (!position_ || stream.last >= *position_) continue;  // Of the rest nobody knows yet.
    const ObservationFeed::Counts::key_type key{stream.shape, stream.host, stream.kind};
    const std::uint64_t known = read_[key] + late_[key];
    if (stream.count <= known || setup_->request.from || after_) continue;
    listener_.note(fmt::format("{} observations ({}) of {} came late and are not judged",
                               stream.count - known, stream.kind, stream.host));
    late_[key] += stream.count - known;
  }
}

/// Too little may have been read of what lies before the first cell; nothing has been judged then.
Status Watch::read_until(archive::Reader& reader, WallTime until) {
  for (;;) {
    Status read = read_new(reader, until);
    if (!read || !diagnoser_->needs_earlier()) return read;
    look_back_->further();
    if (Status started = start(); !started) return started;
  }
}

/// Work of which nothing is known yet is read from its beginning, however late the judging begins, and what
/// may be recorded late is looked for again.
Status Watch::open_work(SeriesSource& source, const ReadRequest& request, ObservationFeed& feed) const {
  if (!work_) return {};
  ReadRequest work = *work_;
  if ((position_ || checkpoint_) && request.from) {
    const WallTime late = std::max(*request.from - latest_work(work), last_late_work_ + Duration{1});
    work.from = std::max(std::min(*request.from, late), work.from.value_or(WallTime::min()));
  }
  work.to = request.to;
  return feed.open_work(source, work);
}

Status Watch::read_new(archive::Reader& reader, WallTime until) {
  ReadRequest request = setup_->request;
  if (const auto from = position_ ? position_ : read_from_) {
    request.from = std::max(request.from.value_or(*from), *from);
  }
  request.to = std::min(request.to.value_or(until), until);
  const TimeSpan span = recorded_span(setup_->inventory, request);
  const TableReading reading{reader, request, span, setup_->workers.get()};
  auto feed = ObservationFeed::open(&reader, request, witnesses());
  if (!feed) return forward(feed);
  if (Status opened = open_work(reader, request, *feed); !opened) return opened;
  const auto read = [&](const AddSamples& consume) {
    return read_tables(reading, position_ || read_from_ ? "" : "judging what was recorded so far", consume);
  };
  const ObservationConsumer all = all_of(*diagnoser_);
  const auto add = [&](std::span<const SampleTable> tables) { diagnoser_->add(tables); };
  if (Status done = feed->read_along(read, all, add); !done) return done;
  if (Status done = feed->read_rest(all); !done) return done;
  for (const auto& [stream, count] : feed->counts()) read_[stream] += count;
  last_late_work_ = std::max(last_late_work_, feed->last_late_work());
  position_ = until;
  diagnoser_->advance(until);
  return told_;
}

Result<bool> Watch::poll() {
  for (const auto& recording : options_.diagnose.analysis.recordings) archive::mark_watched(recording);
  Result<bool> news = look();
  if (news || !is_passing(news.error())) return news;
  diagnoser_.reset();  // It may have been given half of what is there, and begins anew.
  return false;
}

/// Begins, at first and anew when hosts or devices have come.
Status Watch::begin_with(const Inventory& inventory) {
  if (diagnoser_ != nullptr) {
    if (!devices_.are_news(diagnoser_->unknown_devices()) && !devices_.has_news(inventory)) return {};
    listener_.note("hosts or devices have come; peers are compared with them from now on");
    checkpoint_.reset();
    checkpointed_.reset();
  }
  return begin();
}

Result<bool> Watch::look() {
  if (!outbox_.empty()) deliver();
  if (!told_) return forward(told_);
  auto reader = open();
  if (!reader) {
    if (is_not_there_yet(reader.error())) return false;
    return forward(reader);
  }
  auto inventory = (*reader)->inventory();
  if (!inventory) return forward(inventory);
  if (diagnoser_ == nullptr && !has_cadence(*inventory)) return false;
  if (Status begun = begin_with(*inventory); !begun) {
    if (is_not_there_yet(begun.error())) return false;
    return forward(begun);
  }
  work_ = work_request(setup_->request, *inventory);
  auto streams = wanted_streams(**reader, witnesses());
  if (!streams) return forward(streams);
  note_late(*streams);
  const std::optional<WallTime> until =
      watermark_.advance(*inventory, *streams, options_.diagnose.analysis.derivations, position_);
  if (!until || (position_ && *until <= *position_)) return false;
  if (Status read = read_until(**reader, *until); !read) return forward(read);
  if (!checkpointed_ || *until - *checkpointed_ >= kCheckpointEvery) {
    checkpoint_ = diagnoser_->checkpoint();
    checkpointed_ = until;
  }
  return true;
}

Status Watch::finish() {
  Status finished = judge_rest();
  for (int more = 0; more < 3 && !finished && is_passing(finished.error()); ++more) {
    diagnoser_.reset();
    if (Result<bool> news = look(); !news) return forward(news);
    finished = judge_rest();
  }
  return finished;
}

Status Watch::judge_rest() {
  if (diagnoser_ == nullptr) return {};
  // To the very last sample of whoever has one.
  auto reader = open();
  if (!reader) return forward(reader);
  auto inventory = (*reader)->inventory();
  if (!inventory) return forward(inventory);
  work_ = work_request(setup_->request, *inventory);
  WallTime end = position_.value_or(WallTime::min());
  for (const auto& [host, last] : last_samples(*inventory)) end = std::max(end, last + Duration{1});
  auto streams = wanted_streams(**reader, witnesses());
  if (!streams) return forward(streams);
  if (const auto newest = newest_of(*streams)) end = std::max(end, *newest + Duration{1});
  for (;;) {
    if (Status read = read_until(**reader, end); !read) return read;
    diagnoser_->finish();
    if (!diagnoser_->needs_earlier()) break;
    look_back_->further();
    if (Status started = start(); !started) return started;
  }
  note_late(*streams);
  verdict(*diagnoser_, end - Duration{1}, true);
  return told_;
}

Duration Watch::patience() const {
  if (!setup_) return Duration::zero();
  const detect::WindowSpec& windows = setup_->preset.windows;
  const Duration patience = cells(windows, shortest_shift(*setup_)) / 16;
  const detect::RatioOptions& ratio = setup_->pipeline.parameters.ratio;
  if (ratio.seconds <= 0) return patience;
  return std::min(patience, windows.interval * detect::short_windows(ratio, windows.interval).shift / 2);
}

WatchState Watch::state() const {
  return {.changes = tracker_ ? tracker_->state() : restored_.value_or(engine::ChangeTracker::State{}),
          .outbox = outbox_,
          .engine = checkpoint_};
}

std::optional<std::int64_t> Watch::checkpoint_after() const {
  return checkpoint_ ? std::optional(checkpoint_->after) : std::nullopt;
}

std::vector<Incident> Watch::open() const { return tracker_ ? tracker_->open() : std::vector<Incident>{}; }

}  // namespace laggard::cmd
