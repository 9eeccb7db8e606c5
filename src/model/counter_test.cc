#include "model/counter.h"

#include <gtest/gtest.h>

namespace laggard {
namespace {

TEST(CounterIncrease, GrowsResetsAndWraps) {
  EXPECT_EQ(counter_increase(5, 5), 0U);
  EXPECT_EQ(counter_increase(5, 9), 4U);
  EXPECT_EQ(counter_increase(1000, 9), std::nullopt) << "a reset is missing, not negative";
  EXPECT_EQ(counter_increase(4294967290, 10), 16U) << "a 32-bit wrap";
  EXPECT_EQ(counter_increase(4294967290, 3000000000), std::nullopt) << "too far over the wrap to be one";
  EXPECT_EQ(counter_increase(std::uint64_t{1} << 40, 10), std::nullopt)
      << "a 64-bit counter does not wrap at 2^32";
}

TEST(Counters, NamesAreFoundByKind) {
  ASSERT_NE(find_counter(DeviceKind::kDisk, "rd_sectors"), nullptr);
  EXPECT_EQ(find_counter(DeviceKind::kNet, "rd_sectors"), nullptr);
  for (const CounterSpec& spec : known_counters()) EXPECT_EQ(find_counter(spec.kind, spec.name), &spec);
}

}  // namespace
}  // namespace laggard
