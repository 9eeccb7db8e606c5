#include "collect/import/strace/import.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/syscall_event.h"
#include "testing/import_fixture.h"

namespace laggard::collect {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// `microseconds lwp name(arguments) = result took object end`
std::string call_of(const EventTable& table, std::size_t e) {
  EXPECT_EQ(table.host(), "s1");
  SyscallRows rows(table);
  const SyscallEvent call = rows.at(e);
  return fmt::format("{} {} {}({}) = {} {} {} {}", to_unix_ns(call.time) / 1000, call.lwp.value_or(0),
                     call.name, call.arguments, call.result,
                     call.took ? std::to_string(call.took->count() / 1000) : "-", call.object,
                     static_cast<int>(call.end));
}

class StraceImportTest : public FolderTest {
 protected:
  ImportResult import(const std::string& text, StraceImportOptions options = {},
                      const std::string& name = "trace") {
    options.host = "s1";
    const std::vector files{write(name, text)};
    auto result = import_strace(files, options, sink_, observer_);
    EXPECT_TRUE(result) << result.error().message();
    return result ? *result : ImportResult{};
  }

  EventLines sink_{kSyscallKind, call_of};
  QuietObserver observer_;
};

TEST_F(StraceImportTest, CallsThatOthersInterruptedAreJoined) {
  const ImportResult result = import(
      "7 100000001.000000 read(3</a>,  <unfinished ...>\n"
      "8 100000001.000100 getpid() = 8 <0.000005>\n"
      "7 100000001.000300 <... read resumed>\"x\", 1) = 1 <0.000300>\n"
      "8 100000001.000400 futex(0x1, FUTEX_WAIT <unfinished ...>\n"
      "7 100000001.000500 --- SIGUSR1 {si_signo=SIGUSR1} ---\n"
      "8 100000001.000600 <... futex resumed>) = -1 EAGAIN (Resource temporarily unavailable)\n"
      "7 100000001.000700 exit_group(0) = ?\n"
      "7 100000001.000800 +++ exited with 0 +++\n");
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_EQ(result.values, 6U);
  EXPECT_THAT(
      sink_.lines,
      ElementsAre("100000001000100 8 getpid() = 8 5  0",
                  "100000001000000 7 read(3</a>, \"x\", 1) = 1 300 /a 0",
                  "100000001000500 7 SIGUSR1({si_signo=SIGUSR1}) =  -  2",
                  "100000001000400 8 futex(0x1, FUTEX_WAIT) = -1 EAGAIN (Resource temporarily unavailable) "
                  "200  0",
                  "100000001000700 7 exit_group(0) = ? -  1", "100000001000800 7 exited(with 0) =  -  3"));
  EXPECT_THAT(observer_.notices, IsEmpty());
}

TEST_F(StraceImportTest, WhatNeverReturnedAndWhatWasUnderWayAtAttachIsKept) {
  const ImportResult result = import(
      "7 100000001.000300 <... epoll_wait resumed>[], 8, 100) = 0 <0.000100>\n"
      "7 100000001.000400 fsync(4</d/f> <unfinished ...>\n");
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(sink_.lines, ElementsAre("100000001000200 7 epoll_wait([], 8, 100) = 0 100  0",
                                       "100000001000400 7 fsync(4</d/f>) =  - /d/f 1"));
}

TEST_F(StraceImportTest, AThreadThatExecutesAProgramGoesOnAsTheLeader) {
  for (const std::string mark : {"<unfinished ...>", "<pid changed to 7 ...>"}) {
    sink_.lines.clear();
    const ImportResult result = import("8 100000001.000000 execve(\"/bin/b\", [\"b\"], 0x7 " + mark +
                                       "\n"
                                       "7 100000001.000100 +++ superseded by execve in pid 8 +++\n"
                                       "7 100000001.000200 <... execve resumed>) = 0 <0.000200>\n");
    EXPECT_THAT(result.errors, IsEmpty());
    EXPECT_THAT(sink_.lines,
                ElementsAre("100000001000100 7 superseded(by execve in pid 8) =  -  3",
                            "100000001000000 7 execve(\"/bin/b\", [\"b\"], 0x7) = 0 200 /bin/b 0"));
  }
}

TEST_F(StraceImportTest, TimesOfADayAreOfTheFilesAndGoOverMidnight) {
  import("23:59:59.5 getpid() = 1\n00:00:00.5 getpid() = 2\n",
         {.begin = from_unix_ns(86'400'000'000'000 * 3)});
  EXPECT_THAT(sink_.lines,
              ElementsAre(testing::StartsWith(std::to_string(86'400'000'000LL * 4 - 500'000) + " "),
                          testing::StartsWith(std::to_string(86'400'000'000LL * 4 + 500'000) + " ")));
  EXPECT_THAT(observer_.notices, ElementsAre(HasSubstr("strace -yy")));
}

TEST_F(StraceImportTest, DistancesNeedABeginning) {
  const std::string text = "     0.000000 getpid() = 1\n     0.000500 getpid() = 2\n";
  ASSERT_THAT(import(text).errors, SizeIs(1));
  EXPECT_THAT(import(text).errors.front().message(), HasSubstr("--begin"));
  import(text, {.begin = from_unix_ns(5'000'000'000)});
  EXPECT_THAT(sink_.lines, ElementsAre(testing::StartsWith("5000000 "), testing::StartsWith("5000500 ")));
}

TEST_F(StraceImportTest, FilesOfThreadsAreToldByTheirNames) {
  import("100000001.000000 getpid() = 7 <0.000001>\n", {}, "trace.4711");
  EXPECT_THAT(sink_.lines, ElementsAre("100000001000000 4711 getpid() = 7 1  0"));
}

TEST_F(StraceImportTest, WhatIsNoTraceIsNamed) {
  const auto error_of = [&](const std::string& text) {
    const ImportResult result = import(text);
    return result.errors.empty() ? "" : result.errors.front().message();
  };
  EXPECT_THAT(error_of("% time     seconds  usecs/call     calls    errors syscall\n"),
              HasSubstr("strace -c"));
  EXPECT_THAT(error_of("getpid() = 1\n"), HasSubstr("trace:1: has no time; run strace with -ttt"));
  EXPECT_THAT(error_of("100000001.0 getpid() = 1\nhello\n"),
              HasSubstr("trace:2: is no line that strace writes"));
  const ImportResult both = import(
      "100000001.0 getpid() = 1\n% time     seconds  usecs/call     calls    errors syscall\n------ ----\n");
  EXPECT_THAT(both.errors, IsEmpty()) << "-C";
}

TEST(SyscallEvents, ComeOutAsTheyWentIn) {
  EventTable table("s1", std::string(kSyscallKind));
  SyscallAppender appender(table);
  for (const char* result :
       {"", "?", "0", "-1", "7", "007", "+7", "-0", "0x7f00", "0xffffffffffffffff", "3</etc/passwd>",
        "-1 ENOENT (No such file or directory)", "0 (Timeout)", "9223372036854775807", "9223372036854775808",
        "? ERESTARTSYS (To be restarted if SA_RESTART is set)"}) {
    ASSERT_TRUE(appender.append({.time = from_unix_ns(1),
                                 .took = Duration(5),
                                 .lwp = 7,
                                 .name = "read",
                                 .arguments = "3, \"\", 1",
                                 .result = result,
                                 .object = "/a"}));
    SyscallRows rows(table);
    const SyscallEvent call = rows.at(table.size() - 1);
    EXPECT_EQ(call.result, result);
    EXPECT_EQ(call.arguments, "3, \"\", 1");
    EXPECT_EQ(call.lwp, 7);
  }
  const AttributeColumn* errors = table.find_attribute("errno", AttributeForm::kWord);
  ASSERT_NE(errors, nullptr);
  EXPECT_EQ(table.word(errors, 11), "ENOENT");
  const AttributeColumn* results = table.find_attribute("result", AttributeForm::kInteger);
  EXPECT_EQ(static_cast<std::int64_t>(results->bits(10).value()), 3);
  ASSERT_TRUE(appender.append({.time = from_unix_ns(1),
                               .took = {},
                               .lwp = {},
                               .name = "write",
                               .arguments = std::string(100'000, 'x'),
                               .result = "1",
                               .object = {}}));
  SyscallRows rows(table);
  EXPECT_EQ(rows.at(table.size() - 1).arguments.size(), SyscallAppender::kMostText);
}

}  // namespace
}  // namespace laggard::collect
