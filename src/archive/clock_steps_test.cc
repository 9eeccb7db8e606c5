#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/recover.h"
#include "testing/archive.h"

// Steps of a host's clock are recorded as such, in either direction and over midnight.

namespace laggard::archive {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the archive's own test support.
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A recorder whose clock shows `shown` at its steps: ten samples after each.
void record_with_steps(const std::filesystem::path& path, const std::vector<std::string_view>& shown) {
  ManualClock clock;
  auto writer = open_writer(path, clock);
  std::optional<WallTime> last;
  for (const std::string_view start : shown) {
    const WallTime now = at(start);
    if (last) {
      const auto step = (now - *last) / seconds{1} - 1;
      ASSERT_OK(writer->note_gap(
          {.host = "fs1", .from = *last, .to = now, .reason = fmt::format("{}{:+} s", kClockStepped, step)}));
    }
    ASSERT_OK(writer->append(disk_table("fs1", now, 10)));
    ASSERT_OK(writer->flush());
    last = now + seconds{9};
  }
  ASSERT_OK(writer->close());
}

Inventory inventory_of(const std::filesystem::path& path) {
  auto inventory = open_reader(path)->inventory();
  EXPECT_TRUE(inventory) << inventory.error().message();
  return inventory.value_or(Inventory{});
}

std::vector<std::string> reasons(const Inventory& inventory) {
  std::vector<std::string> all;
  for (const Gap& gap : inventory.gaps) all.push_back(gap.reason);
  return all;
}

TEST(ClockSteps, ForwardsIsTheReasonOfTheGap) {
  const TempDir dir;
  record_with_steps(dir.path(), {"2011-05-09T06:00:00Z", "2011-05-09T07:00:10Z"});
  const Inventory inventory = inventory_of(dir.path());
  EXPECT_THAT(reasons(inventory), ElementsAre("clock stepped by +3600 s"));
  ASSERT_EQ(inventory.clock_steps.size(), 1U);
  EXPECT_EQ(inventory.clock_steps[0].reason, "clock stepped by +3600 s");
}

TEST(ClockSteps, BackwardsIsNoGapAndStillKnown) {
  const TempDir dir;
  record_with_steps(dir.path(), {"2011-05-09T06:00:00Z", "2011-05-09T05:00:10Z"});
  const Inventory inventory = inventory_of(dir.path());
  ASSERT_EQ(inventory.clock_steps.size(), 1U);
  EXPECT_EQ(inventory.clock_steps[0].before, "2011-05-09T06:00:09Z"_utc);
  EXPECT_EQ(inventory.clock_steps[0].after, "2011-05-09T05:00:10Z"_utc);
  EXPECT_EQ(inventory.clock_steps[0].reason, "clock stepped by -3600 s");
}

TEST(ClockSteps, BackOverMidnightAndForwardAgainNeverStoppedTheRecorder) {
  const TempDir dir;
  record_with_steps(dir.path(), {"2011-05-08T22:00:00Z", "2011-05-09T01:00:00Z", "2011-05-08T22:30:00Z",
                                 "2011-05-09T01:10:00Z", "2011-05-12T00:00:10Z", "2011-05-09T01:20:00Z"});
  const Inventory inventory = inventory_of(dir.path());
  EXPECT_EQ(inventory.clock_steps.size(), 5U);
  for (const std::string& reason : reasons(inventory)) {
    EXPECT_TRUE(reason.starts_with(kClockStepped)) << reason;
  }
  EXPECT_THAT(file_names(dir.path()), ElementsAre("fs1-20110508T220000Z.lgd", "fs1-20110509T010000Z.lgd",
                                                  "fs1-20110512T000010Z.lgd"));
}

TEST(ClockSteps, ARestartIsStillARestart) {
  const TempDir dir;
  record_with_steps(dir.path(), {"2011-05-09T06:00:00Z"});
  record_with_steps(dir.path(), {"2011-05-09T06:10:00Z", "2011-05-09T06:20:10Z"});
  EXPECT_THAT(reasons(inventory_of(dir.path())), ElementsAre("recorder stopped", "clock stepped by +600 s"));
}

TEST(ClockSteps, ACopyOfTheRecordingKeepsThem) {
  const TempDir dir;
  record_with_steps(dir.path() / "rec",
                    {"2011-05-09T06:00:00Z", "2011-05-09T05:00:10Z", "2011-05-09T07:00:00Z"});
  const Inventory before = inventory_of(dir.path() / "rec");
  ManualClock clock;
  const std::filesystem::path in = dir.path() / "rec";
  const auto recovery = recover(std::span(&in, 1), dir.path() / "out", clock);
  ASSERT_OK(recovery);
  EXPECT_EQ(recovery->damaged_files, 0U);
  const Inventory after = inventory_of(dir.path() / "out");
  ASSERT_EQ(after.clock_steps.size(), 2U);
  EXPECT_EQ(after.clock_steps[0].reason, before.clock_steps[0].reason);
  EXPECT_EQ(reasons(after), reasons(before));
}

TEST(ClockSteps, NotesBeforeTheFirstSampleWaitForIt) {
  const TempDir dir;
  ManualClock clock;
  auto writer = open_writer(dir.path(), clock);
  ASSERT_OK(writer->note_gap({.host = "fs1",
                              .from = "2011-05-09T06:00:01Z"_utc,
                              .to = "2011-05-09T06:00:00Z"_utc,
                              .reason = "clock stepped by -1 s"}));
  ASSERT_OK(writer->append(disk_table("fs1", "2011-05-09T06:00:00Z"_utc, 10)));
  ASSERT_OK(writer->close());
  const Inventory inventory = inventory_of(dir.path());
  EXPECT_EQ(inventory.clock_steps.size(), 1U);
  EXPECT_THAT(inventory.gaps, IsEmpty());
}

}  // namespace
}  // namespace laggard::archive
