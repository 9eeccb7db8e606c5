#include "archive/writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "archive/recover.h"
#include "testing/archive.h"

namespace laggard::archive {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the archive's own test support.
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

SampleTable with_boot(SampleTable table, std::string boot) {
  table.set_boot(std::move(boot));
  return table;
}

TEST(Rotation, ANewFileFiveSecondsPastMidnight) {
  const TempDir dir;
  ManualClock clock;
  auto writer = open_writer(dir.path(), clock);
  const SampleTable table = disk_table("fs1", "2011-05-08T23:59:50.5Z"_utc, 40);
  ASSERT_OK(writer->append(table));
  ASSERT_OK(writer->close());
  EXPECT_THAT(file_names(dir.path()), ElementsAre("fs1-20110508T235950Z.lgd", "fs1-20110509T000005Z.lgd"));
  EXPECT_TRUE(same_cells(read_cells(dir.path()), cells_of({table})));
}

TEST(Rotation, AStepBackOfFiveSecondsOverMidnightMakesNoFileForTheDayBefore) {
  const TempDir dir;
  ManualClock clock;
  auto writer = open_writer(dir.path(), clock);
  ASSERT_OK(writer->append(disk_table("fs1", "2011-05-09T00:00:05.2Z"_utc, 1)));
  ASSERT_OK(writer->append(disk_table("fs1", "2011-05-09T00:00:00.3Z"_utc, 20)));
  ASSERT_OK(writer->close());
  EXPECT_THAT(file_names(dir.path()), ElementsAre("fs1-20110509T000005Z.lgd"));
  auto reader = open_reader(dir.path());
  const std::vector<SampleTable> tables = read_all(*reader);
  ASSERT_EQ(tables.size(), 1U);
  EXPECT_EQ(tables[0].times()[0], "2011-05-09T00:00:05.2Z"_utc) << "in order of recording";
  EXPECT_EQ(tables[0].times()[1], "2011-05-09T00:00:00.3Z"_utc);
}

TEST(Rotation, ALongStepBackContinuesTheDayBefore) {
  const TempDir dir;
  ManualClock clock;
  auto writer = open_writer(dir.path(), clock);
  ASSERT_OK(writer->append(disk_table("fs1", "2011-05-08T22:00:00Z"_utc, 10)));
  ASSERT_OK(writer->append(disk_table("fs1", "2011-05-09T01:00:00Z"_utc, 10)));
  const SampleTable again = disk_table("fs1", "2011-05-08T22:00:05Z"_utc, 10);
  ASSERT_OK(writer->append(again));
  ASSERT_OK(writer->append(disk_table("fs1", "2011-05-09T01:00:10Z"_utc, 10)));
  ASSERT_OK(writer->close());
  EXPECT_THAT(file_names(dir.path()), ElementsAre("fs1-20110508T220000Z.lgd", "fs1-20110509T010000Z.lgd"));
  auto reader = open_reader(dir.path());
  const std::vector<SampleTable> tables = read_all(*reader);
  EXPECT_EQ(tables.front().times().front(), "2011-05-08T22:00:00Z"_utc);
  EXPECT_EQ(tables.back().times().back(), "2011-05-09T01:00:19Z"_utc);
}

TEST(Rotation, AStepForwardIsAGap) {
  const TempDir dir;
  ManualClock clock;
  auto writer = open_writer(dir.path(), clock);
  ASSERT_OK(writer->append(disk_table("fs1", "2011-05-09T06:00:00Z"_utc, 60)));
  ASSERT_OK(writer->append(disk_table("fs1", "2011-05-09T06:30:00Z"_utc, 60)));
  ASSERT_OK(writer->close());
  auto inventory = open_reader(dir.path())->inventory();
  ASSERT_OK(inventory);
  ASSERT_EQ(inventory->gaps.size(), 1U);
  EXPECT_EQ(inventory->gaps[0].from, "2011-05-09T06:00:59Z"_utc);
  EXPECT_EQ(inventory->gaps[0].to, "2011-05-09T06:30:00Z"_utc);
  EXPECT_EQ(inventory->gaps[0].reason, "");
}

TEST(Rotation, ARebootBeginsAFileOfItsOwn) {
  const TempDir dir;
  ManualClock clock;
  auto writer = open_writer(dir.path(), clock);
  const WallTime start = "2011-05-09T06:00:00Z"_utc;
  ASSERT_OK(writer->append(with_boot(disk_table("fs1", start, 10), "boot-1")));
  ASSERT_OK(writer->append(with_boot(disk_table("fs1", start + seconds{70}, 10), "boot-2")));
  ASSERT_OK(writer->append(with_boot(disk_table("fs1", start + milliseconds_of(70'500), 10), "boot-3")));
  ASSERT_OK(writer->close());
  EXPECT_THAT(file_names(dir.path()), ElementsAre("fs1-20110509T060000Z.lgd", "fs1-20110509T060110Z-2.lgd",
                                                  "fs1-20110509T060110Z.lgd"));
  auto reader = open_reader(dir.path());
  std::vector<std::string> boots;
  for (const SampleTable& table : read_all(*reader)) boots.push_back(table.boot());
  EXPECT_THAT(boots, ElementsAre("boot-1", "boot-2", "boot-3"));
  auto inventory = reader->inventory();
  ASSERT_OK(inventory);
  ASSERT_EQ(inventory->gaps.size(), 1U);
  EXPECT_EQ(inventory->gaps[0].reason, "reboot");
}

TEST(Writer, ARestartContinuesTheDaysFile) {
  const TempDir dir;
  ManualClock clock;
  const WallTime start = "2011-05-09T06:00:00Z"_utc;
  for (int run = 0; run < 3; ++run) {
    auto writer = open_writer(dir.path(), clock);
    ASSERT_OK(writer->append(with_boot(disk_table("fs1", start + minutes{run}, 30), "b")));
    ASSERT_OK(writer->close());
  }
  EXPECT_THAT(file_names(dir.path()), ElementsAre("fs1-20110509T060000Z.lgd"));
  auto reader = open_reader(dir.path());
  auto inventory = reader->inventory();
  ASSERT_OK(inventory);
  ASSERT_EQ(inventory->gaps.size(), 2U);
  EXPECT_EQ(inventory->gaps[1].reason, "recorder stopped");
  EXPECT_EQ(read_all(*reader).size(), 1U) << "the small blocks of three runs were merged";
}

TEST(Writer, AGapAfterARestartEndsWithTheFirstSampleOfAnyKind) {
  const TempDir dir;
  ManualClock clock;
  const WallTime start = "2011-05-09T06:00:00Z"_utc;
  auto writer = open_writer(dir.path(), clock);
  ASSERT_OK(writer->append(with_boot(disk_table("fs1", start, 30), "b")));
  ASSERT_OK(writer->close());
  const WallTime again = start + minutes{1};
  SampleTable net{"fs1", DeviceKind::kNet, {{"rx_bytes", CounterForm::kCumulative}}, {"eth0"}, {again}};
  net.set(0, 0, 0, 7);
  writer = open_writer(dir.path(), clock);
  ASSERT_OK(writer->append(with_boot(disk_table("fs1", again + minutes{1}, 30), "b")));
  ASSERT_OK(writer->append(with_boot(net, "b")));
  ASSERT_OK(writer->close());
  auto inventory = open_reader(dir.path())->inventory();
  ASSERT_OK(inventory);
  ASSERT_FALSE(inventory->gaps.empty());
  EXPECT_EQ(inventory->gaps[0].reason, "recorder stopped");
  EXPECT_EQ(inventory->gaps[0].from, start + seconds{29});
  EXPECT_EQ(inventory->gaps[0].to, again);
}

TEST(Writer, ASecondOneOfTheSameHostIsRefused) {
  const TempDir dir;
  ManualClock clock;
  auto first = open_writer(dir.path(), clock);
  ASSERT_OK(first->append(disk_table("fs1", "2011-05-09T06:00:00Z"_utc, 10)));
  auto second = open_writer(dir.path(), clock);
  const Status refused = second->append(disk_table("fs1", "2011-05-09T07:00:00Z"_utc, 10));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(refused.error().message(), HasSubstr("is writing host fs1 here"));
  ASSERT_OK(second->append(disk_table("fs2", "2011-05-09T07:00:00Z"_utc, 10)));
  ASSERT_OK(first->close());
  ASSERT_OK(second->append(disk_table("fs1", "2011-05-09T07:00:00Z"_utc, 10)));
}

TEST(Writer, FilesOfAnotherFormatAreRefusedByName) {
  const TempDir dir;
  ManualClock clock;
  {
    auto writer = open_writer(dir.path(), clock);
    ASSERT_OK(writer->append(disk_table("fs1", "2011-05-09T06:00:00Z"_utc, 10)));
  }
  const std::filesystem::path file = dir.path() / "metrics" / "fs1-20110509T060000Z.lgd";
  WriterOptions options;
  options.existing = Existing::kSkipEqual;
  for (const auto& [version, code] : {std::pair{9, ErrorCode::kTooNew}, std::pair{1, ErrorCode::kTooOld}}) {
    set_user_version(file, static_cast<char>(version));
    const std::vector<std::filesystem::path> paths{dir.path()};
    const auto reader = Reader::open(paths);
    ASSERT_FALSE(reader);
    EXPECT_EQ(reader.error().code, code);
    EXPECT_EQ(
        reader.error().message(),
        fmt::format("{}: written by another version of laggard (archive format {}; this one reads 2); read "
                    "it with that version, and record into another folder",
                    file.string(), version));
    auto writer = open_writer(dir.path(), clock, options);
    const Status refused = writer->append(disk_table("fs1", "2011-05-09T06:01:00Z"_utc, 10));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, code);
    auto recovered = recover(paths, dir.path() / "out", clock);
    ASSERT_FALSE(recovered);
    EXPECT_EQ(recovered.error().code, code);
    EXPECT_FALSE(std::filesystem::exists(dir.path() / "out"));
  }
}

TEST(Writer, AnUpgradedRecorderGoesOnBesideItsEarlierFile) {
  const TempDir dir;
  ManualClock clock;
  const auto record = [&](WallTime t) {
    return open_writer(dir.path(), clock)->append(disk_table("fs1", t, 10));
  };
  ASSERT_OK(record("2011-05-09T06:00:00Z"_utc));
  set_user_version(dir.path() / "metrics" / "fs1-20110509T060000Z.lgd", 1);
  ASSERT_OK(record("2011-05-09T07:00:00Z"_utc));
  ASSERT_OK(record("2011-05-09T08:00:00Z"_utc));
  EXPECT_THAT(file_names(dir.path()),
              UnorderedElementsAre("fs1-20110509T060000Z.lgd", "fs1-20110509T070000Z.lgd"));
  const std::vector<std::filesystem::path> paths{dir.path()};
  const auto reader = Reader::open(paths);
  ASSERT_TRUE(reader) << reader.error().message();
  EXPECT_EQ((*reader)->files().size(), 1U);
  EXPECT_THAT((*reader)->notices(), ElementsAre(HasSubstr("fs1-20110509T060000Z.lgd: written by another")));
}

TEST(Writer, AnEarlierFormatWithOtherTablesIsNotCalledDamaged) {
  const TempDir dir;
  const std::filesystem::path file = dir.path() / "fs1-20110509T060000Z.lgd";
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(
      sqlite3_exec(database,
                   "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT); CREATE TABLE fact(device TEXT);"
                   "PRAGMA application_id=0x6c677264; PRAGMA user_version=1",
                   nullptr, nullptr, nullptr),
      SQLITE_OK);
  sqlite3_close(database);
  const auto reader = Reader::open(std::span(&file, 1));
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().code, ErrorCode::kTooOld);
}

TEST(Writer, TablesThatNoBlockCouldHoldAreRefused) {
  const TempDir dir;
  ManualClock clock;
  auto writer = open_writer(dir.path(), clock);
  EXPECT_EQ(writer->append(disk_table("", "2011-05-09T06:00:00Z"_utc, 1)).error().code, ErrorCode::kBadInput);
  EXPECT_EQ(writer->append(disk_table(std::string(300, 'x'), "2011-05-09T06:00:00Z"_utc, 1)).error().code,
            ErrorCode::kBadInput);
  const SampleTable twice{
      "fs1", DeviceKind::kDisk, {{"rd_ios"}}, {"sda", "sda"}, {"2011-05-09T06:00:00Z"_utc}};
  EXPECT_THAT(writer->append(twice).error().message(), HasSubstr("named twice"));
  ASSERT_OK(writer->append(SampleTable{"fs1", DeviceKind::kDisk, {}, {}, {}}));
  ASSERT_OK(writer->close());
  EXPECT_THAT(file_names(dir.path()), IsEmpty());
}

TEST(Writer, FactsOfDevicesAreKeptAndTheLatestHolds) {
  const TempDir dir;
  ManualClock clock;
  auto writer = open_writer(dir.path(), clock);
  DeviceInfo info;
  info.host = "fs1";
  info.device = "sda";
  info.facts = {{"model", "old"}, {"wwn", "5000c500"}};
  ASSERT_OK(writer->describe(info));
  ASSERT_OK(writer->append(disk_table("fs1", "2011-05-08T06:00:00Z"_utc, 3)));
  ASSERT_OK(writer->append(disk_table("fs1", "2011-05-09T06:00:00Z"_utc, 3)));
  info.facts = {{"model", "new"}};
  ASSERT_OK(writer->describe(info));
  ASSERT_OK(writer->append(disk_table("fs1", "2011-05-09T06:00:03Z"_utc, 3)));
  ASSERT_OK(writer->close());
  auto inventory = open_reader(dir.path())->inventory();
  ASSERT_OK(inventory);
  ASSERT_EQ(inventory->devices.size(), 2U);
  EXPECT_THAT(inventory->devices[0].facts,
              ElementsAre(std::pair<std::string, std::string>("model", "new"),
                          std::pair<std::string, std::string>("wwn", "5000c500")));
  EXPECT_THAT(inventory->devices[1].facts, IsEmpty());
}

/// An import of what `tables` hold.
WriteStats import_tables(const std::filesystem::path& path, const std::vector<SampleTable>& tables) {
  ManualClock clock;
  WriterOptions options;
  options.flush_interval = Duration::zero();
  options.existing = Existing::kSkipEqual;
  options.max_open_files = 3;
  auto writer = open_writer(path, clock, options);
  for (const SampleTable& table : tables) {
    const Status added = writer->append(table);
    EXPECT_TRUE(added) << added.error().message();
  }
  const Status closed = writer->close();
  EXPECT_TRUE(closed) << closed.error().message();
  return writer->stats();
}

TEST(Import, ManyDaysOfManyHostsWithFewOpenFiles) {
  const TempDir dir;
  std::vector<SampleTable> tables;
  for (const char* host : {"a", "b", "c", "d"}) {
    tables.push_back(disk_table(host, "2011-05-01T00:00:00Z"_utc, 24 * 9, 2, hours{1}));
  }
  const WriteStats stats = import_tables(dir.path(), tables);
  EXPECT_EQ(stats.cells_added, 4U * 24 * 9 * 6);
  EXPECT_EQ(file_names(dir.path()).size(), 4U * 10)
      << ::testing::PrintToString(file_names(dir.path()))
      << "the first hour of the first day belongs to the day before";
  EXPECT_TRUE(same_cells(read_cells(dir.path()), cells_of(tables)));
}

TEST(Import, ASecondTimeAddsNothing) {
  const TempDir dir;
  const std::vector<SampleTable> tables{disk_table("a", "2011-05-08T20:00:00Z"_utc, 9000, 3),
                                        disk_table("b", "2011-05-08T22:00:00Z"_utc, 3000, 2, minutes{1})};
  const WriteStats first = import_tables(dir.path(), tables);
  EXPECT_EQ(first.cells_added, tables[0].present_cells() + tables[1].present_cells());
  const std::vector<std::string> files = file_names(dir.path());
  const WriteStats second = import_tables(dir.path(), tables);
  EXPECT_EQ(second.cells_added, 0U);
  EXPECT_EQ(second.cells_already_there, first.cells_added);
  EXPECT_EQ(file_names(dir.path()), files);
  EXPECT_TRUE(same_cells(read_cells(dir.path()), cells_of(tables)));
}

TEST(Import, OverlappingPiecesInAnyOrderMakeTheWhole) {
  const TempDir dir;
  const SampleTable whole = disk_table("a", "2011-05-09T06:00:00Z"_utc, 5000, 3);
  std::vector<SampleTable> pieces;
  for (const int from : {3000, 0, 1500, 4000, 2000}) {
    pieces.push_back(
        disk_table("a", "2011-05-09T06:00:00Z"_utc + seconds{from}, from == 4000 ? 1000 : 1600, 3));
  }
  const WriteStats stats = import_tables(dir.path(), pieces);
  EXPECT_EQ(stats.cells_added, whole.present_cells());
  EXPECT_TRUE(same_cells(read_cells(dir.path()), cells_of({whole})));
  auto reader = open_reader(dir.path());
  WallTime last = WallTime::min();
  for (const SampleTable& table : read_all(*reader)) {
    EXPECT_GT(table.times().front(), last) << "tables that do not overlap come by time";
    last = table.times().back();
  }
}

TEST(Import, AnotherValueIsTheLaterRecordAndStaysSo) {
  const TempDir dir;
  const SampleTable old = disk_table("a", "2011-05-09T06:00:00Z"_utc, 100);
  SampleTable corrected = old;
  corrected.set(0, 1, 50, 4711);
  EXPECT_EQ(import_tables(dir.path(), {old}).cells_added, 600U);
  EXPECT_EQ(import_tables(dir.path(), {corrected}).cells_added, 1U);
  EXPECT_TRUE(same_cells(read_cells(dir.path()), cells_of({corrected})));
  EXPECT_EQ(import_tables(dir.path(), {old, corrected}).cells_added, 0U) << "both records are there";
  EXPECT_TRUE(same_cells(read_cells(dir.path()), cells_of({corrected})));
}

TEST(Import, ATimeTwiceInOneSourceKeepsTheLatestRecord) {
  const TempDir dir;
  const WallTime start = "2011-05-09T06:00:00Z"_utc;
  SampleTable table{"a", DeviceKind::kDisk, {{"rd_ios"}}, {"sda"}, {start, start, start, start + seconds{1}}};
  table.set(0, 0, 0, 10);
  table.set(0, 0, 1, 10);
  table.set(0, 0, 2, 12);
  table.set(0, 0, 3, 20);
  const WriteStats stats = import_tables(dir.path(), {table});
  EXPECT_EQ(stats.cells_added, 3U);
  EXPECT_EQ(stats.cells_already_there, 1U);
  EXPECT_TRUE(same_cells(read_cells(dir.path()), cells_of({table})));
  EXPECT_EQ(import_tables(dir.path(), {table}).cells_added, 0U);
}

TEST(Import, NewDevicesAndCountersOfKnownTimesAreAdded) {
  const TempDir dir;
  const SampleTable two = disk_table("a", "2011-05-09T06:00:00Z"_utc, 100, 2);
  const SampleTable four = disk_table("a", "2011-05-09T06:00:00Z"_utc, 100, 4);
  import_tables(dir.path(), {two});
  const WriteStats stats = import_tables(dir.path(), {four});
  EXPECT_EQ(stats.cells_added, two.present_cells());
  EXPECT_TRUE(same_cells(read_cells(dir.path()), cells_of({four})));
}

}  // namespace
}  // namespace laggard::archive
