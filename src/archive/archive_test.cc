#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/archive.h"

namespace laggard::archive {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the archive's own test support.
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Archive, WhatIsWrittenComesBack) {
  const TempDir dir;
  ManualClock clock;
  const SampleTable table = disk_table("fs1", "2011-05-09T06:00:00Z"_utc, 3000, 3);
  auto writer = open_writer(dir.path(), clock);
  ASSERT_OK(writer->append(table));
  ASSERT_OK(writer->close());
  EXPECT_THAT(file_names(dir.path()), ElementsAre("fs1-20110509T060000Z.lgd"));
  EXPECT_TRUE(same_cells(read_cells(dir.path()), cells_of({table})));
  EXPECT_EQ(writer->stats().cells_added, table.present_cells());
}

TEST(Archive, OneRowAtATimeIsTheSame) {
  const TempDir dir;
  ManualClock clock;
  const WallTime start = "2011-05-09T06:00:00Z"_utc;
  const SampleTable table = disk_table("fs1", start, 2500);
  auto writer = open_writer(dir.path(), clock);
  for (int t = 0; t < 2500; ++t) {
    ASSERT_OK(writer->append(disk_table("fs1", start + std::chrono::seconds{t}, 1)));
    clock.advance(std::chrono::seconds{1});
  }
  EXPECT_EQ(read_cells(dir.path()).size(), 2497U * 6)
      << "a reader beside the writer sees what was flushed: every eleventh append was one";
  ASSERT_OK(writer->close());
  auto reader = open_reader(dir.path());
  const std::vector<SampleTable> tables = read_all(*reader);
  EXPECT_TRUE(same_cells(cells_of(tables), cells_of({table})));
  EXPECT_EQ(tables.size(), 3U) << "small blocks were merged";
  EXPECT_THAT(reader->notices(), IsEmpty());
}

}  // namespace
}  // namespace laggard::archive
