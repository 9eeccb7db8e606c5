#include "collect/tcp/endpoint.h"

#include <gtest/gtest.h>

namespace laggard::collect {
namespace {

IpAddress address(const char* text) { return IpPrefix::parse(text)->address; }

TEST(Endpoint, Text) {
  EXPECT_EQ((Endpoint{address("10.0.0.1"), 2049}.text()), "10.0.0.1:2049");
  EXPECT_EQ((Endpoint{address("fe80::1"), 2049}.text()), "[fe80::1]:2049");
  EXPECT_EQ(address("::ffff:10.0.0.1"), address("10.0.0.1")) << "mapped is the same as plain";
}

TEST(Endpoint, Loopback) {
  EXPECT_TRUE(address("127.3.2.1").is_loopback());
  EXPECT_TRUE(address("::1").is_loopback());
  EXPECT_TRUE(address("::ffff:127.0.0.1").is_loopback());
  EXPECT_FALSE(address("10.0.0.1").is_loopback());
  EXPECT_FALSE(address("fe80::1").is_loopback());
  EXPECT_FALSE(address("::").is_loopback());
}

TEST(IpPrefix, Contains) {
  const auto in = [](const char* prefix, const char* other) {
    return IpPrefix::parse(prefix)->contains(address(other));
  };
  EXPECT_TRUE(in("10.1.0.0/16", "10.1.255.255"));
  EXPECT_FALSE(in("10.1.0.0/16", "10.2.0.0"));
  EXPECT_TRUE(in("10.1.2.0/23", "10.1.3.4"));
  EXPECT_FALSE(in("10.1.2.0/23", "10.1.4.4"));
  EXPECT_TRUE(in("10.1.2.3", "10.1.2.3"));
  EXPECT_FALSE(in("10.1.2.3", "10.1.2.4"));
  EXPECT_TRUE(in("0.0.0.0/0", "1.2.3.4"));
  EXPECT_FALSE(in("0.0.0.0/0", "fd00::1"));
  EXPECT_TRUE(in("fd00::/8", "fdff::1"));
  EXPECT_TRUE(in("::/0", "fd00::1"));
  EXPECT_FALSE(in("::/0", "1.2.3.4"));
}

TEST(IpPrefix, MistakesAreNamed) {
  for (const char* wrong :
       {"", "fs1", "10.0.0", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "fd00::/129", "1.2.3.4/x"}) {
    const auto parsed = IpPrefix::parse(wrong);
    ASSERT_FALSE(parsed) << wrong;
    EXPECT_EQ(parsed.error().code, ErrorCode::kBadUse);
  }
}

}  // namespace
}  // namespace laggard::collect
