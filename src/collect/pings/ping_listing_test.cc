#include "collect/pings/ping_listing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace laggard::collect {
namespace {

using namespace std::chrono_literals;

Result<PingListing> list(const std::string& mount) {
  if (mount == "/hangs") std::this_thread::sleep_for(1h);
  if (mount == "/none") return fail(ErrorCode::kUnavailable, mount, "is no volume");
  return PingListing{.targets = {{.name = "fs1/b\n1", .place = "fs1:/b\n1", .known = "4,7"},
                                 {.name = "fs2/b", .place = "fs2:/b"}},
                     .notes = {"one is left out"}};
}
constexpr PingBackend kBackend{.name = "some", .list = &list};

TEST(PingListing, FindsWhatThereIs) {
  const auto listing = list_ping_targets(kBackend, "/mnt/v", 10s);
  ASSERT_TRUE(listing) << listing.error().message();
  const auto& targets = listing->targets;
  ASSERT_EQ(targets.size(), 2U);
  EXPECT_EQ(targets[0].name, "fs1/b\n1") << "names may hold anything";
  EXPECT_EQ(targets[1].place, "fs2:/b");
  EXPECT_EQ(targets[1].mount, "/mnt/v");
  EXPECT_EQ(targets[0].known, "4,7");
  EXPECT_EQ(targets[1].known, "");
  EXPECT_THAT(listing->notes, testing::ElementsAre("one is left out"));
}

TEST(PingListing, MistakesAreThoseOfTheBackend) {
  const auto listing = list_ping_targets(kBackend, "/none", 10s);
  ASSERT_FALSE(listing);
  EXPECT_EQ(listing.error().message(), "/none: is no volume");
}

TEST(PingListing, AMountThatHangsHoldsNobodyUp) {
  const auto begin = std::chrono::steady_clock::now();
  const auto listing = list_ping_targets(kBackend, "/hangs", 200ms);
  ASSERT_FALSE(listing);
  EXPECT_THAT(listing.error().message(), testing::HasSubstr("does not answer"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
}

}  // namespace
}  // namespace laggard::collect
