#include "detect/peer/judge/group_judge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "base/missing.h"
#include "detect/peer/compare/definition.h"
#include "stats/missing_values.h"

namespace laggard::detect {
namespace {

constexpr std::size_t kMembers = 6;
constexpr std::size_t kSize = 16;

/// The value of a member in a column at a second.
using Values = std::function<double(std::string_view metric, std::size_t member, std::size_t second)>;

JudgeOptions options() {
  JudgeOptions options;
  options.windows = {std::chrono::seconds(1), kSize, kSize / 2, 1, 3};
  return options;
}

JudgeOptions paper_options() {
  JudgeOptions how = options();
  how.parameters = paper_parameters({});
  return how;
}

/// Judges the first window; `metrics` that begin with `-` only help.
WindowJudgement judge(const std::vector<std::string>& metrics, const Values& values,
                      const JudgeOptions& how = options(), std::size_t members = kMembers) {
  std::vector<GroupJudge::Column> columns;
  for (const std::string& name : metrics) {
    const bool judged = name.front() != '-';
    columns.push_back({find_metric(judged ? name : name.substr(1)), judged});
  }
  GroupJudge judge(columns, members, how);
  JudgeMemory memory(how.distances, how.parameters);
  std::vector<WindowJudgement> windows;
  for (std::size_t k = 0; windows.empty() && k < 4 * kSize; ++k) {
    std::vector<std::vector<double>> cells;
    for (const GroupJudge::Column& column : columns) {
      auto& cell = cells.emplace_back();
      for (std::size_t i = 0; i < members; ++i) cell.push_back(values(column.metric->name, i, k));
    }
    const WallTime t = from_unix_ns((1600 + static_cast<std::int64_t>(k)) * how.windows.interval.count());
    const std::vector<std::span<const double>> row(cells.begin(), cells.end());
    judge.push(t, row, memory, [&](WindowJudgement& window) { windows.push_back(window); });
  }
  LAGGARD_CHECK(!windows.empty());
  return windows.front();
}

/// A steady sawtooth, the same for all.
double wave(std::size_t k) { return 100 + static_cast<double>((7 * k) % 10); }

const TrackJudgement& track(const WindowJudgement& window, std::string_view metric) {
  for (const TrackJudgement& track : window.tracks) {
    if (track.metric->name == metric) return track;
  }
  LAGGARD_CHECK(false && "no such track");
  return window.tracks.front();
}

TEST(GroupJudge, SaysWhenAndHowMuch) {
  const WindowJudgement window = judge({"wr_sec", "-tps"}, [](auto, std::size_t i, std::size_t) {
    return 1000.0 + 10 * static_cast<double>(i);
  });
  EXPECT_EQ(to_unix_ns(window.start), 1600 * 1'000'000'000LL);
  EXPECT_EQ(window.end - window.start, std::chrono::seconds(16));
  EXPECT_EQ(window.index, 200);
  EXPECT_EQ(window.levels[0][3], 1030);
  ASSERT_EQ(window.tracks.size(), 1U) << "helpers are not judged";
  EXPECT_EQ(window.tracks[0].detector, "cdf");
}

TEST(GroupJudge, HolesOfTwoAreTheRecordersLongerOnesTheDevices) {
  const auto with_hole = [](std::size_t from, std::size_t to) {
    return
        [=](auto, std::size_t i, std::size_t k) { return i == 2 && k >= from && k < to ? kMissing : 1000.0; };
  };
  for (const std::size_t from : {0U, 5U, 14U}) {
    EXPECT_EQ(judge({"wr_sec"}, with_hole(from, from + 2)).tracks[0].distance[2], 0) << from;
  }
  EXPECT_GT(judge({"wr_sec"}, with_hole(5, 8)).tracks[0].distance[2], 0);
  EXPECT_EQ(judge({"wr_sec"}, with_hole(5, 8)).tracks[0].distance[3], 0);
  const WindowJudgement never = judge({"wr_sec"}, with_hole(0, 99));
  EXPECT_TRUE(std::isnan(never.levels[0][2]));
  EXPECT_GT(never.tracks[0].distance[2], 0) << "absence is distance";
}

TEST(GroupJudge, TellsReadsFromWrites) {
  const auto regime = [](double read, double written) {
    return track(judge({"rd_sec", "wr_sec", "await"},
                       [=](std::string_view metric, std::size_t, std::size_t k) {
                         return metric == "rd_sec" ? read : (metric == "wr_sec" ? written : wave(k));
                       }),
                 "await")
        .regime;
  };
  EXPECT_EQ(regime(900, 800), Regime::kReads);
  EXPECT_EQ(regime(800, 900), Regime::kWrites);
  EXPECT_EQ(track(judge({"latency"}, [](auto, auto, auto k) { return wave(k); }), "latency").regime,
            Regime::kAny);
}

TEST(GroupJudge, FloorsAreTheMetricsOrAShareOfTheGroupsLevel) {
  const auto floor = [](double read, double written, bool paper) {
    const JudgeOptions how = paper ? paper_options() : options();
    return track(judge(
                     {"rd_sec", "wr_sec"},
                     [=](std::string_view metric, auto, auto) { return metric == "rd_sec" ? read : written; },
                     how),
                 "rd_sec")
        .floor;
  };
  EXPECT_DOUBLE_EQ(floor(0, 1e6, false), 0.02 * 1e6) << "stray reads during writes";
  EXPECT_DOUBLE_EQ(floor(10, 10, false), 128) << "the catalogue's";
  EXPECT_DOUBLE_EQ(floor(0, 1e6, true), 128) << "the paper knows nothing else";
}

TEST(GroupJudge, FlashHasASmallerFloor) {
  JudgeOptions how = options();
  const Values slow = [](auto, std::size_t i, std::size_t) { return i == 1 ? 0.3 : 0.1; };
  EXPECT_DOUBLE_EQ(judge({"await"}, slow, how).latency_floor, 1);
  const double spinning = judge({"await"}, slow, how).tracks[0].distance[1];
  how.flash = true;
  EXPECT_DOUBLE_EQ(judge({"await"}, slow, how).latency_floor, 0.05);
  EXPECT_GT(judge({"await"}, slow, how).tracks[0].distance[1], 10 * spinning);
}

TEST(GroupJudge, SlowerIsSickFasterIsNotMoreAndLessBothAre) {
  const auto distance = [](const char* metric, double mine, bool paper) {
    const JudgeOptions how = paper ? paper_options() : options();
    return judge(
               {metric}, [=](auto, std::size_t i, std::size_t k) { return wave(k) * (i == 4 ? mine : 1); },
               how)
        .tracks[0]
        .distance[4];
  };
  EXPECT_GT(distance("await", 3, false), 1);
  EXPECT_EQ(distance("await", 0.3, false), 0);
  EXPECT_GT(distance("await", 0.3, true), 1) << "the paper takes any difference";
  EXPECT_GT(distance("wr_sec", 30, false), 1);
  const auto less = judge(
      {"wr_sec"}, [](auto, std::size_t i, std::size_t k) { return 100 * wave(k) * (i == 4 ? 0.3 : 1); });
  EXPECT_GT(less.tracks[0].distance[4], 1);
}

TEST(GroupJudge, WhoDoesNothingWhileMostOthersWorkIsAbsent) {
  const auto absent = [](const std::vector<double>& level) {
    return judge({"rd_sec", "wr_sec"}, [&](auto, std::size_t i, auto) { return level[i]; }).absent;
  };
  using Absent = std::vector<std::uint8_t>;
  EXPECT_EQ(absent({900, 900, 0, 900, 900, 900}), (Absent{0, 0, 1, 0, 0, 0}));
  EXPECT_EQ(absent({900, 900, kMissing, 900, 900, 900}), (Absent{0, 0, 1, 0, 0, 0}));
  EXPECT_EQ(absent({0, 0, 0, 0, 0, 900}), Absent(6, 0)) << "most are idle";
  EXPECT_EQ(absent({90, 90, 0, 90, 90, 90}), Absent(6, 0)) << "work below the noise floor is none";
  EXPECT_EQ(absent({900, 900, 1, 900, 900, 900}), Absent(6, 0)) << "a little is not nothing";
}

TEST(GroupJudge, AnIdleGroupsLatencySaysNothingUnlessItIsAStall) {
  const auto distance = [](double requests, double await) {
    return track(judge({"await", "-tps"},
                       [=](std::string_view metric, std::size_t i, std::size_t) {
                         if (metric == "tps") return requests;
                         return i == 3 ? await : 10.0;
                       }),
                 "await")
        .distance[3];
  };
  EXPECT_GT(distance(5, 300), 1);
  EXPECT_EQ(distance(0.5, 300), 0) << "a single slow request";
  EXPECT_GT(distance(0, 5000), 1) << "everybody waits for one";
}

TEST(GroupJudge, CongestionIsHowFarBelowTheOthersWindowsAre) {
  const auto window = judge({"cwnd"}, [](auto, std::size_t i, std::size_t) {
    return std::vector<double>{63, 63, 7, 63, 1023, kMissing}[i];
  });
  const TrackJudgement& cwnd = track(window, "cwnd");
  EXPECT_EQ(cwnd.detector, "cwnd");
  EXPECT_DOUBLE_EQ(cwnd.distance[2], 1 - 3.0 / 6) << "log2(1 + 7) against log2(1 + 63)";
  EXPECT_EQ(cwnd.distance[0], 0);
  EXPECT_EQ(cwnd.distance[4], 0) << "larger is no harm";
  EXPECT_TRUE(std::isnan(cwnd.distance[5]));
}

TEST(GroupJudge, RoundTripsAreHeldAgainstTheMedianAsFactors) {
  const auto window = judge({"rtt"}, [](auto, std::size_t i, std::size_t) {
    constexpr std::array kMs{7.0, 7.0, 127.0, 1.0, 7.0, kMissing};
    return i < kMs.size() ? kMs[i] : 7.0;
  });
  const TrackJudgement& rtt = track(window, "rtt");
  EXPECT_EQ(rtt.detector, "rtt");
  EXPECT_NEAR(rtt.distance[2], 4, 1e-9) << "log2(1 + 127) against log2(1 + 7)";
  EXPECT_EQ(rtt.distance[0], 0);
  EXPECT_EQ(rtt.distance[3], 0) << "sooner is no harm";
  EXPECT_TRUE(std::isnan(rtt.distance[5]));
}

TEST(GroupJudge, SharesOfTimeAreHeldAgainstTheMedianInPoints) {
  const auto window = judge({"throttled"}, [](auto, std::size_t i, std::size_t) {
    constexpr std::array kShare{0.0, 0.0, 62.0, 3.0, kMissing, 0.0};
    return kShare[i];
  });
  const TrackJudgement& throttled = track(window, "throttled");
  EXPECT_EQ(throttled.distance[2], 62) << "the others' median is nothing at all";
  EXPECT_EQ(throttled.distance[3], 3);
  EXPECT_EQ(throttled.distance[0], 0);
  EXPECT_TRUE(std::isnan(throttled.distance[4]));
}

TEST(GroupJudge, WhereLessIsWorseTheMedianIsAbove) {
  const auto window = judge({"link-speed"}, [](auto, std::size_t i, std::size_t) {
    return i == 1 ? 1000.0 : i == 2 ? 40'000.0 : 10'000.0;
  });
  EXPECT_NEAR(track(window, "link-speed").distance[1], std::log2(10), 0.01);
  EXPECT_EQ(track(window, "link-speed").distance[2], 0) << "a faster link is no harm";
}

TEST(GroupJudge, ThePaperAveragesWindowsBeforeTheLogarithmAndKnowsNoRegimes) {
  const JudgeOptions paper = paper_options();
  // A window that alternates between 1 and 63 is 32 on average; the mean of its logarithms is that of 10.3.
  const auto values = [](std::string_view metric, std::size_t i, std::size_t k) {
    if (metric != "cwnd") return 1000.0;
    if (i != 2) return 32.0;
    return k % 2 == 0 ? 63.0 : 1.0;
  };
  EXPECT_LT(track(judge({"cwnd"}, values, paper), "cwnd").distance[2], 0.02);
  EXPECT_GT(track(judge({"cwnd"}, values), "cwnd").distance[2], 0.2);
  EXPECT_EQ(track(judge({"await", "-rd_sec", "-wr_sec"}, values, paper), "await").regime, Regime::kAny);
}

TEST(GroupJudge, ThePaperIsThePlainDefinition) {
  JudgeOptions how = paper_options();
  how.distances = {Distance::kCdf, Distance::kWasserstein, Distance::kKl, Distance::kMedian,
                   Distance::kThresh};
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    std::mt19937_64 random(seed);
    definition::Samples samples(kMembers, std::vector<double>(kSize));
    for (auto& series : samples) {
      for (double& x : series) x = std::abs(definition::draw_sample(random, static_cast<unsigned>(seed % 6)));
    }
    const WindowJudgement window = judge(
        {"await"}, [&](auto, std::size_t i, std::size_t k) { return samples[i][k % kSize]; }, how);
    ASSERT_EQ(window.tracks.size(), how.distances.size());
    CompareOptions compare;
    compare.bins.noise_floor = find_metric("await")->noise_floor;
    const definition::Common common = definition::common(samples, compare);
    for (std::size_t i = 0; i < kMembers; ++i) {
      for (std::size_t d = 0; d < 3; ++d) {
        const double s = window.tracks[d].distance[i];
        const auto pairs = definition::pairwise(samples, common, i, how.distances[d], compare);
        EXPECT_FALSE(definition::more_than_half_exceed(pairs, s * (1 + 1e-9) + 1e-12)) << seed;
        EXPECT_TRUE(s < 1e-9 || definition::more_than_half_exceed(pairs, s * (1 - 1e-9))) << seed;
      }
      const double median = definition::median_distance(samples, i);
      EXPECT_NEAR(window.tracks[3].distance[i], median, 1e-9 * (1 + median));
      EXPECT_EQ(window.tracks[4].distance[i], definition::thresh_distance(samples, i));
    }
  }
}

TEST(GroupJudge, ActiveLatencyIsOfTheSecondsWithWork) {
  const auto window = judge({"await"}, [](auto, std::size_t i, std::size_t k) {
    if (i == 0) return k % 2 == 0 ? 8.0 : 0.0;
    return i == 1 && k % 4 != 0 ? 0.0 : 4.0;
  });
  EXPECT_DOUBLE_EQ(window.active_latency[0], 8) << "the mean of the seconds with requests";
  EXPECT_TRUE(std::isnan(window.active_latency[1])) << "idle for most of the window";
  EXPECT_DOUBLE_EQ(window.active_latency[2], 4);
}

/// Of the members from the second on all read; the first reads three times as much, and slowly, in every
/// other sample. \param readers  how many there are.
WindowJudgement reads_and_writes(std::size_t readers) {
  JudgeOptions how = options();
  how.windows.interval = std::chrono::seconds(15);
  const auto values = [&](std::string_view metric, std::size_t i, std::size_t k) {
    const bool slow = i == 0 && k % 2 == 0;
    if (metric == "await") return 100.0;
    if (i >= readers) return 0.0;
    if (metric == "rd_sec") return slow ? 3000.0 : 1000.0;
    return slow ? 8.0 : 4.0;
  };
  return judge({"-rd_sec", "await", "r_await"}, values, how);
}

TEST(GroupJudge, WhereMostReadTheirReadsTellHowActiveLatencyIs) {
  const WindowJudgement window = reads_and_writes(kMembers);
  EXPECT_EQ(window.latency_column, 2U);
  EXPECT_DOUBLE_EQ(window.active_latency[0], 7) << "by how much was read";
  EXPECT_DOUBLE_EQ(window.active_latency[1], 4);
  EXPECT_DOUBLE_EQ(window.slow_minutes[0], 1);
}

TEST(GroupJudge, WhereFewReadAllRequestsTellHowActiveLatencyIs) {
  const WindowJudgement window = reads_and_writes(kMembers / 2 - 1);
  EXPECT_EQ(window.latency_column, 1U);
  EXPECT_DOUBLE_EQ(window.active_latency[0], 100);
  EXPECT_DOUBLE_EQ(window.slow_minutes[0], 0);
}

TEST(GroupJudge, ReadsKnowNoRegimes) {
  const WindowJudgement window = reads_and_writes(kMembers);
  EXPECT_EQ(track(window, "r_await").regime, Regime::kAny);
}

TEST(GroupJudge, SlowMinutesAreThoseAboveThePeersMedian) {
  JudgeOptions how = options();
  how.windows.interval = std::chrono::seconds(15);
  const auto latency = [](auto, std::size_t i, std::size_t k) {
    if (i == 1) return 0.0;
    return i == 0 && k >= 4 ? 4.3 : 4.0;
  };
  const auto window = judge({"await"}, latency, how);
  ASSERT_EQ(window.slow_minutes.size(), kMembers);
  EXPECT_DOUBLE_EQ(window.slow_minutes[0], 0.75) << "four minutes, and like its peers in the first";
  EXPECT_TRUE(std::isnan(window.slow_minutes[1])) << "idle";
  EXPECT_DOUBLE_EQ(window.slow_minutes[2], 0);
  EXPECT_TRUE(judge({"await"}, latency).slow_minutes.empty()) << "a sample a second: nobody asks";
}

/// Latencies that wander by a tenth; the first `sick` of nine wait five times as long.
WindowJudgement several_slow(std::size_t sick, const JudgeOptions& how) {
  const auto latency = [&](std::string_view metric, std::size_t i, std::size_t k) {
    if (metric == "tps") return 50.0;
    return (i < sick ? 500 : 100) * (1 + static_cast<double>((5 * k + 3 * i) % 11) / 100);
  };
  return judge({"await", "-tps"}, latency, how, 9);
}

TEST(GroupJudge, UpToJustUnderHalfAreAsFarAwayAsEachAlone) {
  const double alone = several_slow(1, options()).tracks[0].distance[0];
  for (std::size_t sick = 2; sick <= 4; ++sick) {
    const WindowJudgement window = several_slow(sick, options());
    for (std::size_t i = 0; i < 9; ++i) {
      if (i < sick) {
        EXPECT_GT(window.tracks[0].distance[i], 0.8 * alone) << i << " of " << sick;
      } else {
        EXPECT_EQ(window.tracks[0].distance[i], 0) << i << ", who is faster";
      }
    }
  }
  EXPECT_LT(several_slow(4, paper_options()).tracks[0].distance[0], 0.2 * alone) << "the paper's bins widen";
}

TEST(GroupJudge, SmallGroupsNeedMore) {
  const auto position = [](std::size_t members) {
    const TrackJudgement track =
        judge(
            {"wr_sec"}, [](auto, std::size_t i, std::size_t) { return i == 0 ? 2000.0 : 1000.0; }, options(),
            members)
            .tracks[0];
    return track.distance[0] / track.scale.unit;
  };
  EXPECT_DOUBLE_EQ(position(4) * 1.5, position(6)) << "their bins are smaller";
}

/// Of a large system most attachments stand by, and thousands of groups wait while few are judged.
TEST(GroupJudge, RemembersOnlyWhoWorks) {
  constexpr std::size_t kMany = 1000;
  const JudgeOptions how = options();
  GroupJudge judge({{find_metric("await"), true}, {find_metric("wr_sec"), true}}, kMany, how);
  JudgeMemory memory(how.distances, how.parameters);
  std::size_t windows = 0;
  for (std::int64_t k = 0; k < 100; ++k) {
    std::vector<double> cells(kMany, 0.0);
    for (std::size_t i = 0; i < 10; ++i) cells[i] = wave(static_cast<std::size_t>(k) + i);
    const std::vector<std::span<const double>> row{cells, cells};
    judge.push(from_unix_ns(k * 1'000'000'000), row, memory, [&](WindowJudgement&) { ++windows; });
  }
  EXPECT_GT(windows, 5U);
  EXPECT_LE(judge.held(), 2 * 16 * (kSize + 1) + 10 * (kSize + 1));
}

}  // namespace
}  // namespace laggard::detect
