#include "engine/host_presence.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <vector>

#include "testing/grouping.h"

namespace laggard::engine {
namespace {

using std::chrono::seconds;

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

/// Windows of 16 s, one after the other, of three servers' disks; what is absent in them after HostPresence.
class HostPresenceTest : public testing::Test {
 protected:
  HostPresenceTest() {
    testing_support::GroupingBuilder builder;
    builder.servers(3, 1, false);
    grouping_ = builder.get();
    presence_.emplace(grouping_, seconds(16));
  }

  /// Levels of the three; who shows nothing is called absent.
  std::vector<std::uint8_t> absent(std::int64_t index, const std::vector<double>& levels) {
    detect::JudgedWindow judged;
    judged.cell = 16 * index + 15;
    judged.window.start = from_unix_ns(16 * index * 1'000'000'000);
    judged.window.end = judged.window.start + seconds(16);
    judged.window.levels = {levels};
    for (const double level : levels) judged.window.absent.push_back(level > 0 ? 0 : 1);
    presence_->heed({&judged, 1});
    return judged.window.absent;
  }

  using Absent = std::vector<std::uint8_t>;
  Grouping grouping_;
  std::optional<HostPresence> presence_;
};

TEST_F(HostPresenceTest, WhoVanishesIsAbsent) {
  EXPECT_EQ(absent(0, {5, 5, 5}), (Absent{0, 0, 0}));
  EXPECT_EQ(absent(1, {5, 5, kNothing}), (Absent{0, 0, 1}));
  EXPECT_EQ(absent(2, {5, 5, kNothing}), (Absent{0, 0, 1}));
}

TEST_F(HostPresenceTest, WhoHasNotComeYetIsNot) {
  EXPECT_EQ(absent(0, {5, 5, kNothing}), (Absent{0, 0, 0}));
  EXPECT_EQ(absent(1, {5, 5, kNothing}), (Absent{0, 0, 0}));
  EXPECT_EQ(absent(2, {5, 5, 5}), (Absent{0, 0, 0}));
  EXPECT_EQ(absent(3, {5, 5, kNothing}), (Absent{0, 0, 1})) << "now it has";
}

TEST_F(HostPresenceTest, WhoIdlesIsThere) { EXPECT_EQ(absent(0, {5, 5, 0}), (Absent{0, 0, 1})); }

TEST_F(HostPresenceTest, AfterAGapOfEverybodyAllComeAnew) {
  EXPECT_EQ(absent(0, {5, 5, 5}), (Absent{0, 0, 0}));
  EXPECT_EQ(absent(3, {5, 5, kNothing}), (Absent{0, 0, 0}));
}

}  // namespace
}  // namespace laggard::engine
