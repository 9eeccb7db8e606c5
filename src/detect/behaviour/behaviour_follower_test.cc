#include "detect/behaviour/behaviour_follower.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace laggard::detect {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr WallTime kStart = from_unix_ns(1'800'000'000'000'000'000);
constexpr std::size_t kFunctions = 12;

/// Servers that do the same, but for chance, as seen by samples of 99 Hz, and whatever some do besides.
class Cluster {
 public:
  Cluster(std::size_t servers, std::uint64_t seed) : servers_(servers), random_(seed) {}

  /// What servers use besides, by the number of the server: seconds of the last function.
  using Besides = std::map<std::size_t, double>;

  FeatureWindow window(const Besides& besides = {}) {
    FeatureWindow window{
        .span = {kStart + n_ * 30s, kStart + n_ * 30s + 60s}, .hosts = {}, .functions = {}, .values = {}};
    ++n_;
    for (std::uint32_t f = 0; f < kFunctions; ++f) window.functions.push_back(Word{f});
    for (std::size_t s = 0; s < servers_; ++s) {
      window.hosts.push_back("s" + std::to_string(s + 1));
      for (std::size_t f = 0; f < kFunctions; ++f) {
        std::poisson_distribution<int> samples(f + 1 == kFunctions ? 1 : 200.0 / static_cast<double>(f + 1));
        const auto more = f + 1 == kFunctions ? besides.find(s) : besides.end();
        window.values.push_back(samples(random_) / 99.0 + (more == besides.end() ? 0 : more->second));
      }
    }
    return window;
  }

  [[nodiscard]] std::vector<std::size_t> all() const {
    std::vector<std::size_t> hosts(servers_);
    std::iota(hosts.begin(), hosts.end(), std::size_t{0});
    return hosts;
  }

 private:
  std::size_t servers_;
  std::mt19937_64 random_;
  int n_ = 0;
};

/// `p;b;f0`, `p;b;f1`, ...
const Dictionary& names() {
  static const Dictionary words = [] {
    Dictionary made;
    for (std::size_t f = 0; f < kFunctions; ++f) static_cast<void>(made.intern(fmt::format("p;b;f{}", f)));
    return made;
  }();
  return words;
}

BehaviourParameters samples() {
  BehaviourParameters parameters;
  parameters.unit = {.floor = 0.1, .grain = 1.0 / 99};
  parameters.least = 0.1;
  return parameters;
}

std::vector<std::size_t> faulty(const std::vector<BehaviourFollower::Verdict>& verdicts) {
  std::vector<std::size_t> hosts;
  for (const auto& verdict : verdicts) {
    if (verdict.is_faulty) hosts.push_back(verdict.host);
  }
  return hosts;
}

TEST(BehaviourFollower, DistancesAndThresholdsAreThoseOfThePaper) {
  Cluster cluster(10, 1);
  std::vector<double> largest(10, 0);
  std::vector<FeatureWindow> training;
  for (int n = 0; n < 20; ++n) training.push_back(cluster.window());
  // By the definition: the median of the distances to each of the nine others.
  for (const FeatureWindow& window : training) {
    for (std::size_t i = 0; i < 10; ++i) {
      std::vector<double> distances;
      for (std::size_t j = 0; j < 10; ++j) {
        double sum = 0;
        for (std::size_t f = 0; f < kFunctions; ++f) sum += std::abs(window.of(i)[f] - window.of(j)[f]);
        if (j != i) distances.push_back(sum);
      }
      std::ranges::sort(distances);
      largest[i] = std::max(largest[i], distances[4]);
    }
  }
  BehaviourParameters parameters = samples();
  for (std::size_t i = 0; i < 10; ++i) {
    parameters.trained["s" + std::to_string(i + 1)] =
        trained_distance(std::vector{largest[i]}, parameters.unit);
  }
  BehaviourFollower follower(parameters);
  for (const FeatureWindow& window : training) {
    const auto verdicts = follower.follow(window, cluster.all(), names());
    ASSERT_EQ(verdicts.size(), 10U);
    for (const auto& verdict : verdicts) {
      EXPECT_NEAR(verdict.threshold, 2 * std::ceil(1000 * largest[verdict.host]) / 1000, 1e-9)
          << "the smallest in ms, doubled";
      EXPECT_LE(verdict.distance, largest[verdict.host] + 1e-9);
      EXPECT_FALSE(verdict.is_anomalous);
    }
  }
  EXPECT_EQ(trained_distance(std::vector{0.2, 3.0, 2.9}, {.floor = 100, .grain = 1}), 3);
  EXPECT_EQ(trained_distance(std::vector{3.1}, {.floor = 100, .grain = 1}), 4);
  EXPECT_EQ(trained_distance({}, {.floor = 100, .grain = 1}), 0);
}

TEST(BehaviourFollower, NobodyIsFaultyByChance) {
  std::size_t windows = 0;
  for (const bool weighs : {false, true}) {
    for (const std::size_t servers : {std::size_t{3}, std::size_t{5}, std::size_t{9}}) {
      for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Cluster cluster(servers, seed);
        BehaviourParameters parameters = samples();
        parameters.weighs_functions = weighs;
        BehaviourFollower follower(parameters);
        for (int n = 0; n < 60; ++n, ++windows) {
          EXPECT_THAT(faulty(follower.follow(cluster.window(), cluster.all(), names())), IsEmpty())
              << servers << " servers, seed " << seed << ", window " << n << ", weighs " << weighs;
        }
      }
    }
  }
  EXPECT_EQ(windows, 2U * 3U * 20U * 60U);
}

TEST(BehaviourFollower, WhoDoesOtherThingsIsFaultyInTheThirdWindow) {
  for (const bool weighs : {false, true}) {
    for (const std::size_t servers : {std::size_t{3}, std::size_t{9}}) {
      Cluster cluster(servers, 7);
      BehaviourParameters parameters = samples();
      parameters.weighs_functions = weighs;
      BehaviourFollower follower(parameters);
      for (int n = 0; n < 10; ++n)
        EXPECT_THAT(faulty(follower.follow(cluster.window(), cluster.all(), names())), IsEmpty());
      for (int n = 0; n < 6; ++n) {
        const auto found = faulty(follower.follow(cluster.window({{1, 6.0}}), cluster.all(), names()));
        EXPECT_EQ(found, n < 2 ? std::vector<std::size_t>{} : std::vector<std::size_t>{1})
            << servers << ' ' << n;
      }
      const auto differing = follower.differing("s2");
      ASSERT_FALSE(differing.empty());
      EXPECT_EQ(differing[0].function, Word{kFunctions - 1}) << "what it does besides comes first";
      EXPECT_NEAR(differing[0].own, 6, 0.2);
      EXPECT_NEAR(differing[0].peers, 0, 0.2);
      EXPECT_THAT(follower.differing("s1"), IsEmpty());
      for (int n = 0; n < 3; ++n) {
        for (const auto& verdict : follower.follow(cluster.window(), cluster.all(), names())) {
          EXPECT_FALSE(verdict.is_faulty);
          if (verdict.host == 1) {
            EXPECT_EQ(verdict.normal, static_cast<std::size_t>(n + 1));
          }
        }
      }
    }
  }
}

TEST(BehaviourFollower, TheRestIsOfTheSameWindowsAndBesideTheMedian) {
  const ProgramSums busy{{"cron", 3}, {"dd", 2}};
  const ProgramSums calm{{"cron", 1}, {"sh", 4}};
  const ProgramSums idle;
  const auto rest = compared_rest(busy, std::vector{&calm, &calm, &idle});
  ASSERT_EQ(rest.size(), 3U);
  EXPECT_EQ(rest[0].program, "cron");
  EXPECT_EQ(rest[0].own, 3);
  EXPECT_EQ(rest[0].peers, 1);
  EXPECT_EQ(rest[1].program, "dd");
  EXPECT_EQ(rest[1].peers, 0);
  EXPECT_EQ(rest[2].program, "sh");
  EXPECT_EQ(rest[2].own, 0);
  EXPECT_THAT(compared_rest(idle, std::vector{&busy, &idle, &idle}), IsEmpty())
      << "one of three is no median";

  Cluster cluster(5, 7);
  BehaviourFollower follower(samples());
  for (int n = 0; n < 14; ++n) {
    FeatureWindow window = cluster.window(n < 10 ? Cluster::Besides{} : Cluster::Besides{{1, 6.0}});
    window.rest.assign(5, {{"cron", n < 10 ? 9.0 : 1.0}});
    window.rest[1]["dd"] = n;
    EXPECT_EQ(follower.follow(window, cluster.all(), names()).size(), 5U);
  }
  const auto of_s2 = follower.rest("s2");
  ASSERT_EQ(of_s2.size(), 2U);
  EXPECT_EQ(of_s2[0].own, 1) << "of the anomalous windows alone";
  EXPECT_EQ(of_s2[0].peers, 1);
  EXPECT_EQ(of_s2[1].own, (10 + 11 + 12 + 13) / 4.0);
  EXPECT_THAT(follower.rest("s1"), IsEmpty());
}

TEST(BehaviourFollower, CountsWhatAUserSaysThatItCounts) {
  const auto found_with = [](double weight, double besides) {
    Cluster cluster(9, 5);
    BehaviourParameters parameters = samples();
    parameters.measure.rules = {{.pattern = fmt::format("f{}", kFunctions - 1), .weight = weight}};
    BehaviourFollower follower(parameters);
    std::vector<std::size_t> found;
    for (int n = 0; n < 12; ++n) {
      found =
          faulty(follower.follow(cluster.window(n < 6 ? Cluster::Besides{} : Cluster::Besides{{2, besides}}),
                                 cluster.all(), names()));
    }
    return found;
  };
  EXPECT_THAT(found_with(1, 6), ElementsAre(2));
  EXPECT_THAT(found_with(0, 6), IsEmpty()) << "that function counts for nothing";
  EXPECT_THAT(found_with(1, 0.8), IsEmpty());
  EXPECT_THAT(found_with(8, 0.8), ElementsAre(2));
}

TEST(BehaviourFollower, TwoOfNineMayBeSickAtOnce) {
  Cluster cluster(9, 5);
  BehaviourFollower follower(samples());
  std::vector<std::size_t> found;
  for (int n = 0; n < 12; ++n) {
    found = faulty(
        follower.follow(cluster.window(n < 6 ? Cluster::Besides{} : Cluster::Besides{{2, 6.0}, {7, 4.5}}),
                        cluster.all(), names()));
  }
  EXPECT_EQ(found, (std::vector<std::size_t>{2, 7}));
}

TEST(BehaviourFollower, WhoWasNoOtherBeforeIsFaultyAsEver) {
  Cluster cluster(9, 5);
  BehaviourFollower follower(samples());
  bool as_ever = false;
  bool any = false;
  for (int n = 0; n < 40; ++n) {
    // It always does something besides that is below the threshold, and then a little more.
    for (const auto& verdict :
         follower.follow(cluster.window({{3, n < 30 ? 1.0 : 1.8}}), cluster.all(), names())) {
      any = any || verdict.is_faulty;
      as_ever = as_ever || verdict.as_ever;
      if (verdict.host != 3) {
        EXPECT_FALSE(verdict.is_faulty);
      }
    }
  }
  EXPECT_TRUE(any);
  EXPECT_TRUE(as_ever);
}

TEST(BehaviourFollower, TwoServersTellNothing) {
  Cluster cluster(2, 5);
  BehaviourFollower follower(samples());
  EXPECT_THAT(follower.follow(cluster.window({{1, 100.0}}), cluster.all(), names()), IsEmpty());
}

TEST(BehaviourFollower, WeighingFindsWhatIsSmallInAFunctionThatNeverVaries) {
  // Ten functions that vary from server to server by chance of their own, and one that does not: a little
  // more of it.
  std::mt19937_64 random(9);
  std::lognormal_distribution<double> uneven(0, 0.7);
  for (const bool weighs : {false, true}) {
    BehaviourParameters parameters = samples();
    parameters.weighs_functions = weighs;
    BehaviourFollower follower(parameters);
    std::vector<std::size_t> found;
    for (int n = 0; n < 30; ++n) {
      FeatureWindow window{
          .span = {kStart + n * 30s, kStart + n * 30s + 60s}, .hosts = {}, .functions = {}, .values = {}};
      for (std::uint32_t f = 0; f < 11; ++f) window.functions.push_back(Word{f});
      for (std::size_t s = 0; s < 9; ++s) {
        window.hosts.push_back("s" + std::to_string(s + 1));
        for (std::uint32_t f = 0; f < 11; ++f) {
          window.values.push_back(f < 10 ? uneven(random) : s == 4 && n >= 20 ? 1.5 : 0.2);
        }
      }
      found = faulty(follower.follow(window, Cluster(9, 0).all(), names()));
    }
    EXPECT_EQ(found, weighs ? std::vector<std::size_t>{4} : std::vector<std::size_t>{});
  }
}

}  // namespace
}  // namespace laggard::detect
