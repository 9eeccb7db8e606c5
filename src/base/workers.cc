#include "base/workers.h"

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

#include "base/error.h"

namespace laggard {

Workers::Workers(std::size_t threads) {
  LAGGARD_CHECK(threads >= 1);
  threads_.reserve(threads - 1);
  // With a thread fewer we are only slower. An exception from here would end the program, because the threads
  // that were started could not be joined.
  try {
    for (std::size_t i = 1; i < threads; ++i) threads_.emplace_back([this] { serve(); });
  } catch (const std::system_error&) {
  } catch (const std::bad_alloc&) {
  }
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::take_tasks(const std::function<void(std::size_t)>& task, std::size_t count) noexcept {
  try {
    for (std::size_t i = next_.fetch_add(1); i < count; i = next_.fetch_add(1)) task(i);
  } catch (...) {
    next_ = count;
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
}

void Workers::serve() {
  std::size_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return stop_ || round_ != seen; });
    if (stop_) return;
    seen = round_;
    if (task_ == nullptr) continue;  // Woken too late: the others have finished the round.
    const std::function<void(std::size_t)>& task = *task_;
    const std::size_t count = count_;
    ++busy_;
    lock.unlock();
    take_tasks(task, count);
    lock.lock();
    if (--busy_ == 0) done_.notify_one();
  }
}

void Workers::run(std::size_t count, const std::function<void(std::size_t)>& task) {
  if (count < 2 || threads_.empty()) {
    for (std::size_t i = 0; i < count; ++i) task(i);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    task_ = &task;
    count_ = count;
    next_ = 0;
    ++round_;
  }
  wake_.notify_all();
  take_tasks(task, count);
  std::unique_lock lock(mutex_);
  task_ = nullptr;
  done_.wait(lock, [&] { return busy_ == 0; });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

std::size_t all_threads() { return std::max(1U, std::thread::hardware_concurrency()); }

void run_all(Workers* workers, std::size_t count, const std::function<void(std::size_t)>& task) {
  if (workers != nullptr) {
    workers->run(count, task);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) task(i);
}

}  // namespace laggard
