#include "collect/import/folded/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "collect/import/folded/folded_line.h"
#include "testing/import_fixture.h"
#include "testing/profile_lines.h"

namespace laggard::collect {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class FoldedImportTest : public FolderTest {
 protected:
  ImportResult import(const std::string& text) {
    const std::vector files{write("out.folded", text)};
    auto result = import_folded(files, options_, sink_, observer_);
    EXPECT_TRUE(result) << result.error().message();
    return result ? *result : ImportResult{};
  }

  FoldedImportOptions options_{.host = "s1", .start = from_unix_ns(1'700'000'001'000'000'000)};
  testing_support::ProfileLines sink_;
  QuietObserver observer_;
};

TEST_F(FoldedImportTest, OnePeriodOfStacksAndOfTheirInnermostFunctions) {
  options_.each = std::chrono::milliseconds(10);
  const ImportResult result = import(
      "# made by hand\n"
      "dd;main;write;vfs_write_[k] 3\n"
      "dd;main;write;vfs_write_[k] 4\n"
      "dd;main loop;read 2\n"
      "dd 1\n"
      "swapper;do_idle;default_idle_[k] 1000\n");
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(
      sink_.lines,
      ElementsAre("s1 samples 2023-11-14T22:13:21Z+10s 10000000: dd;;=1 dd;;read=2 dd;[kernel];vfs_write=7",
                  "s1 stacks 2023-11-14T22:13:21Z+10s 10000000: dd;main loop;read=2 "
                  "dd;main;write;vfs_write=7"));
  EXPECT_THAT(observer_.notices, ElementsAre("1,000 samples were left out: the processor was idle"));
}

TEST_F(FoldedImportTest, OtherLinesAreCountedAndNothingElseIsRefused) {
  const ImportResult result =
      import("a;b 1\na;b\na;b 0\na;b -1\na;b 1.5\n;b 1\na;b 18446744073709551616\n \n");
  EXPECT_EQ(result.values, 1U);
  EXPECT_EQ(result.passed_over, 6U);
  ASSERT_THAT(observer_.notices, SizeIs(1));
  EXPECT_THAT(observer_.notices[0],
              HasSubstr("6 lines are no folded stacks with counts and were passed over, the first at "));
  EXPECT_THAT(observer_.notices[0], EndsWith("out.folded:2"));
  const ImportResult none = import("nothing here\n");
  ASSERT_THAT(none.errors, SizeIs(1));
  EXPECT_THAT(none.errors[0].message(), HasSubstr("out.folded: has no folded stack"));
}

TEST(FoldedLine, HugeCountsAndControlCharactersAreNone) {
  EXPECT_TRUE(parse_folded_line("a;b 9007199254740991"));
  EXPECT_FALSE(parse_folded_line("a;b 9007199254740992"));
  EXPECT_FALSE(parse_folded_line("a;b\x01 42"));
  EXPECT_FALSE(parse_folded_line("42"));
  EXPECT_FALSE(parse_folded_line(""));
}

}  // namespace
}  // namespace laggard::collect
