// Samples that follow from events of a recording: a diagnosis, a resumed one and a watch say the same of
// them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "archive/writer.h"
#include "cmd/watch.h"
#include "report/json.h"
#include "testing/archive.h"
#include "testing/calls.h"
#include "testing/cli.h"
#include "testing/shards.h"

namespace laggard::cmd {
namespace {

using namespace std::chrono_literals;
using archive::testing::ManualClock;
using archive::testing::TempDir;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class SamplesOfEvents : public ::testing::Test {
 protected:
  SamplesOfEvents() : recording_(dir_.path() / "rec"), begin_(from_unix_ns(1'700'000'000'000'000'000)) {}

  /// Ten calls a second on hosts of these numbers; on the third they take four times as long from the 200th
  /// second to the 400th.
  void record(int from, int to, const std::vector<int>& hosts) {
    archive::ObservationWriter writer(recording_, {}, clock_);
    for (const int host : hosts) {
      EventTable table("s" + std::to_string(host), "rpc");
      for (int second = from; second < to; ++second) {
        const bool slow = host == 3 && second >= 200 && second < 400;
        laggard::testing_support::add_calls(table, begin_ + second * 1s, slow, random_);
      }
      ASSERT_TRUE(writer.append(table));
    }
    ASSERT_TRUE(writer.close());
  }

  [[nodiscard]] DiagnoseOptions options() const {
    DiagnoseOptions options = testing_support::quiet_diagnosis({recording_});
    options.analysis.derivations = laggard::testing_support::kCallTable;
    return options;
  }

  [[nodiscard]] WatchListener listener() {
    return {.change =
                [this](const Change& change) {
                  std::erase_if(told_, [&](const Incident& one) { return one.id == change.incident.id; });
                  told_.push_back(change.incident);
                  return Status{};
                },
            .note = [this](const std::string& note) { notes_.push_back(note); }};
  }

  TempDir dir_;
  std::filesystem::path recording_;
  WallTime begin_;
  ManualClock clock_;
  std::mt19937_64 random_{11};
  std::vector<Incident> told_;
  std::vector<std::string> notes_;
};

TEST_F(SamplesOfEvents, AreJudgedAndAWatchSaysTheSame) {
  Watch watch({.diagnose = options()}, listener());
  for (int second = 0; second < 600; second += 60) {
    record(second, second + 60, {1, 2, 3, 4});
    ASSERT_TRUE(watch.poll());
  }
  ASSERT_TRUE(watch.finish());
  auto diagnosis = diagnose(options());
  ASSERT_TRUE(diagnosis) << diagnosis.error().message();
  ASSERT_THAT(diagnosis->incidents, SizeIs(1));
  const Incident& incident = diagnosis->incidents.front();
  EXPECT_THAT(incident.components, ElementsAre("s3/rpc"));
  EXPECT_EQ(incident.evidence.front().metric, "await");
  EXPECT_THAT(diagnosis->coverage.missing, IsEmpty());
  ASSERT_THAT(told_, SizeIs(1));
  EXPECT_EQ(told_.front().id, incident.id);
  EXPECT_EQ(told_.front().since, incident.since);
  EXPECT_EQ(told_.front().until, incident.until);
  EXPECT_EQ(told_.front().severity, incident.severity);
}

TEST_F(SamplesOfEvents, ACheckpointSaysTheSame) {
  record(0, 600, {1, 2, 3, 4});
  const std::string expected = report::to_json(diagnose(options()).value());
  EXPECT_THAT(expected, HasSubstr("s3/rpc"));
  DiagnoseOptions resumed = options();
  resumed.resume = (dir_.path() / "checkpoint").string();
  for (int time = 0; time < 2; ++time) {  // The second time all of it is in the checkpoint.
    testing_support::PostOffice post;
    testing_support::ThreadRanks ranks(post, 0, 1);
    auto diagnosis = diagnose(resumed, ranks);
    ASSERT_TRUE(diagnosis) << diagnosis.error().message();
    EXPECT_EQ(report::to_json(*diagnosis), expected) << time;
  }
}

TEST_F(SamplesOfEvents, AWatchLearnsOfHostsThatCome) {
  Watch watch({.diagnose = options()}, listener());
  record(0, 60, {1, 2, 4});
  ASSERT_TRUE(watch.poll());
  for (int second = 60; second < 600; second += 60) {
    record(second, second + 60, {1, 2, 3, 4});
    ASSERT_TRUE(watch.poll());
  }
  ASSERT_TRUE(watch.finish());
  EXPECT_EQ(
      std::ranges::count_if(
          notes_, [](const std::string& note) { return note.starts_with("hosts or devices have come"); }),
      1);
  ASSERT_THAT(told_, SizeIs(1));
  EXPECT_THAT(told_.front().components, ElementsAre("s3/rpc"));
}

TEST_F(SamplesOfEvents, WithoutARowThereIsNothingToCompare) {
  record(0, 600, {1, 2, 3, 4});
  DiagnoseOptions without = options();
  without.analysis.derivations = {};
  EXPECT_FALSE(diagnose(without));
}

}  // namespace
}  // namespace laggard::cmd
