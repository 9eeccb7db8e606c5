#include "detect/behaviour/feature_windows.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace laggard::detect {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kStart = from_unix_ns(1'800'000'000'000'000'000);  // A multiple of 30 s.

struct Seen {
  std::string host;
  Duration at{};
  std::map<std::string, std::uint64_t> counts;
};

ProfileTable table_of(const Seen& seen, Duration each = Duration::zero()) {
  ProfileTable table(seen.host, "samples");
  table.begin({.start = kStart + seen.at, .length = 10s, .subject = kNoWord, .each = each});
  for (const auto& [function, count] : seen.counts) table.add(table.intern(function).value(), count);
  return table;
}

/// Function and value, of those that are not zero.
std::map<std::string, double> plain(const FeatureWindows& windows, const FeatureWindow& window,
                                    std::size_t host) {
  std::map<std::string, double> values;
  for (std::size_t f = 0; f < window.functions.size(); ++f) {
    if (window.of(host)[f] != 0)
      values[std::string(windows.words().text(window.functions[f]))] = window.of(host)[f];
  }
  return values;
}

/// From the definition: sums of all that begins in the window, of functions that have come to the floor by
/// then.
TEST(FeatureWindows, AreTheSumsOfTheirDefinition) {
  constexpr double kFloor = 40;
  std::mt19937_64 random(11);
  FeatureWindows windows(kFloor);
  std::vector<Seen> all;
  std::set<std::string> kept;
  std::size_t compared = 0;
  for (Duration at = 0s; at < 10min; at += 10s) {
    for (const std::string host : {"s1", "s2", "s3"}) {
      Seen seen{host, at, {}};
      for (int f = 0; f < 12; ++f) {
        if (random() % 2 == 0)
          seen.counts["f" + std::to_string(f)] = random() % static_cast<std::uint64_t>(f + 2);
      }
      windows.add(table_of(seen));
      all.push_back(seen);
    }
    for (const FeatureWindow& window : windows.take(kStart + at + 10s)) {
      ASSERT_EQ(window.hosts, (std::vector<std::string>{"s1", "s2", "s3"}));
      EXPECT_EQ(window.span.to - window.span.from, 60s);
      std::map<std::string, std::map<std::string, double>> sums;
      for (const Seen& seen : all) {
        if (kStart + seen.at < window.span.from || kStart + seen.at >= window.span.to) continue;
        for (const auto& [function, count] : seen.counts)
          sums[seen.host][function] += static_cast<double>(count);
      }
      for (const auto& [host, of_host] : sums) {
        for (const auto& [function, sum] : of_host) {
          if (sum >= kFloor) kept.insert(function);
        }
      }
      for (std::size_t h = 0; h < window.hosts.size(); ++h) {
        std::map<std::string, double> expected;
        for (const auto& [function, sum] : sums[window.hosts[h]]) {
          if (kept.contains(function) && sum != 0) expected[function] = sum;
        }
        EXPECT_EQ(plain(windows, window, h), expected);
        ++compared;
      }
    }
  }
  EXPECT_EQ(compared, 3U * 19U) << "a window every 30 s, the first after 60 s";
}

TEST(FeatureWindows, CountsAreWorthTheTimeThatTheyStandFor) {
  FeatureWindows windows(0.1);
  for (Duration at = 0s; at < 60s; at += 10s) windows.add(table_of({"s1", at, {{"f", 5}, {"g", 1}}}, 10ms));
  const auto taken = windows.take(kStart + 60s);
  ASSERT_EQ(taken.size(), 1U);
  ASSERT_EQ(taken[0].functions.size(), 1U) << "g comes to 60 ms only";
  EXPECT_DOUBLE_EQ(taken[0].values[0], 0.3);
}

TEST(FeatureWindows, ProgramsAreThoseOfAllFunctions) {
  FeatureWindows windows(100);
  for (Duration at = 0s; at < 60s; at += 10s) {
    windows.add(table_of({"s1", at, {{"dd;x;f", 1}, {"dd;x;g", 2}, {"sh;x;f", 1}, {"nothing", 9}}}, 10ms));
  }
  const auto taken = windows.take(kStart + 60s);
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_TRUE(taken[0].functions.empty()) << "none comes to the floor";
  ASSERT_EQ(taken[0].programs.size(), 1U);
  EXPECT_EQ(taken[0].programs[0].size(), 2U);
  EXPECT_DOUBLE_EQ(taken[0].programs[0].at("dd"), 0.18);
  EXPECT_DOUBLE_EQ(taken[0].grain, 0.01);
}

TEST(FeatureWindows, TheRestOfAProgramIsWhatIsInNoValue) {
  FeatureWindows windows(0.3);
  for (Duration at = 0s; at < 60s; at += 10s) {
    windows.add(table_of({"s1", at, {{"dd;x;f", 5}, {"dd;x;g", 2}, {"dd;y;g", 1}, {"sh;x;f", 5}}}, 10ms));
    windows.add(table_of({"s2", at, {{"dd;x;f", 1}, {"dd;x;g", 2}}}, 10ms));
  }
  const auto taken = windows.take(kStart + 60s);
  ASSERT_EQ(taken.size(), 1U);
  ASSERT_EQ(taken[0].rest.size(), 2U);
  EXPECT_EQ(taken[0].rest[0].size(), 1U) << "of sh there is none";
  EXPECT_DOUBLE_EQ(taken[0].rest[0].at("dd"), 0.18);
  EXPECT_DOUBLE_EQ(taken[0].rest[1].at("dd"), 0.12) << "dd;x;f is kept, since s1 has enough of it";
}

TEST(FeatureWindows, WhoWasNotRecordedEnoughIsNotCompared) {
  FeatureWindows windows(1);
  for (Duration at = 0s; at < 60s; at += 10s) {
    windows.add(table_of({"s1", at, {{"f", 5}}}));
    if (at != 20s) windows.add(table_of({"s2", at, {{"f", 5}}}));
    if (at >= 20s) windows.add(table_of({"s3", at, {{"f", 5}}}));
  }
  const auto taken = windows.take(kStart + 60s);
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].hosts, (std::vector<std::string>{"s1", "s2"}));
  EXPECT_TRUE(windows.take(kStart + 60s).empty());
}

TEST(FeatureWindows, APauseHasNoWindowsAndWhatIsLateIsPassedOver) {
  FeatureWindows windows(1);
  const auto add_minute = [&](Duration from) {
    for (Duration at = 0s; at < 60s; at += 10s) windows.add(table_of({"s1", from + at, {{"f", 5}}}));
  };
  add_minute(0s);
  EXPECT_EQ(windows.take(kStart + 60s).size(), 1U);
  add_minute(24h * 365 * 30);
  EXPECT_EQ(windows.take(kStart + 24h * 365 * 30 + 60s).size(), 1U) << "and the pause of years costs nothing";
  add_minute(0s);
  EXPECT_TRUE(windows.take(kStart + 24h * 365 * 30 + 90s).empty());
}

TEST(FeatureWindows, NamesWithoutEndDoNotFillTheMemory) {
  FeatureWindows windows(1);
  ProfileTable table("s1", "samples");
  table.begin({.start = kStart, .length = 10s});
  for (int f = 0; f < 200'000; ++f) table.add(table.intern("f" + std::to_string(f)).value(), 1);
  windows.add(table);
  EXPECT_EQ(windows.generation(), 0U);
  ProfileTable more("s1", "samples");
  more.begin({.start = kStart + 10s, .length = 10s});
  for (int f = 0; f < 200'000; ++f) more.add(more.intern("g" + std::to_string(f)).value(), 1);
  windows.add(more);
  EXPECT_EQ(windows.generation(), 1U);
  EXPECT_LE(windows.words().size(), 200'000U);
}

}  // namespace
}  // namespace laggard::detect
