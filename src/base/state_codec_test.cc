#include "base/state_codec.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace laggard {
namespace {

enum class Colour : std::uint8_t { kRed, kBlue };

struct Point {
  double x = 0;
  std::int32_t y = 0;
  bool seen = false;
};

/// One of everything that a state may hold.
struct Everything {
  bool flag = false;
  std::int64_t number = 0;
  std::uint8_t small = 0;
  double real = 0;
  WallTime at;
  std::string name;
  Colour colour = Colour::kRed;
  std::optional<double> maybe;
  std::vector<std::string> names;
  std::deque<std::optional<std::int64_t>> places;
  std::vector<double> levels;
  std::vector<WallTime> windows;
  std::vector<Point> points = std::vector<Point>(4);

  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state(self.flag, self.number, self.small, self.real, self.at, self.name);
    state.enumerator(self.colour, Colour::kBlue);
    state(self.maybe, self.names, self.places);
    state.numbers(self.levels, 8);
    state.times(self.windows, 8);
    state.columns(self.points, &Point::x, &Point::y, &Point::seen);
    state.require(self.number != 13);
  }
};

constexpr StateFormat kFormat{"state of a test", 3};

Everything some() {
  Everything one;
  one.flag = true;
  one.number = std::numeric_limits<std::int64_t>::min();
  one.small = 255;
  one.real = -0.0;
  one.at = WallTime::min();
  one.name = std::string("a\0b", 3);
  one.colour = Colour::kBlue;
  one.maybe = std::numeric_limits<double>::infinity();
  one.names = {"", "x"};
  one.places = {std::nullopt, -1};
  one.levels = {0, 0, 0, 1.5, 1.5, 1.5, std::nan("7"), 2};
  one.windows = {from_unix_ns(-5), from_unix_ns(10), from_unix_ns(25), from_unix_ns(40)};
  one.points[2] = {.x = 3, .y = -7, .seen = true};
  return one;
}

TEST(StateCodec, GivesBackWhatItWasGiven) {
  const std::string saved = save_state(kFormat, some());
  Everything back;
  ASSERT_TRUE(restore_state(kFormat, saved, back).has_value());
  EXPECT_EQ(back.number, std::numeric_limits<std::int64_t>::min());
  EXPECT_TRUE(std::signbit(back.real));
  EXPECT_EQ(back.at, WallTime::min());
  EXPECT_EQ(back.name.size(), 3U);
  EXPECT_EQ(back.names, (std::vector<std::string>{"", "x"}));
  EXPECT_EQ(back.windows[3], from_unix_ns(40));
  EXPECT_EQ(back.points[2].y, -7);
  EXPECT_EQ(save_state(kFormat, back), saved);
}

TEST(StateCodec, RefusesWhatIsDamagedOrCut) {
  const std::string saved = save_state(kFormat, some());
  for (std::size_t at = 0; at < saved.size(); ++at) {
    Everything back;
    EXPECT_FALSE(restore_state(kFormat, saved.substr(0, at), back).has_value()) << at;
    std::string bad = saved;
    bad[at] = static_cast<char>(bad[at] ^ 0x41);
    EXPECT_FALSE(restore_state(kFormat, bad, back).has_value()) << at;
  }
}

TEST(StateCodec, RefusesAnotherKindAndAnotherVersion) {
  const std::string saved = save_state(kFormat, some());
  Everything back;
  EXPECT_EQ(restore_state({"state of another", 3}, saved, back).error().code, ErrorCode::kBadInput);
  EXPECT_EQ(restore_state({kFormat.name, 2}, saved, back).error().code, ErrorCode::kTooNew);
  EXPECT_EQ(restore_state({kFormat.name, 4}, saved, back).error().code, ErrorCode::kTooOld);
}

TEST(StateCodec, RefusesWhatMakesNoSense) {
  StateWriter writer;
  writer(std::uint64_t{13}, std::int64_t{26});
  const std::string bytes = writer.take();
  std::uint8_t number = 0;
  std::vector<std::string> names;
  StateReader reader(bytes);
  reader(number);
  EXPECT_TRUE(reader.ok());
  // More texts than bytes are left.
  reader(names);
  EXPECT_FALSE(reader.ok());
  EXPECT_TRUE(names.empty());
}

/// A run of zeros takes two bytes however long it is: its length has to be expected.
TEST(StateCodec, AllocatesNoMoreThanWasExpected) {
  StateWriter writer;
  writer.numbers(std::vector<double>(100'000), 100'000);
  const std::string bytes = writer.take();
  EXPECT_LT(bytes.size(), 10U);
  StateReader reader(bytes);
  std::vector<double> numbers;
  reader.numbers(numbers, 99'999);
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(numbers.capacity(), 0U);
}

}  // namespace
}  // namespace laggard
