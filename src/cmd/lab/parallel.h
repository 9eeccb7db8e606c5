#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace laggard::cmd {

/// As many threads as the machine runs at once.
[[nodiscard]] inline std::size_t all_threads() { return std::max(1U, std::thread::hardware_concurrency()); }

/// Calls `work(i)` for every i below n on so many threads; returns when all are done. Work must not throw.
/// Which thread does what is left to chance: results belong in a place of their own for each i.
template <typename Work>
void for_each_index(std::size_t n, std::size_t threads, const Work& work) {
  std::atomic<std::size_t> next{0};
  const auto take = [&] {
    for (std::size_t i = next++; i < n; i = next++) work(i);
  };
  std::vector<std::jthread> others;
  for (std::size_t t = 1; t < threads; ++t) others.emplace_back(take);
  take();
}

}  // namespace laggard::cmd
