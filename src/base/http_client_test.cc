#include "base/http_client.h"

#include <gtest/gtest.h>

namespace laggard {
namespace {

TEST(ServerUrl, Parts) {
  const auto url = parse_server_url("https://me:s:e@prom.example:9090/prom/");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->origin, "https://prom.example:9090");
  EXPECT_EQ(url->prefix, "/prom");
  EXPECT_EQ(url->user, "me");
  EXPECT_EQ(url->password, "s:e");
  EXPECT_EQ(url->shown(), "https://prom.example:9090/prom");
  EXPECT_FALSE(parse_server_url("prom:9090"));
  EXPECT_FALSE(parse_server_url("http://"));
  EXPECT_FALSE(parse_server_url("http://x/?query=1"));
}

}  // namespace
}  // namespace laggard
