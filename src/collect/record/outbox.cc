#include "collect/record/outbox.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <system_error>
#include <utility>

namespace laggard::collect {

Outbox::Outbox(TableSink& sink, Options options) : sink_(sink), options_(std::move(options)) {}

Outbox::~Outbox() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (worker_.joinable()) worker_.join();
}

void Outbox::put(DeviceInfo facts) { put(Item(std::move(facts)), 0); }

void Outbox::put(SampleTable table) {
  const std::size_t cells = table.cells();
  if (cells != 0) put(Item(std::move(table)), cells);
}

void Outbox::put(Gap note) { put(Item(std::move(note)), 0); }

/// Counts what is dropped. Disks, interfaces and sockets are sampled together, so a sample time that several
/// kinds lose is counted once.
void Outbox::drop(const SampleTable& table) {
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

void Outbox::put(Item item, std::size_t cells) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(item));
  cells_waiting_ += cells;
  // Only tables are dropped: facts are few and small, and later tables need them.
  auto oldest = waiting_.begin();
  if (delivering_front_) ++oldest;
  while (cells_waiting_ > options_.most_cells && oldest != std::prev(waiting_.end())) {
    const auto* table = std::get_if<SampleTable>(&*oldest);
    if (table == nullptr) {
      ++oldest;
      continue;
    }
    cells_waiting_ -= table->cells();
    drop(*table);
    oldest = waiting_.erase(oldest);
  }
}

void Outbox::deliver_soon() {
  {
    const std::lock_guard lock(mutex_);
    requested_ = true;
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
  deliver();
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
    if (std::holds_alternative<SampleTable>(item)) ++counts.tables_waiting;
  return counts;
}

std::optional<Error> Outbox::broken() const {
  const std::lock_guard lock(mutex_);
  return broken_;
}

void Outbox::work() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return requested_ || stopping_; });
      if (stopping_) return;
      requested_ = false;
    }
    try {
      deliver();
    } catch (const std::bad_alloc&) {
      const std::lock_guard lock(mutex_);
      delivering_front_ = false;
      broken_ = std::move(no_memory_);
      return;
    }
  }
}

Status Outbox::append(const Item& item) {
  if (const auto* facts = std::get_if<DeviceInfo>(&item)) return sink_.describe(*facts);
  if (const auto* note = std::get_if<Gap>(&item)) return sink_.note_gap(*note);
  return sink_.append(std::get<SampleTable>(item));
}

void Outbox::deliver() {
  std::unique_lock lock(mutex_);
  std::optional<Error> refusal;
  if (dropped_) waiting_.emplace_front(*std::exchange(dropped_, std::nullopt));
  while (!waiting_.empty() && !broken_) {
    delivering_front_ = true;
    const Item& front = waiting_.front();
    lock.unlock();
    const Status done = append(front);
    lock.lock();
    delivering_front_ = false;
    refusal = judge(done);
    if (broken_) return;
    if (const auto* table = std::get_if<SampleTable>(&front)) {
      cells_waiting_ -= table->cells();
      ++counts_.tables_delivered;
    }
    waiting_.pop_front();
  }
  if (options_.afterwards && !broken_) {
    lock.unlock();
    const Status after = options_.afterwards();
    lock.lock();
    refusal = judge(after);
  }
  counts_.refusal = std::move(refusal);
}

std::optional<Error> Outbox::judge(const Status& done) {
  if (done) return std::nullopt;
  if (done.error().code == ErrorCode::kNoSpace) return done.error();
  if (!broken_) broken_ = done.error();
  return std::nullopt;
}

}  // namespace laggard::collect
