#include "collect/import/logs/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/log_line.h"
#include "testing/import_fixture.h"

namespace laggard::collect {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// `time host program: text`
std::string line_of(const EventTable& table, std::size_t e) {
  const LogLines of(table);
  std::string text;
  of.text(e, text);
  return to_iso8601(table.times()[e]) + " " + table.host() + " " + std::string(of.program(e)) + ": " + text;
}

class LogImportTest : public FolderTest {
 protected:
  ImportResult import(const std::vector<std::filesystem::path>& files, const LogImportOptions& options = {}) {
    auto result = import_logs(files, options, sink_, observer_);
    EXPECT_TRUE(result) << result.error().message();
    return result ? *result : ImportResult{};
  }

  EventLines sink_{kLogKind, line_of};
  QuietObserver observer_;
};

TEST_F(LogImportTest, FormsAreToldApartLineByLineAndWhatIsNoneIsCounted) {
  const auto file = write("messages",
                          "Nov 20 19:21:34 fs1 kernel: one\r\n"
                          "Call Trace:\n"
                          "\n"
                          "2026-11-20T19:21:35Z fs2 ceph-osd[3]: two\n"
                          R"({"__REALTIME_TIMESTAMP":"1795202496000000","_HOSTNAME":"fs1","MESSAGE":"three"})"
                          "\n"
                          "[2026-11-20 19:21:37.5] E [a.c:1:f] 0-v: four\n");
  const ImportResult result = import({file}, {.host = "fs3", .zone = {}, .year = 2026});
  EXPECT_THAT(sink_.lines,
              ElementsAre("2026-11-20T19:21:34Z fs1 kernel: one", "2026-11-20T19:21:36Z fs1 : three",
                          "2026-11-20T19:21:35Z fs2 ceph-osd: two",
                          "2026-11-20T19:21:37.500Z fs3 gluster: [a.c:1:f] 0-v: four"));
  EXPECT_EQ(result.values, 4U);
  EXPECT_EQ(result.passed_over, 1U) << "a blank line is nothing";
  EXPECT_EQ(result.hosts, 3U);
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(observer_.notices,
              ElementsAre(HasSubstr("no zone are taken for UTC"), HasSubstr("1 line was passed over")));
}

TEST_F(LogImportTest, PackedFilesAndArchivesOfThem) {
  write("a/one", "2026-11-20T19:21:34Z fs1 kernel: one\n");
  write("a/two", "__REALTIME_TIMESTAMP=1795202496000000\n_HOSTNAME=fs2\nMESSAGE=two\n\n");
  ASSERT_EQ(shell("gzip -k a/one && xz -k a/two && tar czf all.tgz a/one a/two"), 0);
  EXPECT_EQ(import({folder_ / "a/one.gz", folder_ / "a/two.xz", folder_ / "all.tgz"}).values, 4U);
  EXPECT_THAT(sink_.lines, SizeIs(4));
}

TEST_F(LogImportTest, HostileLines) {
  const std::string head = "Nov 20 19:21:34 fs1 app: ";
  const auto file =
      write("messages", head + std::string(10'000'000, 'x') + "\n" + std::string(1000, '\0') + "\n" + head +
                            "\x1b[2J\x1b]0;title\a\xff" + std::string(3, '\0') + "\n" + "Nov 20 19:21:35 " +
                            std::string(5000, 'h') + " app: text\n");
  const ImportResult result = import({file}, {.host = {}, .zone = Duration{}, .year = 2026});
  ASSERT_THAT(sink_.lines, SizeIs(2));
  EXPECT_LT(sink_.lines[0].size(), 2000U);
  EXPECT_THAT(sink_.lines[1], HasSubstr("\x1b[2J")) << "it is escaped where it is shown";
  EXPECT_EQ(result.passed_over, 2U);
}

TEST_F(LogImportTest, ABadSourceIsOneSentenceAndTheOthersAreRead) {
  const auto none = write("numbers", "1,2,3\n4,5,6\n");
  const auto empty = write("empty", "");
  const auto hostless = write("mmfs.log", "2024-01-15_10:20:30.123+0100: [E] text\n");
  const auto journal = write("journal", "__CURSOR=1\nMESSAGE\n\xff\xff\xff\xff\xff\xff\xff\x7f");
  const auto good = write("good", "2026-11-20T19:21:34Z fs1 kernel: one\n");
  const ImportResult result = import({none, empty, hostless, journal, folder_ / "absent", good});
  std::vector<std::string> errors;
  for (const Error& error : result.errors) errors.push_back(error.message());
  EXPECT_THAT(errors, ElementsAre(HasSubstr("numbers: has no line of a log"), HasSubstr("empty"),
                                  HasSubstr("mmfs.log:1: names no host"),
                                  HasSubstr("journal:2: ends within an entry"), HasSubstr("absent")));
  EXPECT_THAT(sink_.lines, SizeIs(1));
}

TEST_F(LogImportTest, AFailedSinkEndsTheImport) {
  sink_.full = true;
  const std::vector<std::filesystem::path> files{write("good", "2026-11-20T19:21:34Z fs1 kernel: one\n")};
  EXPECT_FALSE(import_logs(files, {}, sink_, observer_));
}

}  // namespace
}  // namespace laggard::collect
