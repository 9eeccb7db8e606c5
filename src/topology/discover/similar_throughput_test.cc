#include "topology/discover/similar_throughput.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace laggard::topology {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// Devices that share a workload: its rate over time, times a factor of each that scatters by 3 %.
class Site {
 public:
  void add(std::size_t devices, double reads, double writes, double phase) {
    std::normal_distribution<double> noise(0, 0.03);
    for (std::size_t i = 0; i < devices; ++i) {
      ThroughputProfile profile{"fs1", "sd" + std::to_string(profiles.size()), {}, {}};
      const double own = std::exp(noise(random_));
      for (int b = 0; b < 72; ++b) {
        const double busy = 1 + 0.8 * std::sin(phase + b / 5.0);
        profile.reads.push_back(reads * own * busy);
        profile.writes.push_back(writes * own * busy * std::exp(noise(random_)));
      }
      profiles.push_back(profile);
    }
  }
  std::vector<ThroughputProfile> profiles;

 private:
  std::mt19937_64 random_{3};
};

TEST(SimilarThroughput, LevelsPartReadersFromWriters) {
  Site site;
  site.add(6, 1000, 100, 0);
  site.add(4, 350, 160, 0);
  const SimilarGroups found = group_by_throughput(site.profiles, {});
  EXPECT_THAT(found.groups, ElementsAre(ElementsAre(0, 1, 2, 3, 4, 5), ElementsAre(6, 7, 8, 9)));
  EXPECT_THAT(found.alone, IsEmpty());
}

TEST(SimilarThroughput, WorkloadsOfOneLevelArePartedByTime) {
  Site site;
  site.add(5, 1000, 100, 0);
  site.add(5, 1000, 100, 3.1);
  const SimilarGroups found = group_by_throughput(site.profiles, {});
  EXPECT_THAT(found.groups, ElementsAre(ElementsAre(0, 1, 2, 3, 4), ElementsAre(5, 6, 7, 8, 9)));
}

TEST(SimilarThroughput, IdleDevicesAreOneHeapAndOddOnesAlone) {
  Site site;
  site.add(4, 1000, 0, 0);
  site.add(3, 1, 1, 0);
  site.add(1, 9000, 0, 0);
  site.profiles.push_back(
      {"fs1", "silent", std::vector<double>(72, kMissing), std::vector<double>(72, kMissing)});
  const SimilarGroups found = group_by_throughput(site.profiles, {});
  EXPECT_THAT(found.groups, ElementsAre(SizeIs(4)));
  EXPECT_THAT(found.idle, ElementsAre(4, 5, 6, 8));
  EXPECT_THAT(found.alone, ElementsAre(7));
}

TEST(SimilarThroughput, ATotalAloneWillDo) {
  Site site;
  site.add(4, 1000, 0, 0);
  site.add(4, 4000, 0, 0);
  for (ThroughputProfile& profile : site.profiles) profile.writes.assign(72, kMissing);
  EXPECT_THAT(group_by_throughput(site.profiles, {}).groups, ElementsAre(SizeIs(4), SizeIs(4)));
}

TEST(SimilarThroughput, NothingGivesNothing) { EXPECT_THAT(group_by_throughput({}, {}).groups, IsEmpty()); }

SampleTable table(std::vector<std::uint64_t> sectors, std::string boot = "a") {
  std::vector<WallTime> times;
  for (std::size_t t = 0; t < sectors.size(); ++t)
    times.push_back(from_unix_ns(static_cast<std::int64_t>(t) * 15'000'000'000));
  SampleTable table("fs1", DeviceKind::kDisk, {{"rd_sectors"}, {"wr_sectors"}}, {"sda"}, times);
  table.set_boot(std::move(boot));
  for (std::size_t t = 0; t < sectors.size(); ++t) table.set(0, 0, t, sectors[t]);
  return table;
}

TEST(ThroughputProfiles, ResetsRebootsAndHolesAreNoTraffic) {
  ThroughputProfiles whole(std::chrono::minutes(1));
  whole.add(table({0, 150, 300, 10, 160}));
  auto profiles = whole.profiles();
  ASSERT_THAT(profiles, SizeIs(1));
  // 15 s and 30 s: 10 sectors/s; 45 s: a reset; 60 s: 10 sectors/s in the next block.
  EXPECT_THAT(profiles[0].reads, ElementsAre(10, 10));
  EXPECT_TRUE(std::isnan(profiles[0].writes[0]));
  ThroughputProfiles booted(std::chrono::minutes(1));
  booted.add(table({0, 150}));
  booted.add(table({600, 750, 900}, "b"));
  EXPECT_THAT(booted.profiles()[0].reads, ElementsAre(10));
}

}  // namespace
}  // namespace laggard::topology
