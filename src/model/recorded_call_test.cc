#include "detect/syscalls/call_kinds.h"

#include <gtest/gtest.h>

namespace laggard::detect {
namespace {

TEST(CallKinds, TellWhatACallDoes) {
  EXPECT_EQ(call_kind("preadv2"), CallKind::kRead);
  EXPECT_EQ(call_kind("recvfrom"), CallKind::kRead);
  EXPECT_EQ(call_kind("sendto"), CallKind::kWrite);
  EXPECT_EQ(call_kind("openat"), CallKind::kFile);
  EXPECT_EQ(call_kind("close"), CallKind::kClose);
  EXPECT_EQ(call_kind("flock"), CallKind::kOther);
  EXPECT_EQ(call_kind("rea"), CallKind::kOther);
  EXPECT_EQ(call_kind(""), CallKind::kOther);
}

TEST(CallKinds, FilesArePathsThatAreStored) {
  EXPECT_TRUE(is_stored_file("/mnt/a: b"));
  EXPECT_TRUE(is_stored_file("relative/path"));
  for (const char* other :
       {"", "/dev/fuse", "/proc/self/maps", "/sys/block", "pipe:[7]", "anon_inode:[eventfd]",
        "TCP:[10.0.0.1:1->10.0.0.2:2]", "UNIX:[77,\"/run/x\"]", "socket:[77]"}) {
    EXPECT_FALSE(is_stored_file(other)) << other;
  }
}

TEST(CallKinds, PeersOfConnectionsAreAddresses) {
  EXPECT_EQ(peer_address("TCP:[10.0.0.1:49152->10.0.0.9:1021]"), "10.0.0.9");
  EXPECT_EQ(peer_address("TCPv6:[[fd00::1]:49152->[fd00:0::9]:1021]"), "fd00::9");
  EXPECT_EQ(peer_address("TCPv6:[[::ffff:10.0.0.1]:1->[::ffff:10.0.0.9]:2]"), "10.0.0.9");
  for (const char* other : {"", "TCP:[77]", "TCP:[10.0.0.1:49152]", "UDP:[10.0.0.1:1->10.0.0.9:2]",
                            "TCP:[->]", "TCP->:[]", "TCP:[10.0.0.1:1->10.0.0.9:2", "/a->b]"}) {
    EXPECT_EQ(peer_address(other), std::nullopt) << other;
  }
}

TEST(CallKinds, AnswersAreNoFailures) {
  EXPECT_TRUE(is_answer("ENOENT"));
  EXPECT_FALSE(is_answer("ENOSPC"));
  EXPECT_FALSE(is_answer("EROFS"));
  EXPECT_FALSE(is_answer("EMFILE"));
  EXPECT_TRUE(is_of_connection("ENOTCONN"));
  EXPECT_FALSE(is_of_connection("EIO"));
}

}  // namespace
}  // namespace laggard::detect
