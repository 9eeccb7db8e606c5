#include "lab/scale/request_account.h"

#include <gtest/gtest.h>

namespace laggard::lab::scale {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

SentRequests sent(SimTime at, SimTime first, SimTime last, std::uint32_t requests, bool write = false) {
  return {.at = at,
          .served = {.first = first, .last = last},
          .requests = requests,
          .write = write,
          .sectors_each = 512};
}

TEST(RequestAccount, CountsWhatEndsWhenItEnds) {
  RequestAccount account;
  EXPECT_TRUE(account.close(seconds(10)).is_idle());
  account.add(sent(seconds(11), seconds(12), seconds(14), 3));
  account.add(sent(seconds(19), seconds(21), seconds(21), 1, true));
  const Work first = account.close(seconds(20));
  EXPECT_EQ(first.reads, 3U);
  EXPECT_EQ(first.writes, 0U);
  EXPECT_DOUBLE_EQ(first.read_sectors, 3 * 512);
  EXPECT_DOUBLE_EQ(first.read_ms, 1000 + 2000 + 3000);
  EXPECT_DOUBLE_EQ(first.busy_ms, 3000 + 1000);
  EXPECT_DOUBLE_EQ(first.weighted_ms, 6000 + 1000);
  EXPECT_EQ(first.in_flight, 1U);
  const Work second = account.close(seconds(30));
  EXPECT_EQ(second.writes, 1U);
  EXPECT_DOUBLE_EQ(second.write_ms, 2000);
  EXPECT_DOUBLE_EQ(second.busy_ms, 1000);
  EXPECT_DOUBLE_EQ(second.weighted_ms, 1000);
  EXPECT_EQ(second.in_flight, 0U);
  EXPECT_TRUE(account.close(seconds(40)).is_idle());
}

TEST(RequestAccount, PartOfABlockEndsBeforeTheIntervalDoes) {
  RequestAccount account;
  account.add(sent(seconds(8), seconds(9), seconds(12), 4));  // At 9, 10, 11 and 12 s.
  const Work first = account.close(seconds(10));
  EXPECT_EQ(first.reads, 2U);
  EXPECT_EQ(first.in_flight, 2U);
  EXPECT_DOUBLE_EQ(first.read_ms, 1000 + 2000);
  const Work second = account.close(seconds(20));
  EXPECT_EQ(second.reads, 2U);
  EXPECT_DOUBLE_EQ(second.read_ms, 3000 + 4000);
  EXPECT_DOUBLE_EQ(first.weighted_ms + second.weighted_ms, first.read_ms + second.read_ms);
}

TEST(RequestAccount, OverlappingRequestsAreBusyOnce) {
  RequestAccount account;
  account.add(sent(seconds(1), seconds(5), seconds(5), 1));
  account.add(sent(seconds(2), seconds(3), seconds(3), 1));
  account.add(sent(seconds(7), seconds(8), seconds(8), 1));
  EXPECT_DOUBLE_EQ(account.close(seconds(10)).busy_ms, 4000 + 1000);
}

TEST(RequestAccount, ADeviceThatIsGoneForgetsWhatWasInFlight) {
  RequestAccount account;
  account.add(sent(seconds(8), seconds(15), seconds(15), 1));
  EXPECT_EQ(account.close(seconds(10)).in_flight, 1U);
  account.forget();
  EXPECT_TRUE(account.close(seconds(20)).is_idle());
  account.add(sent(seconds(21), seconds(22), seconds(22), 1));
  const Work work = account.close(seconds(30));
  EXPECT_EQ(work.reads, 1U);
  EXPECT_DOUBLE_EQ(work.busy_ms, 1000);
}

}  // namespace
}  // namespace laggard::lab::scale
