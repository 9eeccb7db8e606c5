#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace laggard {

/// Threads that share out pieces of work and wait for each other: fork and join, nothing else. Who uses them
/// gives every piece a place of its own for its result and puts results together in the order of the pieces,
/// so that what comes out does not depend on how many threads there are.
class Workers {
 public:
  /// \param threads  that work, the caller's own included; at least 1. Where the system starts no further
  /// thread there are fewer: at the least the caller's own.
  explicit Workers(std::size_t threads);
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers();

  [[nodiscard]] std::size_t threads() const { return threads_.size() + 1; }

  /// Calls task(0) … task(count - 1), each once, in no order that can be relied on, and returns when all are
  /// done. Not from within a task. Passes on the first exception of a task (there is no memory left) when no
  /// thread works any more; the tasks that were not begun by then are left out.
  void run(std::size_t count, const std::function<void(std::size_t)>& task);

 private:
  void serve();
  void take_tasks(const std::function<void(std::size_t)>& task, std::size_t count) noexcept;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  const std::function<void(std::size_t)>* task_ = nullptr;  ///< Null between rounds.
  std::size_t count_ = 0;
  std::atomic<std::size_t> next_{0};
  std::size_t round_ = 0;  ///< Counts calls of run.
  std::size_t busy_ = 0;   ///< Threads that have joined this round and not left it.
  bool stop_ = false;
  std::exception_ptr failure_;  ///< The first of this round.
  std::vector<std::thread> threads_;
};

/// As many as the machine runs at once.
[[nodiscard]] std::size_t all_threads();

/// The same with whoever is there: without workers one after the other.
void run_all(Workers* workers, std::size_t count, const std::function<void(std::size_t)>& task);

}  // namespace laggard
