#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace laggard::cmd {

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
