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

/// A thread pool for fork and join, nothing else. The caller gives every task its own place for its result
/// and combines the results in the order of the tasks, so that the outcome does not depend on the number of
/// threads.
class Workers {
 public:
  /// \param threads  including the caller's; at least 1. Where the system refuses to start another thread,
  ///                 there are fewer.
  explicit Workers(std::size_t threads);
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers();

  [[nodiscard]] std::size_t threads() const { return threads_.size() + 1; }

  /// Calls task(0) … task(count - 1), each once, in no particular order, and returns when all are done. Must
  /// not be called from within a task. The first exception of a task (no memory is left) is rethrown when all
  /// threads have stopped; tasks that had not begun by then are not run.
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
  std::size_t busy_ = 0;   ///< Threads that have joined this round and not yet left it.
  bool stop_ = false;
  std::exception_ptr failure_;  ///< The first of this round.
  std::vector<std::thread> threads_;
};

/// How many threads the machine runs at once.
[[nodiscard]] std::size_t all_threads();

/// `workers->run`, or a plain loop when there are no workers.
void run_all(Workers* workers, std::size_t count, const std::function<void(std::size_t)>& task);

}  // namespace laggard
