#include "cmd/host_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

namespace laggard::cmd {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

const WallTime kStart = from_unix_ns(1'795'202'494'000'000'000);

/// Hosts fs1, fs2, … that were recorded from so long after kStart to so long after it.
struct Recorded {
  std::vector<std::string> hosts;
  Inventory inventory;

  void add(Duration from, Duration to) {
    hosts.push_back(fmt::format("fs{}", hosts.size() + 1));
    inventory.devices.push_back({.host = hosts.back(),
                                 .kind = DeviceKind::kDisk,
                                 .device = "sda",
                                 .counters = {},
                                 .first = kStart + from,
                                 .last = kStart + to,
                                 .interval = seconds(1),
                                 .facts = {}});
  }
  [[nodiscard]] std::vector<TimeOffset> apart() const {
    return hosts_at_other_times(inventory, hosts, seconds(1));
  }
};

Recorded nine(const std::vector<Duration>& ahead) {
  Recorded recorded;
  for (std::size_t i = 0; i < 9; ++i) {
    const Duration by = i < ahead.size() ? ahead[i] : Duration{};
    recorded.add(by, by + minutes(5));
  }
  return recorded;
}

TEST(HostTimes, WhoWasRecordedTogetherIsNotApart) {
  EXPECT_THAT(nine({}).apart(), IsEmpty());
  EXPECT_THAT(nine({seconds(25), seconds(-7)}).apart(), IsEmpty()) << "what the load's correlation tells";
}

TEST(HostTimes, WhoComesLateOrStopsEarlyHasNoOtherClock) {
  Recorded late;
  for (int i = 0; i < 9; ++i) late.add(i == 4 ? minutes(2) : minutes(0), i == 6 ? minutes(3) : minutes(5));
  EXPECT_THAT(late.apart(), IsEmpty()) << "the other end lies where everybody's does";
}

TEST(HostTimes, DifferentEndsMayBeAClock) {
  Recorded fetched;  // Recorded since whenever, and fetched together: the last sample tells the clock.
  for (int i = 0; i < 9; ++i) fetched.add(seconds(i == 3 ? 137 : 0), minutes(5) + seconds(i == 3 ? 90 : 0));
  EXPECT_THAT(fetched.apart(), ElementsAre(TimeOffset{"fs4", seconds(90), true, false}));
  Recorded whenever;  // All began at times of their own, so that nobody's first sample tells anything.
  for (int i = 0; i < 9; ++i) whenever.add(minutes(i), minutes(30) + seconds(i == 3 ? 90 : 0));
  EXPECT_THAT(whenever.apart(), ElementsAre(TimeOffset{"fs4", seconds(90), true, false}));
}

TEST(HostTimes, StartedOneAfterTheOtherIsNoClock) {
  Recorded rolling;
  for (int i = 0; i < 40; ++i) rolling.add(seconds(3 * i), seconds(600 + 3 * i));
  EXPECT_THAT(rolling.apart(), IsEmpty());
}

TEST(HostTimes, AClockMovesBothEnds) {
  EXPECT_THAT(nine({{}, seconds(90)}).apart(), ElementsAre(TimeOffset{"fs2", seconds(90), true}));
  EXPECT_THAT(nine({{}, {}, -minutes(2)}).apart(), ElementsAre(TimeOffset{"fs3", -minutes(2), true}));
}

TEST(HostTimes, TimeZonesAreExact) {
  EXPECT_THAT(nine({hours(1) + seconds(2)}).apart(), ElementsAre(TimeOffset{"fs1", hours(1), false}));
  EXPECT_THAT(nine({-hours(5) - minutes(30)}).apart(),
              ElementsAre(TimeOffset{"fs1", -hours(5) - minutes(30), false}));
  EXPECT_THAT(nine({hours(1) + seconds(40)}).apart(),
              ElementsAre(TimeOffset{"fs1", hours(1) + seconds(40), false}));
}

TEST(HostTimes, DaysApartHaveNoTimeInCommon) {
  std::vector<Duration> days;
  for (int day = 0; day < 9; ++day) days.push_back(hours(24 * day));
  EXPECT_EQ(nine(days).apart().size(), 8U) << "all but one";
  const Duration day = hours(24);
  EXPECT_EQ(nine({day, day, day, day}).apart().size(), 4U);
}

TEST(HostTimes, TwoHostsHaveNothingToBeOffFrom) {
  Recorded two;
  two.add({}, minutes(5));
  two.add(hours(1), hours(1) + minutes(5));
  EXPECT_THAT(two.apart(), IsEmpty());
}

TEST(HostTimes, WhoStopsOrComesMidwayIsNamed) {
  Recorded recorded;
  recorded.add({}, minutes(5));
  recorded.add({}, minutes(2));
  recorded.add({}, minutes(2) + std::chrono::milliseconds(300));
  recorded.add(minutes(3), minutes(5) - seconds(4));
  EXPECT_THAT(late_and_early(recorded.inventory, {kStart, kStart + minutes(5)}, seconds(32)),
              ElementsAre("fs[2-3] recorded nothing after 2026-11-20T19:23:34Z",
                          "fs4 recorded nothing before 2026-11-20T19:24:34Z"));
}

}  // namespace
}  // namespace laggard::cmd
