#include "lab/sim/extents.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "testing/property.h"

namespace laggard::lab {
namespace {

constexpr std::int64_t kBytes = 24;

/// The same, byte by byte.
struct Twin {
  std::array<std::optional<SimTime>, kBytes> since{};

  [[nodiscard]] std::vector<DiskRange> runs(const DiskRange& range, bool held) const {
    std::vector<DiskRange> found;
    for (std::int64_t at = range.begin; at < range.end; ++at) {
      if (since[static_cast<std::size_t>(at)].has_value() != held) continue;
      if (!found.empty() && found.back().end == at) {
        ++found.back().end;
      } else {
        found.push_back({at, at + 1});
      }
    }
    return found;
  }
};

DiskRange drawn_range() {
  const auto begin = *rc::gen::inRange<std::int64_t>(0, kBytes);
  return {begin, *rc::gen::inRange<std::int64_t>(begin + 1, kBytes + 1)};
}

void expect_alike(const Extents& extents, const Twin& twin) {
  const DiskRange range = drawn_range();
  RC_ASSERT(extents.gaps(range) == twin.runs(range, false));
  std::int64_t held = 0;
  std::optional<SimTime> oldest;
  for (const auto& since : twin.since) {
    if (!since) continue;
    ++held;
    oldest = std::min(oldest.value_or(*since), *since);
  }
  RC_ASSERT(extents.bytes() == held);
  const auto found = extents.oldest();
  RC_ASSERT(found.has_value() == oldest.has_value());
  if (found) {
    RC_ASSERT(found->since == *oldest);
    for (std::int64_t at = found->range.begin; at < found->range.end; ++at) {
      RC_ASSERT(twin.since[static_cast<std::size_t>(at)] == oldest);
    }
  }
  const auto first = extents.first_in(range);
  const auto runs = twin.runs(range, true);
  RC_ASSERT(first.has_value() == !runs.empty());
  // An extent may end where the next one, of another time, begins.
  if (first) RC_ASSERT(first->begin == runs.front().begin && first->end <= runs.front().end);
}

TEST(Extents, AreWhatTheirBytesAre) {
  expect_property("extents and an array of bytes agree after any additions and removals", [] {
    Extents extents;
    Twin twin;
    const auto steps = *rc::gen::inRange(1, 40);
    for (int step = 0; step < steps; ++step) {
      const DiskRange range = drawn_range();
      const SimTime now{step};
      const bool adds = *rc::gen::arbitrary<bool>();
      std::int64_t added = 0;
      for (std::int64_t at = range.begin; at < range.end; ++at) {
        auto& since = twin.since[static_cast<std::size_t>(at)];
        if (adds && !since) {
          since = now;
          ++added;
        } else if (!adds) {
          since.reset();
        }
      }
      if (adds) {
        RC_ASSERT(extents.add(range, now) == added);
      } else {
        extents.remove(range);
      }
      expect_alike(extents, twin);
    }
  });
}

}  // namespace
}  // namespace laggard::lab
