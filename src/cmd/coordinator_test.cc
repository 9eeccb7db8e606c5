// Ranks as threads of one process: the same windows for any number of them, and an end for all when one
// cannot go on. The real mpirun is tested in tests/ranks.sh.
#include "cmd/coordinator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "cmd/judge_shard.h"
#include "testing/shards.h"

namespace laggard::cmd {
namespace {

using script::System;
using testing::HasSubstr;
using testing_support::judged_as_a_whole;
using testing_support::PostOffice;
using testing_support::Protocol;
using testing_support::setup_of;
using testing_support::ThreadRanks;

System a_system() {
  System system;
  system.servers = 4;
  system.clients = 1;
  system.length = 700;
  system.faults.push_back({"slow", "s2", "", 200, 500, 4});
  return system;
}

/// What the other ranks have before them.
using Prepare = std::function<Result<AnalysisSetup>(std::size_t rank)>;

/// Rank 0's answer, and that all came home.
Status with_ranks(std::size_t count, const Prepare& others, const std::function<Status(Ranks&)>& first) {
  PostOffice post;
  // Not on the threads: simulating draws from Poisson's distribution, for which libm has a global variable.
  std::vector<Result<AnalysisSetup>> setups;
  for (std::size_t rank = 1; rank < count; ++rank) setups.push_back(others(rank));
  std::vector<std::thread> threads;
  for (std::size_t rank = 1; rank < count; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadRanks ranks(post, rank, count);
      work_for_coordinator(ranks, {}, setups[rank - 1]);
    });
  }
  ThreadRanks ranks(post, 0, count);
  Status done = first(ranks);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(post.left, count) << "every rank leaves";
  return done;
}

Status judge_all(Ranks& ranks, AnalysisSetup& setup, const Coordinator::Sink& sink) {
  Coordinator coordinator(ranks);
  auto own = fingerprint({}, setup);
  if (!own) return forward(own);
  if (Status complete = coordinator.start(*own); !complete) return complete;
  return coordinator.judge(setup, engine::Shard{}.after, sink);
}

TEST(Coordinator, AnyNumberOfRanksGivesTheSameWindows) {
  AnalysisSetup alone = setup_of(a_system(), "quick");
  const std::vector<std::string> whole = judged_as_a_whole(alone);
  for (const std::size_t count : {1U, 2U, 3U, 7U}) {
    AnalysisSetup setup = setup_of(a_system(), "quick");
    Protocol protocol(setup);
    const Status judged = with_ranks(
        count, [](std::size_t) -> Result<AnalysisSetup> { return setup_of(a_system(), "quick"); },
        [&](Ranks& ranks) {
          return judge_all(ranks, setup, [&](detect::JudgedRun& run) {
            protocol.take(run);
            return Status{};
          });
        });
    ASSERT_TRUE(judged) << judged.error().message();
    EXPECT_TRUE(protocol.lines() == whole) << count;
  }
}

TEST(Coordinator, ARankThatCannotBeginEndsItForAll) {
  AnalysisSetup setup = setup_of(a_system(), "quick");
  const Status judged = with_ranks(
      3,
      [](std::size_t rank) -> Result<AnalysisSetup> {
        if (rank == 2) return fail(ErrorCode::kNotFound, "rec", "there is no such recording");
        return setup_of(a_system(), "quick");
      },
      [&](Ranks& ranks) { return judge_all(ranks, setup, [](detect::JudgedRun&) { return Status{}; }); });
  ASSERT_FALSE(judged);
  EXPECT_EQ(judged.error().message(), "rank 2: rec: there is no such recording");
}

TEST(Coordinator, ARankThatSeesOtherRecordingsEndsItForAll) {
  AnalysisSetup setup = setup_of(a_system(), "quick");
  const Status judged = with_ranks(
      3,
      [](std::size_t rank) -> Result<AnalysisSetup> {
        System system = a_system();
        system.length += static_cast<double>(rank - 1);
        return setup_of(system, "quick");
      },
      [&](Ranks& ranks) { return judge_all(ranks, setup, [](detect::JudgedRun&) { return Status{}; }); });
  ASSERT_FALSE(judged);
  EXPECT_THAT(judged.error().message(), HasSubstr("rank 2: sees other recordings than rank 0"));
}

/// Reads well for a while.
class FailingSource final : public SeriesSource {
 public:
  explicit FailingSource(std::unique_ptr<SeriesSource> source) : source_(std::move(source)) {}
  Result<Inventory> inventory() override { return source_->inventory(); }
  Result<std::unique_ptr<TableReader>> read(const ReadRequest& /*request*/) override {
    return fail(ErrorCode::kUnavailable, "rec/metrics", "cannot be read any more");
  }

 private:
  std::unique_ptr<SeriesSource> source_;
};

TEST(Coordinator, ARankThatCannotGoOnEndsItForAll) {
  for (const std::size_t sick : {0U, 1U, 2U}) {
    const auto made = [&](std::size_t rank) -> Result<AnalysisSetup> {
      AnalysisSetup setup = setup_of(a_system(), "quick");
      if (rank == sick) setup.source = std::make_unique<FailingSource>(std::move(setup.source));
      return setup;
    };
    Result<AnalysisSetup> setup = made(0);
    const Status judged = with_ranks(3, made, [&](Ranks& ranks) {
      return judge_all(ranks, *setup, [](detect::JudgedRun&) { return Status{}; });
    });
    ASSERT_FALSE(judged);
    const std::string where = sick == 0 ? "" : "rank " + std::to_string(sick) + ": ";
    EXPECT_EQ(judged.error().message(), where + "rec/metrics: cannot be read any more");
  }
}

TEST(Coordinator, AnErrorOfTheSinkEndsItForAll) {
  AnalysisSetup setup = setup_of(a_system(), "quick");
  std::size_t runs = 0;
  const Status judged = with_ranks(
      2, [](std::size_t) -> Result<AnalysisSetup> { return setup_of(a_system(), "quick"); },
      [&](Ranks& ranks) {
        return judge_all(ranks, setup, [&](detect::JudgedRun&) -> Status {
          if (++runs == 2) return fail(ErrorCode::kNoSpace, "checkpoint", "no space is left");
          return {};
        });
      });
  ASSERT_FALSE(judged);
  EXPECT_EQ(judged.error().message(), "checkpoint: no space is left");
  EXPECT_EQ(runs, 2U);
}

TEST(Coordinator, OthersGoHomeWhenRankZeroNeverBegins) {
  const Status nothing = with_ranks(
      3, [](std::size_t) -> Result<AnalysisSetup> { return setup_of(a_system(), "quick"); },
      [](Ranks& ranks) {
        const Coordinator coordinator(ranks);
        return Status{};
      });
  EXPECT_TRUE(nothing);
}

TEST(Ranks, AProcessByItselfIsOneRank) {
  const auto ranks = join_ranks();
  ASSERT_TRUE(ranks);
  EXPECT_EQ((*ranks)->rank(), 0U);
  EXPECT_EQ((*ranks)->count(), 1U);
  EXPECT_EQ(launched_rank(), 0U);
}

}  // namespace
}  // namespace laggard::cmd
