#include "collect/record/outbox.h"

#include <iterator>
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

void Outbox::put(Item item, std::size_t cells) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(item));
  cells_waiting_ += cells;
  // Facts are few and small, and what comes later builds on them: only tables are dropped.
  auto oldest = waiting_.begin();
  if (delivering_front_) ++oldest;
  while (cells_waiting_ > options_.most_cells && oldest != std::prev(waiting_.end())) {
    const auto* table = std::get_if<SampleTable>(&*oldest);
    if (table == nullptr) {
      ++oldest;
      continue;
    }
    cells_waiting_ -= table->cells();
    ++counts_.tables_dropped;
    counts_.rows_dropped += table->times().size();
    oldest = waiting_.erase(oldest);
  }
}

void Outbox::deliver_soon() {
  {
    const std::lock_guard lock(mutex_);
    requested_ = true;
    if (!worker_.joinable()) worker_ = std::thread([this] { work(); });
  }
  wake_.notify_one();
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
  if (!counts_.disk_full) return {};
  return fail(ErrorCode::kNoSpace, "", "the disk is full: the last samples could not be written");
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
    deliver();
  }
}

Status Outbox::append(const Item& item) {
  if (const auto* facts = std::get_if<DeviceInfo>(&item)) return sink_.describe(*facts);
  return sink_.append(std::get<SampleTable>(item));
}

void Outbox::deliver() {
  std::unique_lock lock(mutex_);
  bool full = false;
  while (!waiting_.empty() && !broken_) {
    delivering_front_ = true;
    const Item& front = waiting_.front();
    lock.unlock();
    const Status done = append(front);
    lock.lock();
    delivering_front_ = false;
    full = judge(done);
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
    full = judge(after);
  }
  counts_.disk_full = full;
}

bool Outbox::judge(const Status& done) {
  if (done) return false;
  if (done.error().code == ErrorCode::kNoSpace) return true;
  if (!broken_) broken_ = done.error();
  return false;
}

}  // namespace laggard::collect
