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

TEST(DeviceKinds, ARowForEach) {
  ASSERT_EQ(device_kinds().size(), kDeviceKinds);
  for (std::size_t k = 0; k < kDeviceKinds; ++k) {
    EXPECT_EQ(device_kinds()[k].kind, static_cast<DeviceKind>(k))
        << "rows are in the order of the enumeration";
    EXPECT_EQ(device_kind(to_name(static_cast<DeviceKind>(k))), static_cast<DeviceKind>(k));
  }
  EXPECT_EQ(device_kind("tape"), std::nullopt);
}

TEST(Counters, RowsAreComplete) {
  for (const CounterSpec& spec : known_counters()) {
    EXPECT_FALSE(spec.name.empty() || spec.unit.empty()) << spec.name;
  }
}

TEST(Counters, NamesAreFoundByKind) {
  ASSERT_NE(find_counter(DeviceKind::kDisk, "rd_sectors"), nullptr);
  EXPECT_EQ(find_counter(DeviceKind::kNet, "rd_sectors"), nullptr);
  for (const CounterSpec& spec : known_counters()) EXPECT_EQ(find_counter(spec.kind, spec.name), &spec);
}

}  // namespace
}  // namespace laggard
