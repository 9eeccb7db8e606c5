#include "collect/record/outbox.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <system_error>
#include <utility>

namespace laggard::collect {

Outbox::Outbox(TableSink* sink, ObservationSink* observations, Options options)
    : sink_(sink), observations_(observations), options_(std::move(options)) {}

Outbox::~Outbox() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (worker_.joinable()) worker_.join();
}

void Outbox::put(DeviceInfo facts) { put_item(std::move(facts)); }

void Outbox::put(SampleTable table) {
  if (table.cells() != 0) put_item(std::move(table));
}

void Outbox::put(Gap note) { put_item(std::move(note)); }

void Outbox::put(EventTable table) {
  if (!table.empty()) put_item(std::move(table));
}

void Outbox::put(ProfileTable table) {
  if (!table.empty()) put_item(std::move(table));
}

/// About as many numbers as it takes; nothing for what is never dropped, since it is small and what comes
/// later builds on it.
std::size_t Outbox::cells_of(const Item& item) {
  constexpr std::size_t kPerRow = 4;
  if (const auto* samples = std::get_if<SampleTable>(&item)) return samples->cells();
  if (const auto* events = std::get_if<EventTable>(&item)) {
    return 1 + events->size() * (kPerRow + events->attributes().size()) + events->words().bytes() / 8;
  }
  if (const auto* profile = std::get_if<ProfileTable>(&item)) {
    return 1 + kPerRow * profile->size() + 2 * profile->entries() + profile->words().bytes() / 8;
  }
  return 0;
}

/// Counts what is dropped. Disks, interfaces and sockets are sampled together, so a sample time that several
/// kinds lose is counted once.
void Outbox::drop_samples(const SampleTable& table) {
  const auto [first, last] = std::ranges::minmax(table.times());
  ++counts_.tables_dropped;
  if (!dropped_) {
    dropped_ = Gap{.host = table.host(), .from = first, .to = last, .reason = "disk hung"};
    counts_.rows_dropped += table.times().size();
    return;
  }
  counts_.rows_dropped += static_cast<std::uint64_t>(
      std::ranges::count_if(table.times(), [&](WallTime t) { return t > dropped_->to; }));
  dropped_->from = std::min(dropped_->from, first);
  dropped_->to = std::max(dropped_->to, last);
}

template <typename Table>
void Outbox::drop_observations(const Table& table, std::map<HostKind, Loss>& losses,
                               const std::string& reason) {
  const TimeSpan span = table.extent();
  const auto [loss, is_new] =
      losses.try_emplace({table.host(), table.kind()}, Loss{span.from, span.to, 0, reason});
  loss->second.from = std::min(loss->second.from, span.from);
  loss->second.to = std::max(loss->second.to, span.to);
  loss->second.count += table.size();
  for (const Loss& told : table.losses()) loss->second.count += told.count;
  counts_.observations_dropped += table.size();
}

void Outbox::drop(const Item& item) {
  constexpr auto kHung = "disk hung";
  if (const auto* samples = std::get_if<SampleTable>(&item)) drop_samples(*samples);
  if (const auto* events = std::get_if<EventTable>(&item)) drop_observations(*events, dropped_events_, kHung);
  if (const auto* profile = std::get_if<ProfileTable>(&item)) {
    drop_observations(*profile, dropped_periods_, kHung);
  }
}

/// A day with more different strings than a file may name loses some of its events; it does not end the
/// recording. A table that only tells of a loss names none, so that something else is wrong with it.
bool Outbox::drop_if_refused(const Item& item, const Status& done) {
  const auto* events = std::get_if<EventTable>(&item);
  if (done || done.error().code != ErrorCode::kBadInput || events == nullptr || events->size() == 0) {
    return false;
  }
  drop_observations(*events, dropped_events_, done.error().what);
  return true;
}

void Outbox::put_item(Item item) {
  const std::lock_guard lock(mutex_);
  cells_waiting_ += cells_of(item);
  waiting_.push_back(std::move(item));
  // Facts are few and small, and later tables need them: cells_of says 0.
  auto oldest = waiting_.begin();
  if (delivering_front_) ++oldest;
  while (cells_waiting_ > options_.most_cells && oldest != std::prev(waiting_.end())) {
    const std::size_t cells = cells_of(*oldest);
    if (cells == 0) {
      ++oldest;
      continue;
    }
    cells_waiting_ -= cells;
    drop(*oldest);
    oldest = waiting_.erase(oldest);
  }
}

void Outbox::deliver_soon() { request(true); }

void Outbox::hand_on_soon() { request(false); }

void Outbox::request(bool syncs) {
  {
    const std::lock_guard lock(mutex_);
    requested_ = true;
    sync_requested_ = sync_requested_ || syncs;
    start_worker();
  }
  wake_.notify_one();
}

void Outbox::start_worker() {
  if (worker_.joinable() || broken_) return;
  try {
    worker_ = std::thread([this] { work(); });
  } catch (const std::system_error&) {
    broken_ =
        Error{ErrorCode::kTemporary, "",
              "no further thread could be started, which writes what is recorded (a limit like ulimit -u "
              "or -v)"};
  }
}

Status Outbox::finish() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (worker_.joinable()) worker_.join();
  deliver(true);
  const std::lock_guard lock(mutex_);
  if (broken_) return tl::unexpected<Error>(*broken_);
  if (!counts_.refusal) return {};
  Error error = *counts_.refusal;
  error.what += "; the last samples could not be written";
  return tl::unexpected<Error>(std::move(error));
}

Outbox::Counts Outbox::counts() const {
  const std::lock_guard lock(mutex_);
  Counts counts = counts_;
  for (const Item& item : waiting_)
    if (cells_of(item) > 0) ++counts.tables_waiting;
  return counts;
}

bool Outbox::has_room() const {
  const std::lock_guard lock(mutex_);
  return !counts_.refusal && cells_waiting_ <= options_.most_cells / 2;
}

std::optional<Error> Outbox::broken() const {
  const std::lock_guard lock(mutex_);
  return broken_;
}

void Outbox::work() {
  for (;;) {
    bool syncs = false;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return requested_ || stopping_; });
      if (stopping_) return;
      requested_ = false;
      syncs = std::exchange(sync_requested_, false);
    }
    try {
      deliver(syncs);
    } catch (const std::bad_alloc&) {
      const std::lock_guard lock(mutex_);
      delivering_front_ = false;
      broken_ = std::move(no_memory_);
      return;
    }
  }
}

Status Outbox::append(const Item& item) {
  if (const auto* facts = std::get_if<DeviceInfo>(&item)) return sink_->describe(*facts);
  if (const auto* note = std::get_if<Gap>(&item)) return sink_->note_gap(*note);
  if (const auto* events = std::get_if<EventTable>(&item)) return observations_->append(*events);
  if (const auto* profile = std::get_if<ProfileTable>(&item)) return observations_->append(*profile);
  return sink_->append(std::get<SampleTable>(item));
}

void Outbox::count_delivered(const Item& item) {
  if (std::holds_alternative<SampleTable>(item)) ++counts_.tables_delivered;
  if (const auto* events = std::get_if<EventTable>(&item)) counts_.observations_delivered += events->size();
  if (const auto* profile = std::get_if<ProfileTable>(&item)) {
    counts_.observations_delivered += profile->size();
  }
}

void Outbox::tell_losses() {
  for (const auto& [whose, loss] : std::exchange(dropped_events_, {})) {
    EventTable table(whose.first, whose.second);
    table.add_loss(loss);
    waiting_.emplace_front(std::move(table));
    cells_waiting_ += cells_of(waiting_.front());
  }
  for (const auto& [whose, loss] : std::exchange(dropped_periods_, {})) {
    ProfileTable table(whose.first, whose.second);
    table.add_loss(loss);
    waiting_.emplace_front(std::move(table));
    cells_waiting_ += cells_of(waiting_.front());
  }
}

void Outbox::deliver(bool syncs) {
  std::unique_lock lock(mutex_);
  std::optional<Error> refusal;
  tell_losses();
  if (dropped_) waiting_.emplace_front(*std::exchange(dropped_, std::nullopt));
  while (!waiting_.empty() && !broken_) {
    delivering_front_ = true;
    const Item& front = waiting_.front();
    lock.unlock();
    const Status done = append(front);
    lock.lock();
    delivering_front_ = false;
    const bool is_dropped = drop_if_refused(front, done);
    if (!is_dropped) refusal = judge(done);
    if (broken_) return;
    cells_waiting_ -= cells_of(front);
    if (!is_dropped) count_delivered(front);
    waiting_.pop_front();
    if (waiting_.empty()) tell_losses();
  }
  if (syncs && options_.afterwards && !broken_) {
    lock.unlock();
    const Status after = options_.afterwards();
    lock.lock();
    refusal = judge(after);
  }
  // Whether there is room again, only a sync can tell.
  if (syncs || refusal) counts_.refusal = std::move(refusal);
}

std::optional<Error> Outbox::judge(const Status& done) {
  if (done) return std::nullopt;
  if (done.error().code == ErrorCode::kNoSpace) return done.error();
  if (!broken_) broken_ = done.error();
  return std::nullopt;
}

}  // namespace laggard::collect
