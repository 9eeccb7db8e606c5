#include "model/recorded_call.h"

#include <gtest/gtest.h>

namespace laggard {
namespace {

TEST(RecordedCalls, NamesTellWhatACallDoes) {
  EXPECT_EQ(call_kind("preadv2"), CallKind::kRead);
  EXPECT_EQ(call_kind("recvfrom"), CallKind::kReceive);
  EXPECT_EQ(call_kind("writev"), CallKind::kWrite);
  EXPECT_EQ(call_kind("sendto"), CallKind::kSend);
  EXPECT_EQ(call_kind("openat"), CallKind::kOpen);
  EXPECT_EQ(call_kind("mkdirat"), CallKind::kFile);
  EXPECT_EQ(call_kind("close"), CallKind::kClose);
  EXPECT_EQ(call_kind("flock"), CallKind::kOther);
  EXPECT_EQ(call_kind("rea"), CallKind::kOther);
  EXPECT_EQ(call_kind(""), CallKind::kOther);
}

TEST(RecordedCalls, FilesArePathsThatAreStored) {
  EXPECT_TRUE(is_stored_file("/mnt/a: b"));
  EXPECT_TRUE(is_stored_file("relative/path"));
  for (const char* other :
       {"", "/dev/fuse", "/proc/self/maps", "/sys/block", "pipe:[7]", "anon_inode:[eventfd]",
        "TCP:[10.0.0.1:1->10.0.0.2:2]", "UNIX:[77,\"/run/x\"]", "socket:[77]"}) {
    EXPECT_FALSE(is_stored_file(other)) << other;
  }
}

TEST(RecordedCalls, ConnectionsHaveTwoEnds) {
  const auto four = tcp_object("TCP:[10.0.0.1:49152->10.0.0.9:1021]");
  ASSERT_TRUE(four);
  EXPECT_EQ(four->local, "10.0.0.1:49152");
  EXPECT_EQ(four->peer, "10.0.0.9:1021");
  EXPECT_EQ(four->addresses.local, "10.0.0.1");
  EXPECT_EQ(four->addresses.peer, "10.0.0.9");
  EXPECT_EQ(tcp_object("TCPv6:[[fd00::1]:49152->[fd00:0::9]:1021]").value().addresses.peer, "fd00::9");
  EXPECT_EQ(tcp_object("TCPv6:[[::ffff:10.0.0.1]:1->[::ffff:10.0.0.9]:2]").value().addresses.peer,
            "10.0.0.9");
  for (const char* other : {"", "TCP:[77]", "TCP:[10.0.0.1:49152]", "UDP:[10.0.0.1:1->10.0.0.9:2]",
                            "TCP:[->]", "TCP->:[]", "TCP:[10.0.0.1:1->10.0.0.9:2", "/a->b]"}) {
    EXPECT_FALSE(tcp_object(other)) << other;
  }
}

}  // namespace
}  // namespace laggard
