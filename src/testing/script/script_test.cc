#include "testing/script/script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace laggard::script {

namespace {

TEST(DiagnosisScript, IsReadOrRefusedWithItsLine) {
  const auto script = parse(R"(
# a comment
topology 4 servers 12 disks 2 clients
load 20 writes/s 5 reads/s 8 sectors 3.5 ms 0.1 noise
record for 600 every 2 seed 9
preset quick
train
fault slow on s2/d3 from 100 to 200 by 2.5   # twelve disks, one slow
expect finding s2/d3 disk-busy
)");
  ASSERT_TRUE(script.has_value()) << script.error().message();
  EXPECT_EQ(script->system.disks, 12U);
  EXPECT_EQ(script->system.await_ms, 3.5);
  EXPECT_EQ(script->system.interval, 2);
  EXPECT_TRUE(script->trained);
  ASSERT_EQ(script->system.faults.size(), 1U);
  EXPECT_EQ(script->system.faults[0].device, "d3");
  EXPECT_EQ(script->system.faults[0].by, 2.5);
  EXPECT_EQ(script->expected[0].cause, "disk-busy");
  for (const char* wrong :
       {"\nload many writes/s", "\nfault slow s3", "\nexpect", "\npreset huge", "\nhello"}) {
    const auto refused = parse(wrong);
    ASSERT_FALSE(refused.has_value()) << wrong;
    EXPECT_THAT(refused.error().message(), testing::StartsWith("script:2: '"));
  }
}

TEST(DiagnosisScript, ComplainsAboutWhatIsMissingAndWhatIsTooMuch) {
  EXPECT_THAT(complaint("expect finding s1 disk-busy"), testing::HasSubstr("missed: [s1 disk-busy]"));
  EXPECT_THAT(complaint("fault slow on s2 from 60 by 8\nexpect nothing"),
              testing::HasSubstr("not expected: [s2 disk-busy]"));
}

}  // namespace

}  // namespace laggard::script
