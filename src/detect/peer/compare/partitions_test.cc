#include "detect/peer/compare/comparer.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "base/missing.h"
#include "detect/peer/compare/definition.h"
#include "testing/property.h"

namespace laggard::detect {
namespace {

constexpr std::size_t kDrawn = 24;  ///< Samples of a window.

TEST(Partitions, HoldEveryoneOnceInEqualParts) {
  expect_property("any group and size", [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const std::size_t n = 1 + random() % 300;
    const std::size_t size = 2 + random() % 40;
    const auto parts = partitions(n, size, static_cast<std::int64_t>(random() % 1000) - 500);
    std::set<std::uint32_t> seen;
    for (const auto& part : parts) {
      RC_ASSERT(part.size() >= std::min(n, size));
      RC_ASSERT(part.size() <= parts.front().size() + 1 && part.size() + 1 >= parts.front().size());
      seen.insert(part.begin(), part.end());
    }
    RC_ASSERT(seen.size() == n);
    RC_ASSERT(parts.size() == std::max<std::size_t>(1, n / size));
  });
}

TEST(Partitions, AreOthersInEveryWindowAndTheSameEverywhere) {
  EXPECT_EQ(partitions(100, 10, 7), partitions(100, 10, 7));
  std::set<std::uint32_t> met;
  for (std::int64_t window = 0; window < 100; ++window) {
    for (const auto& part : partitions(100, 10, window)) {
      if (std::ranges::find(part, 0U) != part.end()) met.insert(part.begin(), part.end());
    }
  }
  EXPECT_GT(met.size(), 95U) << "in a hundred windows a component meets nearly all others";
}

Window window_over(const std::vector<double>& values, std::size_t components, std::int64_t index) {
  return {.start = {},
          .interval = std::chrono::seconds(1),
          .index = index,
          .components = components,
          .size = values.size() / components,
          .values = values};
}

TEST(Partitioned, ScoresAreThoseOfThePartitionByItself) {
  expect_property("any samples", [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const std::size_t n = 12 + random() % 60;
    const definition::Samples samples = definition::draw_samples(random, n, kDrawn);
    const std::vector<double> values = definition::columns_of(samples);
    const auto index = static_cast<std::int64_t>(random() % 1000);
    CompareOptions options;
    options.partition = 5 + random() % 10;
    SortedWindow sorted;
    sorted.assign(window_over(values, n, index));
    for (const Distance distance : {Distance::kCdf, Distance::kWasserstein, Distance::kKl}) {
      const auto comparer = make_comparer(distance, options);
      comparer->load(sorted);
      std::vector<double> scores(n);
      comparer->scores(scores);
      for (const auto& part : partitions(n, options.partition, index)) {
        definition::Samples own;
        for (const std::uint32_t i : part) own.push_back(samples[i]);
        const std::vector<double> own_values = definition::columns_of(own);
        SortedWindow alone;
        alone.assign(window_over(own_values, part.size(), index));
        std::vector<double> want(part.size(), kMissing);
        if (alone.has_samples()) {
          const auto whole = make_comparer(distance, {});
          whole->load(alone);
          whole->scores(want);
        }
        for (std::size_t m = 0; m < part.size(); ++m) {
          RC_ASSERT(scores[part[m]] == want[m] || (std::isnan(scores[part[m]]) && std::isnan(want[m])));
        }
      }
    }
  });
}

TEST(Partitioned, WhoIsKnownToRestIsComparedAllTheSame) {
  expect_property("any samples", [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const std::size_t n = 12 + random() % 60;
    definition::Samples samples = definition::draw_samples(random, n, kDrawn);
    std::vector<std::uint32_t> busy;
    for (std::uint32_t i = 0; i < n; ++i) {
      if (random() % 3 == 0) samples[i].assign(kDrawn, 0.0);
      const bool rests = std::ranges::all_of(samples[i], [](double x) { return x == 0; });
      if (!rests) busy.push_back(i);
    }
    const std::vector<double> values = definition::columns_of(samples);
    std::vector<double> of_busy;
    for (std::size_t k = 0; k < kDrawn; ++k) {
      for (const std::uint32_t i : busy) of_busy.push_back(values[k * n + i]);
    }
    CompareOptions options;
    options.partition = 5 + random() % 10;
    const Window whole = window_over(values, n, static_cast<std::int64_t>(random() % 1000));
    Window told = whole;
    told.values = of_busy;
    told.busy = busy;
    for (const Distance distance : {Distance::kCdf, Distance::kWasserstein, Distance::kKl}) {
      std::array<std::vector<double>, 2> scores{std::vector<double>(n), std::vector<double>(n)};
      for (std::size_t which = 0; which < 2; ++which) {
        SortedWindow sorted;
        sorted.assign(which == 0 ? whole : told);
        const auto comparer = make_comparer(distance, options);
        comparer->load(sorted);
        comparer->scores(scores[which]);
      }
      for (std::size_t i = 0; i < n; ++i) {
        RC_ASSERT(scores[0][i] == scores[1][i] || (std::isnan(scores[0][i]) && std::isnan(scores[1][i])));
      }
    }
  });
}

TEST(Partitioned, DistancesAreKnownWithinThePartitionOnly) {
  std::mt19937_64 random(3);
  const definition::Samples samples = definition::draw_samples(random, 40, kDrawn);
  const std::vector<double> values = definition::columns_of(samples);
  SortedWindow sorted;
  sorted.assign(window_over(values, 40, 11));
  CompareOptions options;
  options.partition = 10;
  const auto comparer = make_comparer(Distance::kCdf, options);
  comparer->load(sorted);
  std::vector<double> d(40);
  comparer->distances(7, d);
  for (const auto& part : partitions(40, 10, 11)) {
    const bool own = std::ranges::find(part, 7U) != part.end();
    for (const std::uint32_t i : part) EXPECT_EQ(std::isnan(d[i]), !own || i == 7) << i;
  }
}

/// What F hopes for: one that is slow is found in whatever company it is.
TEST(Partitioned, OneThatIsSlowIsFoundInEveryWindow) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal(100, 5);
  CompareOptions options;
  options.partition = 10;
  for (std::int64_t index = 0; index < 50; ++index) {
    std::vector<double> values(100 * kDrawn);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = normal(random) * (i % 100 == 42 ? 2 : 1);
    SortedWindow sorted;
    sorted.assign(window_over(values, 100, index));
    const auto comparer = make_comparer(Distance::kCdf, options);
    comparer->load(sorted);
    std::vector<std::uint8_t> flagged(100);
    comparer->flags(std::vector<double>(100, 8), flagged);
    for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(flagged[i], i == 42 ? 1 : 0) << index << " " << i;
  }
}

}  // namespace
}  // namespace laggard::detect
