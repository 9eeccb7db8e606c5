#include "detect/peer/compare/group_stream.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "detect/peer/compare/definition.h"
#include "testing/property.h"

namespace laggard::detect {
namespace {

using std::chrono::seconds;

struct Kept {
  WallTime start;
  std::int64_t index;
  std::vector<double> values;
};

bool same(const Kept& a, const Kept& b) {
  if (a.start != b.start || a.index != b.index || a.values.size() != b.values.size()) return false;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    const bool both_missing = std::isnan(a.values[i]) && std::isnan(b.values[i]);
    if (!both_missing && a.values[i] != b.values[i]) return false;
  }
  return true;
}

GroupStream::Sink keep(std::vector<Kept>& out) {
  return [&out](const Window& w) {
    Kept& kept = out.emplace_back(Kept{w.start, w.index, std::vector<double>(w.components * w.size)});
    for (std::size_t k = 0; k < w.size; ++k) {
      w.spread_row(k, std::span(kept.values).subspan(k * w.components, w.components));
    }
  };
}

/// What a window says of who is busy and holed is what its values say.
bool tells_the_truth(const Window& w) {
  std::vector<std::uint32_t> busy;
  std::vector<std::uint32_t> holed;
  std::vector<double> row(w.components);
  std::vector<std::uint8_t> is_busy(w.components, 0);
  std::vector<std::uint8_t> is_holed(w.components, 0);
  for (std::size_t k = 0; k < w.size; ++k) {
    w.spread_row(k, row);
    for (std::size_t i = 0; i < w.components; ++i) {
      if (row[i] != 0) is_busy[i] = 1;
      if (std::isnan(row[i])) is_holed[i] = 1;
    }
  }
  for (std::uint32_t i = 0; i < w.components; ++i) {
    if (is_busy[i] != 0) busy.push_back(i);
    if (is_holed[i] != 0) holed.push_back(i);
  }
  return std::ranges::equal(busy, *w.busy) && std::ranges::equal(holed, *w.holed) &&
         w.complete == holed.empty();
}

/// Grid step -> column; steps that are not there were not recorded.
using Recording = std::map<std::int64_t, std::vector<double>>;

double raw_at(const Recording& recording, std::int64_t step, std::size_t i) {
  const auto found = recording.find(step);
  return found == recording.end() ? kMissing : found->second[i];
}

/// The trailing average as it is defined, for one component at one step.
double smoothed_at(const Recording& recording, const WindowSpec& spec, std::int64_t step, std::size_t i) {
  if (std::isnan(raw_at(recording, step, i))) return kMissing;
  double sum = 0;
  int count = 0;
  for (std::int64_t s = step - static_cast<std::int64_t>(spec.smoothing) + 1; s <= step; ++s) {
    const double x = raw_at(recording, s, i);
    sum += std::isnan(x) ? 0 : x;
    count += std::isnan(x) ? 0 : 1;
  }
  return sum / count;
}

std::vector<Kept> windows_by_definition(const Recording& recording, const WindowSpec& spec, std::size_t n) {
  std::vector<Kept> out;
  const auto shift = static_cast<std::int64_t>(spec.shift);
  const auto size = static_cast<std::int64_t>(spec.size);
  for (std::int64_t start = recording.begin()->first; start + size - 1 <= recording.rbegin()->first;
       ++start) {
    if (start % shift != 0) continue;
    Kept window{from_unix_ns(start * spec.interval.count()), start / shift, {}};
    bool any = false;
    for (std::int64_t step = start; step < start + size; ++step) {
      for (std::size_t i = 0; i < n; ++i) {
        window.values.push_back(smoothed_at(recording, spec, step, i));
        any = any || !std::isnan(window.values.back());
      }
    }
    if (any) out.push_back(window);
  }
  return out;
}

struct Drawn {
  WindowSpec spec;
  std::size_t n;
  Recording recording;
};

Drawn draw(std::mt19937_64& random) {
  Drawn drawn{{}, 1 + random() % 20, {}};
  drawn.spec = {.interval = seconds(1 + random() % 3),
                .size = 1 + random() % 12,
                .shift = 1 + random() % 9,
                .smoothing = 1 + random() % 16};
  std::int64_t step = static_cast<std::int64_t>(random() % 200) - 100;
  bool idle = false;
  for (int k = 0; k < 100; ++k) {
    step += random() % 10 == 0 ? static_cast<std::int64_t>(1 + random() % 40) : 1;
    std::vector<double> column(drawn.n);
    // Stretches in which next to nobody does anything, so that tiles fall asleep and wake up again.
    if (random() % 20 == 0) idle = random() % 2 == 0;
    for (double& x : column) {
      const bool rests = idle && random() % 200 != 0;
      x = rests ? 0 : random() % 5 == 0 ? kMissing : static_cast<double>(random() % 1000) / 7;
    }
    drawn.recording[step] = column;
  }
  return drawn;
}

WallTime time_of(const Drawn& drawn, std::int64_t step) {
  return from_unix_ns(step * drawn.spec.interval.count());
}

TEST(GroupStream, HandsOutTheWindowsOfTheDefinition) {
  expect_property("any gaps, sizes and spans", [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (int repeat = 0; repeat < 10; ++repeat) {
      const Drawn drawn = draw(random);
      GroupStream stream(drawn.spec, drawn.n);
      std::vector<Kept> got;
      WindowMemory memory;
      const GroupStream::Sink kept = keep(got);
      for (const auto& [step, column] : drawn.recording) {
        stream.push(time_of(drawn, step), column, memory, [&](const Window& window) {
          RC_ASSERT(tells_the_truth(window));
          kept(window);
        });
      }
      const std::vector<Kept> want = windows_by_definition(drawn.recording, drawn.spec, drawn.n);
      RC_ASSERT(got.size() == want.size());
      for (std::size_t w = 0; w < got.size(); ++w) RC_ASSERT(same(got[w], want[w]));
    }
  });
}

TEST(GroupStream, SmoothingIgnoresWhatIsNoMeasurement) {
  GroupStream stream({.size = 2, .shift = 1, .smoothing = 2}, 1);
  std::vector<Kept> got;
  WindowMemory memory;
  const double infinity = std::numeric_limits<double>::infinity();
  int t = 0;
  for (const double x : {4.0, infinity, 8.0, 1e301, 10.0, 20.0}) {
    stream.push(from_unix_ns(0) + seconds(t++), std::vector<double>{x}, memory, keep(got));
  }
  ASSERT_EQ(got.size(), 5U);
  EXPECT_EQ(got[0].values[0], 4);
  EXPECT_TRUE(std::isnan(got[0].values[1]));
  EXPECT_EQ(got[1].values[1], 8);
  EXPECT_EQ(got[4].values[1], 15);
}

/// A large system is idle for the most part, and that must cost next to nothing.
TEST(GroupStream, WhoRestsTakesNoMemory) {
  constexpr std::size_t kMembers = 1000;
  const WindowSpec spec{.size = 60, .shift = 30, .smoothing = 15};
  GroupStream stream(spec, kMembers);
  WindowMemory memory;
  std::vector<double> column(kMembers, 0.0);
  std::int64_t step = 0;
  std::size_t widest = 0;
  const auto push = [&](int times) {
    for (int k = 0; k < times; ++k) {
      stream.push(from_unix_ns(0) + seconds(step++), column, memory,
                  [&](const Window& window) { widest = std::max(widest, window.width()); });
    }
  };
  push(200);
  EXPECT_EQ(stream.held(), 0U);
  EXPECT_EQ(widest, 0U);
  column[500] = 3;
  column[501] = kMissing;
  push(200);
  EXPECT_EQ(stream.held(), TileHistory::kTile * (spec.size + spec.smoothing));
  EXPECT_EQ(widest, 2U);
  column[500] = 0;
  column[501] = 0;
  push(100);
  EXPECT_EQ(stream.held(), 0U) << "what is idle again gives back what it took";
  column.assign(kMembers, kMissing);
  push(100);
  EXPECT_EQ(stream.held(), 0U) << "nor do numbers that are missing take any";
}

}  // namespace
}  // namespace laggard::detect
