#include "archive/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/test_support.h"

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

}  // namespace
}  // namespace laggard::archive
