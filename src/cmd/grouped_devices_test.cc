#include "cmd/grouped_devices.h"

#include <gtest/gtest.h>

#include "testing/inventory.h"

namespace laggard::cmd {
namespace {

using namespace std::chrono_literals;
using laggard::testing_support::inventory_of;

DeviceInfo disk(const std::string& host, const std::string& name, Duration recorded, std::uint64_t active) {
  const WallTime first(1'700'000'000s);
  DeviceInfo device = laggard::testing_support::device_info(host, name, first, first + recorded);
  device.samples = 100;
  device.active_samples = active;
  return device;
}

TEST(GroupedDevices, WhatComesIsNewsAndConnectionsNeverAre) {
  GroupedDevices grouped;
  Inventory inventory = inventory_of({disk("a", "sda", 100s, 100)});
  EXPECT_TRUE(grouped.has_news(inventory));
  grouped.set(inventory);
  EXPECT_FALSE(grouped.has_news(inventory));
  inventory.devices.push_back(disk("a", "10.0.0.1", 100s, 100));
  inventory.devices.back().kind = DeviceKind::kTcp;
  EXPECT_FALSE(grouped.has_news(inventory));
  inventory.devices.push_back(disk("b", "sda", 100s, 100));
  EXPECT_TRUE(grouped.has_news(inventory));
}

TEST(GroupedDevices, AnIdleDiskUnderLoadIsNewsWhereItMakesAServerOrMuchHasPassed) {
  GroupedDevices grouped;
  grouped.set(
      inventory_of({disk("a", "sda", 100s, 100), disk("a", "sdb", 100s, 0), disk("b", "sda", 100s, 0)}));
  EXPECT_FALSE(grouped.has_news(inventory_of({disk("a", "sda", 150s, 100), disk("a", "sdb", 150s, 100)})));
  EXPECT_TRUE(grouped.has_news(inventory_of({disk("a", "sda", 200s, 100), disk("a", "sdb", 200s, 100)})));
  EXPECT_TRUE(grouped.has_news(inventory_of({disk("b", "sda", 150s, 100)}))) << "b serves by this disk alone";
}

TEST(GroupedDevices, EventsOfADeviceAreNewsOnce) {
  GroupedDevices grouped;
  grouped.set(inventory_of({disk("a", "sda", 100s, 100)}));
  const SeriesKey known{.host = "a", .kind = DeviceKind::kDisk, .device = "sda"};
  const SeriesKey other{.host = "a", .kind = DeviceKind::kDisk, .device = "sdb"};
  EXPECT_FALSE(grouped.are_news({known}));
  EXPECT_TRUE(grouped.are_news({known, other}));
  EXPECT_FALSE(grouped.are_news({other})) << "it may be that it is never compared";
}

}  // namespace
}  // namespace laggard::cmd
