#include "send/backoff.h"

#include <gtest/gtest.h>

namespace laggard::send {
namespace {

using namespace std::chrono_literals;

TEST(Backoff, DoublesUpToItsLimitWithARandomPart) {
  std::mt19937_64 random(7);
  Backoff backoff(random);
  Duration whole = Backoff::kFirst;
  bool different = false;
  for (int i = 0; i < 20; ++i) {
    const Duration wait = backoff.next();
    EXPECT_GE(wait, whole / 2);
    EXPECT_LE(wait, whole);
    different = different || (wait != whole && wait != whole / 2);
    whole = std::min(whole * 2, Backoff::kLongest);
  }
  EXPECT_EQ(whole, Backoff::kLongest);
  EXPECT_TRUE(different);
  backoff.reset();
  EXPECT_LE(backoff.next(), Backoff::kFirst);
}

TEST(RetryAfter, SecondsAndDates) {
  const WallTime now = *parse_time("2026-11-20T19:21:34Z");
  EXPECT_EQ(parse_retry_after("120", now), Duration(120s));
  EXPECT_EQ(parse_retry_after(" 0 ", now), Duration(0s));
  EXPECT_EQ(parse_retry_after("99999999999999999", now), Duration(1h));
  EXPECT_EQ(parse_retry_after("Fri, 20 Nov 2026 19:22:34 GMT", now), Duration(60s));
  EXPECT_EQ(parse_retry_after("Fri, 20 Nov 2026 19:20:34 GMT", now), Duration(0s));
  EXPECT_EQ(parse_retry_after("Fri, 20 Nov 1900 19:21:34 GMT", now), Duration(0s));
  EXPECT_EQ(parse_retry_after("Fri, 20 Nov 2100 19:21:34 GMT", now), Duration(1h));
  for (const char* text : {"", "soon", "-1", "1.5", "Fri, 20 Nov 1713 19:21:34 GMT",
                           "Fri, 20 Nov 2026 19:22:34", "Fri, 20 Nov 2026 GMT"}) {
    EXPECT_FALSE(parse_retry_after(text, now)) << text;
  }
}

}  // namespace
}  // namespace laggard::send
