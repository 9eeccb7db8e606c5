#include "archive/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/archive.h"

namespace laggard::archive {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the archive's own test support.
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Reader, AFileThatIsNoRecordingIsNamedAndToldHowItBecomesOne) {
  const TempDir dir;
  const std::filesystem::path file = dir.path() / "host_22";
  const std::pair<std::string, std::string> cases[] = {
      {"time,host,kind\n1795202494,fs1\n",
       "is no recording but a text; 'laggard import csv' makes one of a CSV file"},
      {std::string("\x96\xd5\x75\x21\0", 5),
       "is no recording but a file of sysstat; 'laggard import sysstat' makes one of it"},
      {"\x1f\x8b\x08",
       "is no recording but a packed file; 'laggard import csv' or 'laggard import sysstat' makes one of "
       "what is in it"},
      {std::string(257, 'x') + "ustar",
       "is no recording but a packed file; 'laggard import csv' or 'laggard import sysstat' makes one of "
       "what is in it"},
      {std::string("\0\1\2", 3), "is no recording of laggard"},
      {"", "is no recording, it is empty"}};
  for (const auto& [content, said] : cases) {
    write_bytes(file, content);
    const auto reader = Reader::open(std::span(&file, 1));
    ASSERT_FALSE(reader);
    EXPECT_EQ(reader.error().code, ErrorCode::kBadInput);
    EXPECT_EQ(reader.error().message(), file.string() + ": " + said);
  }
}

TEST(Reader, BesideRecordingsAFileThatIsNoneIsLeftOutWithNotice) {
  const TempDir dir;
  ManualClock clock;
  auto writer = open_writer(dir.path() / "rec", clock);
  const SampleTable table = disk_table("fs1", "2011-05-09T06:00:00Z"_utc, 10);
  ASSERT_OK(writer->append(table));
  ASSERT_OK(writer->close());
  const std::filesystem::path readme = dir.path() / "README.md";
  write_bytes(readme, "# Recordings\n");
  const std::vector<std::filesystem::path> paths{readme, dir.path() / "rec"};
  auto reader = Reader::open(paths);
  ASSERT_TRUE(reader) << reader.error().message();
  EXPECT_TRUE(same_cells(cells_of(read_all(**reader)), cells_of({table})));
  EXPECT_THAT((*reader)->notices(), ElementsAre(HasSubstr("README.md: is no recording but a text")));
}

TEST(Reader, AnArchiveIsKnownByItsNameOrItsBeginning) {
  const TempDir dir;
  ManualClock clock;
  auto writer = open_writer(dir.path(), clock);
  ASSERT_OK(writer->append(disk_table("fs1", "2011-05-09T06:00:00Z"_utc, 10)));
  ASSERT_OK(writer->close());
  const std::filesystem::path file = dir.path() / "metrics" / "fs1-20110509T060000Z.lgd";
  const std::filesystem::path renamed = dir.path() / "renamed";
  std::filesystem::copy_file(file, renamed);
  ASSERT_OK(open_reader(renamed)->inventory());
  write_bytes(file, "no longer an archive\n");
  auto reader = open_reader(file);
  EXPECT_THAT(reader->notices(), ElementsAre(HasSubstr("the file is damaged")));
}

/// Which stretches are out of order when samples are recorded in this order? In seconds after six.
std::vector<std::pair<double, double>> disorder_of(
    const std::vector<std::pair<int, std::size_t>>& stretches) {
  const TempDir dir;
  ManualClock clock;
  auto writer = open_writer(dir.path(), clock);
  const WallTime six = "2011-05-09T06:00:00Z"_utc;
  for (const auto& [start, samples] : stretches) {
    EXPECT_TRUE(writer->append(disk_table("fs1", six + std::chrono::seconds(start), samples)));
  }
  EXPECT_TRUE(writer->append(disk_table("fs2", six, 1000)));
  EXPECT_TRUE(writer->close());
  auto reader = open_reader(dir.path());
  EXPECT_TRUE(reader->inventory());
  std::vector<std::pair<double, double>> spans;
  for (const TimeSpan& span : reader->disorder()) {
    spans.emplace_back(to_seconds(span.from - six), to_seconds(span.to - six));
  }
  return spans;
}

TEST(Reader, KnowsWhereClocksWereSetBack) {
  using Spans = std::vector<std::pair<double, double>>;
  EXPECT_EQ(disorder_of({{0, 100}, {100, 100}}), Spans{});
  EXPECT_EQ(disorder_of({{0, 100}, {60, 100}}), (Spans{{60, 99}}));
  EXPECT_EQ(disorder_of({{0, 100}, {500, 50}, {100, 100}}), (Spans{{100, 549}}))
      << "ahead for a while: from where it was right again to where it had been";
}

/// As a recorder leaves them that is killed before it has merged any.
TEST(Reader, NamesAGapBetweenBlocksOfOneSample) {
  const TempDir dir;
  ManualClock clock;
  auto writer = open_writer(dir.path(), clock);
  const WallTime start = "2011-05-09T06:00:00Z"_utc;
  using std::chrono::seconds;
  for (const int second : {0, 1, 2, 10, 11, 12}) {
    ASSERT_OK(writer->append(disk_table("fs1", start + seconds{second}, 1)));
    ASSERT_OK(writer->flush());
  }
  const auto inventory = open_reader(dir.path())->inventory();
  ASSERT_OK(inventory);
  ASSERT_EQ(inventory->gaps.size(), 1U);
  EXPECT_EQ(inventory->gaps.front().from, start + seconds{2});
  EXPECT_EQ(inventory->gaps.front().to, start + seconds{10});
}

TEST(Reader, FilesOutsideTheSpanAreLeftAloneAndNothingIsMissed) {
  const TempDir dir;
  ManualClock clock;
  auto writer = open_writer(dir.path(), clock);
  std::vector<SampleTable> tables;
  for (const char* start : {"2011-05-08T23:59:00Z", "2011-05-09T06:00:00Z", "2011-05-10T06:00:00Z"}) {
    tables.push_back(disk_table("fs1", at(start), 100));
    ASSERT_OK(writer->append(tables.back()));
  }
  ASSERT_OK(writer->close());
  for (const bool looked_before : {false, true}) {
    auto reader = open_reader(dir.path());
    if (looked_before) ASSERT_OK(reader->inventory());
    for (const SampleTable& table : tables) {
      ReadRequest request;
      request.from = table.times().front();
      request.to = table.times().back() + std::chrono::seconds(1);
      auto part = reader->read(request);
      ASSERT_TRUE(part);
      std::vector<SampleTable> found;
      for (auto next = (*part)->next(); next && *next; next = (*part)->next()) found.push_back(**next);
      EXPECT_TRUE(same_cells(cells_of(found), cells_of({table})));
    }
  }
}

using namespace testing;  // NOLINT(google-build-using-namespace): the archive's own test support.
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Of many hosts only so much is in memory at a time, and it is the same.
TEST(Reader, LongTablesOfDisksComeInPartsInOrderOfTime) {
  const TempDir dir;
  ManualClock clock;
  auto writer = open_writer(dir.path(), clock);
  const WallTime six = "2011-05-09T06:00:00Z"_utc;
  std::vector<SampleTable> tables{disk_table("fs1", six, 1000), disk_table("fs2", six, 700),
                                  disk_table("fs3", six + std::chrono::seconds(40), 900)};
  for (const SampleTable& table : tables) ASSERT_OK(writer->append(table));
  ASSERT_OK(writer->close());
  auto reader = open_reader(dir.path());
  std::size_t longest = 0;
  for (const SampleTable& table : read_all(*reader)) longest = std::max(longest, table.times().size());
  ASSERT_GT(longest, 128U);
  ReadRequest in_parts;
  in_parts.most_times = 128;
  const std::vector<SampleTable> parts = read_all(*reader, in_parts);
  EXPECT_TRUE(same_cells(cells_of(parts), cells_of(tables)));
  WallTime last = WallTime::min();
  for (const SampleTable& part : parts) {
    EXPECT_LE(part.times().size(), 128U);
    EXPECT_LE(last, part.times().front());
    last = part.times().front();
  }
}

TEST(Reader, TablesThatOverlapComeWhole) {
  const TempDir dir;
  ManualClock clock;
  auto writer = open_writer(dir.path(), clock);
  const WallTime six = "2011-05-09T06:00:00Z"_utc;
  ASSERT_OK(writer->append(disk_table("fs1", six, 1000)));
  ASSERT_OK(writer->append(disk_table("fs1", six + std::chrono::seconds(500), 1000)));
  ASSERT_OK(writer->close());
  const auto whole = read_all(*open_reader(dir.path()));
  ReadRequest in_parts;
  in_parts.most_times = 128;
  const auto parts = read_all(*open_reader(dir.path()), in_parts);
  ASSERT_EQ(parts.size(), whole.size()) << "which record of a time is the later one must not change";
  for (std::size_t i = 0; i < parts.size(); ++i) EXPECT_EQ(parts[i], whole[i]);
}

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
