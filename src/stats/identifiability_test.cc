#include "stats/identifiability.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <set>
#include <vector>

namespace laggard::stats {
namespace {

using testing::ElementsAre;

/// By the definition: every set of at most k other units.
std::optional<std::size_t> smallest_hiding_set(std::span<const UnitPath> paths, std::size_t unit,
                                               std::size_t units, std::size_t k) {
  std::optional<std::size_t> smallest;
  for (std::uint32_t failed = 0; failed < (1U << units); ++failed) {
    const auto size = static_cast<std::size_t>(std::popcount(failed));
    if (size > k || ((failed >> unit) & 1U) != 0) continue;
    const bool is_seen = std::ranges::any_of(paths, [&](const UnitPath& path) {
      return std::ranges::find(path, unit) != path.end() &&
             std::ranges::none_of(path, [&](std::size_t u) { return ((failed >> u) & 1U) != 0; });
    });
    if (!is_seen) smallest = std::min(smallest.value_or(size), size);
  }
  return smallest;
}

TEST(Identifiability, AgreesWithTheDefinitionOnSmallGraphs) {
  std::mt19937_64 random(3);
  std::size_t hidden = 0;
  for (int graph = 0; graph < 3000; ++graph) {
    const std::size_t units = 2 + random() % 8;
    std::vector<UnitPath> paths;
    for (std::size_t p = random() % 12; p > 0; --p) {
      std::set<std::size_t> path;
      for (std::size_t u = 1 + random() % 4; u > 0; --u) path.insert(random() % units);
      paths.emplace_back(path.begin(), path.end());
    }
    const std::size_t k = random() % 4;
    for (std::size_t unit = 0; unit < units; ++unit) {
      const auto found = hiding_set(paths, unit, k);
      const auto expected = smallest_hiding_set(paths, unit, units, k);
      ASSERT_EQ(found.has_value(), expected.has_value());
      if (!found) continue;
      ++hidden;
      ASSERT_EQ(found->size(), *expected) << "a smallest one";
      for (const UnitPath& path : paths) {
        if (std::ranges::find(path, unit) == path.end()) continue;
        EXPECT_TRUE(std::ranges::any_of(
            path, [&](std::size_t u) { return std::ranges::find(*found, u) != found->end(); }));
      }
    }
  }
  EXPECT_GT(hidden, 1000U);
}

TEST(Identifiability, AServerWithOneTargetIsHiddenByIt) {
  // Client 0; server 1 with targets 2 and 3, server 4 with target 5.
  const std::vector<UnitPath> paths{{0, 1, 2}, {0, 1, 3}, {0, 4, 5}};
  EXPECT_EQ(hiding_set(paths, 0, 1), std::nullopt);
  EXPECT_EQ(hiding_set(paths, 1, 0), std::nullopt);
  EXPECT_THAT(hiding_set(paths, 4, 1).value(), testing::SizeIs(1));
  EXPECT_THAT(path_classes(paths, 7), ElementsAre(0, 1, 2, 3, 4, 4, 5));
  EXPECT_THAT(hiding_set(paths, 6, 2).value(), testing::IsEmpty()) << "no path passes it";
}

}  // namespace
}  // namespace laggard::stats
