#include "base/workers.h"

#include <gtest/gtest.h>

#include <numeric>

namespace laggard {
namespace {

TEST(Workers, DoEveryTaskOnce) {
  for (const std::size_t threads : {1U, 2U, 5U}) {
    Workers workers(threads);
    EXPECT_EQ(workers.threads(), threads);
    for (std::size_t round = 0; round < 200; ++round) {
      std::vector<int> done(round % 17, 0);
      workers.run(done.size(), [&](std::size_t i) { ++done[i]; });
      EXPECT_EQ(std::accumulate(done.begin(), done.end(), std::size_t{0}), done.size());
    }
  }
}

TEST(Workers, NobodyIsNeeded) {
  std::vector<std::size_t> order;
  run_all(nullptr, 3, [&](std::size_t i) { order.push_back(i); });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2}));
}

}  // namespace
}  // namespace laggard
