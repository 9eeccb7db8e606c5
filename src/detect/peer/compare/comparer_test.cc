#include "detect/peer/compare/comparer.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>

#include "detect/peer/compare/definition.h"
#include "detect/peer/compare/l1_scores.h"
#include "testing/property.h"

namespace laggard::detect {
namespace {
using definition::Samples;

constexpr std::array kPairwise{Distance::kCdf, Distance::kWasserstein, Distance::kKl};

CompareOptions draw_options(std::mt19937_64& random) {
  CompareOptions options;
  options.bins.noise_floor = random() % 3 == 0 ? 2.5 : 0;
  options.bins.floor_use = random() % 2 == 0 ? FloorUse::kAlways : FloorUse::kWithoutSpread;
  constexpr std::array<std::size_t, 8> kCaps{1000, 1000, 1000, 1000, 1000, 10, 10, 3000};
  options.bins.cap = kCaps[random() % kCaps.size()];
  return options;
}

/// A window, and everything about it that the definition says.
struct ComparedWindow {
  Samples samples;
  std::vector<double> values;
  std::vector<std::uint32_t> busy;
  std::vector<double> busy_values;
  SortedWindow sorted;

  ComparedWindow(std::mt19937_64& random, std::size_t n, std::size_t w)
      : samples(with_quiet(definition::draw_samples(random, n, w), random)),
        values(definition::columns_of(samples)) {
    Window window{
        .start = {}, .interval = std::chrono::seconds(1), .components = n, .size = w, .values = values};
    if (random() % 4 != 0) tell(window);
    sorted.assign(window);
  }

 private:
  /// Most of a large system does nothing: from nobody to nearly all are 0 at every sample.
  static Samples with_quiet(Samples samples, std::mt19937_64& random) {
    const std::size_t share = random() % 2 == 0 ? 0 : random() % 17;
    for (std::vector<double>& component : samples) {
      if (random() % 16 < share) std::fill(component.begin(), component.end(), 0.0);
    }
    return samples;
  }
  /// What a stream would tell of the window.
  void tell(Window& window) {
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const auto is_zero = [](double x) { return x == 0; };
      if (!std::all_of(samples[i].begin(), samples[i].end(), is_zero))
        busy.push_back(static_cast<std::uint32_t>(i));
    }
    window.busy = busy;
    for (std::size_t k = 0; k < window.size; ++k) {
      for (const std::uint32_t i : busy) busy_values.push_back(values[k * window.components + i]);
    }
    window.values = busy_values;
    window.complete = std::none_of(values.begin(), values.end(), [](double x) { return std::isnan(x); });
  }
};

double by_definition(const ComparedWindow& c, const definition::Common& common, std::size_t i,
                     Distance distance, const CompareOptions& options) {
  if (distance == Distance::kMedian) return definition::median_distance(c.samples, i);
  if (distance == Distance::kThresh) return definition::thresh_distance(c.samples, i);
  std::vector<double> d = definition::pairwise(c.samples, common, i, distance, options);
  std::sort(d.begin(), d.end());
  return d[(d.size() + 1) / 2 - 1];
}

/// Sums of doubles in another order differ in the last bits; sums of bins do not.
bool same_score(double a, double b, Distance distance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (distance == Distance::kCdf || distance == Distance::kThresh) return a == b;
  return std::abs(a - b) <= 1e-9 * (1 + std::abs(a));
}

void check_scores(ComparedWindow& c, Distance distance, const CompareOptions& options) {
  const std::size_t n = c.samples.size();
  const auto comparer = make_comparer(distance, options);
  comparer->load(c.sorted);
  std::vector<double> s(n);
  comparer->scores(s);
  const definition::Common common = definition::common(c.samples, options);
  for (std::size_t i = 0; i < n; ++i) {
    RC_ASSERT(same_score(s[i], by_definition(c, common, i, distance, options), distance));
  }
}

TEST(Comparer, ScoresAreThoseOfTheDefinition) {
  expect_property("every distance, every component", [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (int repeat = 0; repeat < 4; ++repeat) {
      const std::size_t n = 2 + random() % 39;
      const std::size_t w = 1 + random() % 71;
      ComparedWindow c(random, n, w);
      const CompareOptions options = draw_options(random);
      for (const Distance distance :
           {Distance::kCdf, Distance::kWasserstein, Distance::kKl, Distance::kMedian, Distance::kThresh}) {
        check_scores(c, distance, options);
      }
    }
  });
}

/// What one remembers of earlier windows and floors is memory only.
TEST(Comparer, OneServesManyWindowsAsANewOneWould) {
  expect_property("a comparer that was used, of every distance", [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    CompareOptions options = draw_options(random);
    options.partition = random() % 3 == 0 ? 8 : 0;
    for (const Distance distance :
         {Distance::kCdf, Distance::kWasserstein, Distance::kKl, Distance::kMedian, Distance::kThresh}) {
      const auto used = make_comparer(distance, options);
      for (int window = 0; window < 5; ++window) {
        ComparedWindow c(random, 2 + random() % 79, 1 + random() % 71);
        options.bins.noise_floor = static_cast<double>(random() % 4);
        used->set_noise_floor(options.bins.noise_floor);
        used->load(c.sorted);
        std::vector<double> s(c.samples.size());
        used->scores(s);
        const auto fresh = make_comparer(distance, options);
        fresh->load(c.sorted);
        std::vector<double> expected(s.size());
        fresh->scores(expected);
        for (std::size_t i = 0; i < s.size(); ++i) {
          RC_ASSERT(s[i] == expected[i] || (std::isnan(s[i]) && std::isnan(expected[i])));
        }
      }
    }
  });
}

/// All pairs at once, in tiles, where the group is large enough and not too large: as row by row.
template <typename Element>
void check_pairs(std::size_t n) {
  std::mt19937_64 random(n);
  const std::size_t w = 1 + random() % 40;
  L1Scores<Element> engine;
  for (Element& x : engine.resize(w, n)) x = static_cast<Element>(random() % 1000);
  std::vector<typename L1Scores<Element>::Sum> s(n);
  engine.scores(s);
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = engine.distances(i);
    std::vector<typename L1Scores<Element>::Sum> sorted(row.begin(), row.end());
    ASSERT_EQ(sorted[i], 0);
    std::sort(sorted.begin(), sorted.end());
    // Its distance to itself is the first.
    ASSERT_EQ(s[i], sorted[score_rank(n) + 1]) << i << " of " << n;
  }
}

TEST(L1Scores, AllPairsAtOnceAreTheRows) {
  for (const std::size_t n : {2U, 7U, 8U, 9U, 15U, 16U, 17U, 31U, 32U, 33U, 63U, 64U, 65U, 100U, 577U}) {
    check_pairs<std::int16_t>(n);
    check_pairs<std::int32_t>(n);
    check_pairs<double>(n);
  }
  check_pairs<std::int16_t>(1500);  // Too large for the table.
}

/// Thresholds at and around the distances themselves, where a wrong comparison would show.
std::vector<double> draw_thresholds(std::mt19937_64& random, const std::vector<double>& s) {
  std::vector<double> t(s.size());
  for (double& threshold : t) {
    const double other = s[random() % s.size()];
    const double base = std::isnan(other) ? 1 : std::max(other, 0.0);
    switch (random() % 5) {
      case 0:
        threshold = base;
        break;
      case 1:
        threshold = std::nextafter(base, 0.0);
        break;
      case 2:
        threshold = 0.1 * static_cast<double>(random() % 40);
        break;
      case 3:
        threshold = random() % 2 == 0 ? 0 : std::numeric_limits<double>::infinity();
        break;
      default:
        threshold = base * 1.1;
    }
  }
  return t;
}

TEST(Comparer, WhoIsLeftOutOfTheSpreadIsComparedAllTheSame) {
  expect_property("bins are made from the others' samples", [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    ComparedWindow c(random, 3 + random() % 20, 1 + random() % 40);
    const CompareOptions options = draw_options(random);
    Samples counted;
    std::vector<std::uint32_t> left_out;
    for (std::size_t i = 0; i < c.samples.size(); ++i) {
      if (i > 0 && random() % 3 == 0) {
        left_out.push_back(static_cast<std::uint32_t>(i));
      } else {
        counted.push_back(c.samples[i]);
      }
    }
    if (definition::present(counted).empty()) return;
    c.sorted.leave_out_of_spread(left_out);
    const definition::Common common{definition::present(c.samples),
                                    definition::freedman_diaconis(c.samples, counted, options.bins)};
    for (const Distance distance : {Distance::kCdf, Distance::kWasserstein}) {
      const auto comparer = make_comparer(distance, options);
      comparer->load(c.sorted);
      std::vector<double> s(c.samples.size());
      comparer->scores(s);
      for (std::size_t i = 0; i < s.size(); ++i) {
        RC_ASSERT(same_score(s[i], by_definition(c, common, i, distance, options), distance));
      }
    }
  });
}

TEST(Comparer, FlagsAreThoseOfMoreThanHalf) {
  expect_property("flags and partial scores agree with counting the pairs", [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (int repeat = 0; repeat < 20; ++repeat) {
      const std::size_t n = 2 + random() % 39;
      const std::size_t w = 1 + random() % 71;
      ComparedWindow c(random, n, w);
      const CompareOptions options = draw_options(random);
      for (const Distance distance : kPairwise) {
        const auto comparer = make_comparer(distance, options);
        comparer->load(c.sorted);
        std::vector<double> s(n);
        comparer->scores(s);
        const std::vector<double> t = draw_thresholds(random, s);
        std::vector<std::uint8_t> flagged(n);
        comparer->flags(t, flagged);
        std::vector<double> partial(n);
        comparer->scores_above(t, partial);
        std::vector<double> d(n);
        for (std::size_t i = 0; i < n; ++i) {
          comparer->distances(i, d);
          RC_ASSERT(std::isnan(d[i]));
          std::vector<double> others = d;
          others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
          RC_ASSERT((flagged[i] != 0) == definition::more_than_half_exceed(others, t[i]));
          RC_ASSERT((flagged[i] != 0) == (s[i] > t[i]));
          const bool exact = partial[i] == s[i];
          RC_ASSERT(exact || (s[i] <= t[i] && partial[i] >= s[i] && partial[i] <= t[i]));
        }
      }
    }
  });
}

/// In a large group with one sick member nearly all are decided by bounds, and all rightly.
TEST(Comparer, PruningIsExactInLargeGroups) {
  std::mt19937_64 random(7);
  std::size_t refined = 0;
  constexpr std::size_t kGroup = 300;
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::normal_distribution<double> normal(400, 20);
    L1Scores<std::int16_t> engine;
    const std::size_t w = 60;
    const auto matrix = engine.resize(w, kGroup);
    for (std::size_t i = 0; i < kGroup; ++i) {
      std::vector<std::int16_t> series(w);
      const int shift = i == 17 ? 200 : 0;
      for (auto& x : series) x = static_cast<std::int16_t>(std::clamp(normal(random) + shift, 0.0, 1000.0));
      std::sort(series.begin(), series.end());
      for (std::size_t k = 0; k < w; ++k) matrix[k * kGroup + i] = series[k];
    }
    std::vector<std::uint16_t> s(kGroup);
    engine.scores(s);
    const std::vector<std::uint16_t> floor(kGroup, *std::max_element(s.begin(), s.begin() + 17));
    std::vector<std::uint8_t> flagged(kGroup);
    engine.flags(floor, flagged);
    refined += engine.refined();
    for (std::size_t i = 0; i < kGroup; ++i) ASSERT_EQ(flagged[i] != 0, s[i] > floor[i]) << i;
    ASSERT_EQ(flagged[17], 1);
  }
  EXPECT_LT(refined, 20 * kGroup / 2);
}

TEST(Comparer, SumFloorDecidesAsTheQuotientDoes) {
  expect_property("S > sum_floor(T) is S / W > T", [](std::uint16_t sum) {
    const auto w = *rc::gen::inRange<std::size_t>(1, 200);
    const auto near = static_cast<double>(*rc::gen::inRange(0, 3)) - 1 + sum;
    const double t = std::max(0.0, near) / static_cast<double>(w);
    for (const double threshold : {t, std::nextafter(t, 1e9), t > 0 ? std::nextafter(t, 0.0) : 0}) {
      const auto floor = sum_floor<std::uint16_t>(threshold, w);
      RC_ASSERT((sum > floor) == (static_cast<double>(sum) / static_cast<double>(w) > threshold));
    }
  });
}

TEST(Comparer, AbsenceIsDistance) {
  Samples samples(6, std::vector<double>(10));
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t t = 0; t < 10; ++t) samples[i][t] = 50 + static_cast<double>((i * 7 + t * 3) % 5);
  }
  samples[2].assign(10, kMissing);
  const std::vector<double> values = definition::columns_of(samples);
  SortedWindow sorted;
  sorted.assign(Window{
      .start = {}, .interval = std::chrono::seconds(1), .components = 6, .size = 10, .values = values});
  for (const Distance distance : kPairwise) {
    const auto comparer = make_comparer(distance, {});
    comparer->load(sorted);
    std::vector<double> s(6);
    comparer->scores(s);
    EXPECT_EQ(std::max_element(s.begin(), s.end()) - s.begin(), 2) << to_name(distance);
  }
  EXPECT_EQ(sorted.active(), 5U);
  EXPECT_EQ(sorted.side(2), 0);
}

TEST(Comparer, SidesTellAboveFromBelow) {
  const Samples samples{{1, 1, 9}, {2, 2, 2}, {3, 3, kMissing}, {2, 2, 2}};
  const std::vector<double> values = definition::columns_of(samples);
  SortedWindow sorted;
  sorted.assign(
      Window{.start = {}, .interval = std::chrono::seconds(1), .components = 4, .size = 3, .values = values});
  EXPECT_EQ(sorted.side(0), -1);
  EXPECT_EQ(sorted.side(1), 0);
  EXPECT_EQ(sorted.side(2), 1);
  EXPECT_EQ(sorted.level(2), 3);
  EXPECT_EQ(sorted.group_level(), 2);
}

TEST(Comparer, NamesGoBothWays) {
  for (const char* name : {"cdf", "wasserstein", "kl", "median", "thresh"}) {
    ASSERT_TRUE(distance(name).has_value());
    EXPECT_EQ(to_name(*distance(name)), name);
  }
  EXPECT_FALSE(distance("cwnd").has_value());
}

}  // namespace
}  // namespace laggard::detect
