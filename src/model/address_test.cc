#include "model/address.h"

#include <gtest/gtest.h>

namespace laggard {
namespace {

TEST(Address, ReadsBothEndsOfASocket) {
  const auto v4 = parse_socket("10.0.0.1:24007>10.0.0.101:49151");
  ASSERT_TRUE(v4);
  EXPECT_EQ(v4->local, "10.0.0.1");
  EXPECT_EQ(v4->peer, "10.0.0.101");
  const auto v6 = parse_socket("[fd00:0:0::1]:7>[::ffff:10.0.0.2]:80");
  ASSERT_TRUE(v6);
  EXPECT_EQ(v6->local, "fd00::1");
  EXPECT_EQ(v6->peer, "10.0.0.2");
}

TEST(Address, RefusesWhatHasNoTwoEnds) {
  for (const char* bad : {"", ">", "10.0.0.1:1", "10.0.0.1>10.0.0.2", "fd00::1:7>10.0.0.1:2", ":1>:2"}) {
    EXPECT_FALSE(parse_socket(bad)) << bad;
  }
}

TEST(Address, HasOneSpelling) {
  EXPECT_EQ(canonical_address("[FD00::0001]"), "fd00::1");
  EXPECT_EQ(canonical_address("10.1.2.3/24"), "10.1.2.3");
  EXPECT_EQ(canonical_address("fe80::1%eth0"), "fe80::1");
  EXPECT_EQ(canonical_address("fs1"), "fs1");
  EXPECT_EQ(canonical_address(""), "");
}

TEST(Address, OneHostMayBeCalledWithItsDomainAndWithout) {
  EXPECT_EQ(without_domain("fs1.example.org"), "fs1");
  EXPECT_EQ(without_domain("fs1"), "fs1");
  EXPECT_EQ(without_domain("10.0.0.1"), "10.0.0.1");
  EXPECT_TRUE(may_be_same_host("fs1", "fs1.example.org"));
  EXPECT_TRUE(may_be_same_host("fs1.example.org", "fs1"));
  EXPECT_TRUE(may_be_same_host("fs1.example.org", "fs1.example.org"));
  EXPECT_FALSE(may_be_same_host("fs1.a", "fs1.b")) << "two sites";
  EXPECT_FALSE(may_be_same_host("fs1", "fs10.example.org"));
  EXPECT_FALSE(may_be_same_host("10", "10.0.0.1")) << "an address has no domain";
}

TEST(Address, KnowsWhatMeansAnotherMachineEverywhere) {
  for (const char* local : {"127.0.0.1", "127.1.2.3", "::1", "::", "0.0.0.0", "fe80::1", "169.254.0.1"}) {
    EXPECT_TRUE(is_host_local(local)) << local;
  }
  for (const char* global : {"10.0.0.1", "fd00::1", "fs1"}) EXPECT_FALSE(is_host_local(global)) << global;
}

}  // namespace
}  // namespace laggard
