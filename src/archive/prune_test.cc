#include "archive/prune.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/archive.h"

namespace laggard::archive {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the archive's own test support.
using std::chrono::hours;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Five days of two hosts; the writer of fs1 is still at work.
class Prune : public ::testing::Test {
 protected:
  void SetUp() override {
    auto done = open_writer(dir_.path(), clock_);
    ASSERT_OK(done->append(disk_table("fs2", "2011-05-01T06:00:00Z"_utc, 10, 2, hours{12})));
    ASSERT_OK(done->close());
    writer_ = open_writer(dir_.path(), clock_);
    ASSERT_OK(writer_->append(disk_table("fs1", "2011-05-01T06:00:00Z"_utc, 10, 2, hours{12})));
    ASSERT_OK(writer_->flush());
  }

  TempDir dir_;
  ManualClock clock_;
  std::unique_ptr<Writer> writer_;
};

TEST_F(Prune, ByAgeOfTheDaysEnd) {
  auto pruned =
      prune(dir_.path(), {.host = {}, .keep_age = hours{48}, .max_bytes = {}}, "2011-05-05T00:00:05Z"_utc);
  ASSERT_OK(pruned);
  std::vector<std::string> names;
  for (const auto& path : pruned->files) names.push_back(path.filename().string());
  EXPECT_THAT(names, ElementsAre("fs1-20110501T060000Z.lgd", "fs2-20110501T060000Z.lgd"))
      << "the second day ended exactly 48 hours ago and stays";
}

TEST_F(Prune, BySizeOldestFirst) {
  auto all = prune(dir_.path(), {}, "2011-05-06T00:00:00Z"_utc);
  ASSERT_OK(all);
  EXPECT_THAT(all->files, IsEmpty());
  const std::uint64_t limit = all->bytes_left - 1;
  auto pruned =
      prune(dir_.path(), {.host = {}, .keep_age = {}, .max_bytes = limit}, "2011-05-06T00:00:00Z"_utc);
  ASSERT_OK(pruned);
  ASSERT_EQ(pruned->files.size(), 1U);
  EXPECT_EQ(pruned->files[0].filename(), "fs1-20110501T060000Z.lgd");
  EXPECT_EQ(pruned->bytes_left, all->bytes_left - pruned->bytes_freed);
}

TEST_F(Prune, NeverTheFileThatIsBeingWritten) {
  auto pruned =
      prune(dir_.path(), {.host = {}, .keep_age = hours{1}, .max_bytes = 1}, "2031-05-06T00:00:00Z"_utc);
  ASSERT_OK(pruned);
  EXPECT_EQ(pruned->files.size(), 9U);
  ASSERT_OK(writer_->append(disk_table("fs1", "2011-05-05T20:00:00Z"_utc, 10)));
  ASSERT_OK(writer_->close());
  EXPECT_THAT(file_names(dir_.path()), ElementsAre("fs1-20110505T060000Z.lgd"));
}

TEST_F(Prune, OnlyTheHostThatIsNamed) {
  auto pruned =
      prune(dir_.path(), {.host = "fs1", .keep_age = {}, .max_bytes = 1}, "2011-05-06T00:00:00Z"_utc);
  ASSERT_OK(pruned);
  EXPECT_EQ(pruned->files.size(), 4U);
  EXPECT_EQ(file_names(dir_.path()).size(), 5U + 1U + 3U)
      << "fs2, and the last of fs1 with journals and lock";
}

TEST_F(Prune, NorTheOneThatAClockSetBackContinues) {
  ASSERT_OK(writer_->append(disk_table("fs1", "2011-05-02T20:00:00Z"_utc, 10)));
  ASSERT_OK(writer_->flush());
  auto pruned =
      prune(dir_.path(), {.host = "fs1", .keep_age = hours{1}, .max_bytes = {}}, "2031-05-06T00:00:00Z"_utc);
  ASSERT_OK(pruned);
  ASSERT_OK(writer_->append(disk_table("fs1", "2011-05-02T20:00:10Z"_utc, 10)));
  ASSERT_OK(writer_->close());
  auto reader = open_reader(dir_.path());
  std::size_t kept = 0;
  ReadRequest request;
  request.hosts = {"fs1"};
  for (const SampleTable& table : read_all(*reader, request)) kept += table.times().size();
  EXPECT_EQ(kept, 2U + 20U + 2U) << "the second of May with what was added to it, and the last";
}

TEST_F(Prune, ASizeBelowADayKeepsADayThoughNobodyWrites) {
  ASSERT_OK(writer_->close());
  auto pruned = prune(dir_.path(), {.host = {}, .keep_age = {}, .max_bytes = 1}, "2011-05-06T00:00:00Z"_utc);
  ASSERT_OK(pruned);
  EXPECT_THAT(file_names(dir_.path()), ElementsAre("fs1-20110505T060000Z.lgd", "fs2-20110505T060000Z.lgd"));
}

TEST(PruneEmpty, AFolderThatIsNoRecordingIsSaid) {
  const TempDir dir;
  const auto pruned = prune(dir.path(), {}, "2011-05-06T00:00:00Z"_utc);
  ASSERT_FALSE(pruned);
  EXPECT_EQ(pruned.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace laggard::archive
