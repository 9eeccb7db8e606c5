#include "base/workers.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <new>
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

/// While it exists, threads want a stack that no address space has room for, so that none can be started.
class NoFurtherThreads {
 public:
  NoFurtherThreads() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t huge = before_;
    EXPECT_EQ(pthread_attr_setstacksize(&huge, std::size_t{1} << 50), 0);
    EXPECT_EQ(pthread_setattr_default_np(&huge), 0);
  }
  NoFurtherThreads(const NoFurtherThreads&) = delete;
  NoFurtherThreads& operator=(const NoFurtherThreads&) = delete;
  ~NoFurtherThreads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }

 private:
  pthread_attr_t before_{};
};

TEST(Workers, DoWithFewerThreadsWhereNoFurtherOneStarts) {
  const NoFurtherThreads none;
  Workers workers(8);
  EXPECT_EQ(workers.threads(), 1);
  std::vector<int> done(100, 0);
  workers.run(done.size(), [&](std::size_t i) { ++done[i]; });
  EXPECT_EQ(done, std::vector<int>(100, 1));
}

TEST(Workers, PassOnAnExceptionOfAnyThreadWhenAllHaveStopped) {
  Workers workers(4);
  for (int round = 0; round < 100; ++round) {
    std::atomic<int> running = 0;
    const auto fails = [&](std::size_t i) {
      ++running;
      if (i % 5 == 4) {
        --running;
        throw std::bad_alloc();
      }
      --running;
    };
    EXPECT_THROW(workers.run(50, fails), std::bad_alloc);
    EXPECT_EQ(running, 0);
    std::atomic<int> done = 0;
    workers.run(50, [&](std::size_t) { ++done; });
    EXPECT_EQ(done, 50);
  }
}

TEST(Workers, NobodyIsNeeded) {
  std::vector<std::size_t> order;
  run_all(nullptr, 3, [&](std::size_t i) { order.push_back(i); });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2}));
}

}  // namespace
}  // namespace laggard
