#include "cmd/watermark.h"

#include <gtest/gtest.h>

#include "testing/inventory.h"

namespace laggard::cmd {
namespace {

using namespace std::chrono_literals;
using laggard::testing_support::device_info;
using laggard::testing_support::inventory_of;

WallTime at(Duration since) { return WallTime(1'700'000'000s) + since; }

DeviceInfo disk_of(const std::string& host, WallTime last) { return device_info(host, "sda", at(0s), last); }

class WatermarkTest : public testing::Test {
 protected:
  std::optional<WallTime> advance(const Inventory& inventory) {
    return watermark_.advance(inventory, streams_, derivations_, at(0s));
  }

  std::vector<ObservationStream> streams_;
  std::vector<derive::Derivation> derivations_;
  std::vector<std::string> notes_;
  Watermark watermark_{30s, [this](const std::string& note) { notes_.push_back(note); }};
};

TEST_F(WatermarkTest, TheSlowestIsWaitedForUntilItIsSilent) {
  EXPECT_EQ(advance({}), std::nullopt);
  EXPECT_EQ(advance(inventory_of({disk_of("a", at(100s)), disk_of("b", at(70s))})), at(70s));
  EXPECT_TRUE(notes_.empty());
  EXPECT_EQ(advance(inventory_of({disk_of("a", at(101s)), disk_of("b", at(70s))})), at(101s));
  EXPECT_EQ(advance(inventory_of({disk_of("a", at(150s)), disk_of("b", at(70s))})), at(150s));
  ASSERT_EQ(notes_.size(), 1U) << "silence is told of once";
  EXPECT_EQ(notes_[0],
            "b has recorded nothing since " + to_iso8601(at(70s)) + "; the others are judged without it");
  EXPECT_EQ(advance(inventory_of({disk_of("a", at(151s)), disk_of("b", at(140s))})), at(140s));
  ASSERT_EQ(notes_.size(), 2U);
  EXPECT_TRUE(notes_[1].starts_with("b records again; ")) << notes_[1];
}

TEST_F(WatermarkTest, EventsHoldOnlyWhatIsDerivedFromThem) {
  streams_ = {{.host = "client", .kind = "ping", .first = at(0s), .last = at(80s)}};
  EXPECT_EQ(advance({}), at(80s)) << "where there is nothing else, up to the newest";
  const Inventory samples = inventory_of({disk_of("a", at(100s))});
  EXPECT_EQ(advance(samples), at(100s)) << "nobody knows whether there are to be more";
  derivations_ = {{.events = "ping", .counters = {}}};
  const std::optional<WallTime> until = advance(samples);
  ASSERT_TRUE(until.has_value());
  EXPECT_LT(*until, at(80s)) << "the second of the last event is not over";
  EXPECT_GE(*until, at(78s));
}

}  // namespace
}  // namespace laggard::cmd
