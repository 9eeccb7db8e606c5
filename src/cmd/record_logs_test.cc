// `laggard record logs` from the command line: by the program itself, which is killed, while logs are
// written.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "testing/cli.h"
#include "testing/fake_journal.h"

namespace laggard::cmd {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing_support::Folder;
using testing_support::laggard;

class RecordLogs : public testing::Test {
 protected:
  void SetUp() override {
    if (std::string(LAGGARD_BINARY).empty()) GTEST_SKIP() << "the program is not built";
  }
  void TearDown() override {
    if (child_ > 0) end(SIGKILL);
  }
  [[nodiscard]] std::string out(const std::string& name = "rec") const { return folder_ / name; }
  [[nodiscard]] std::string said() const { return read_file(folder_ / "said").value_or(""); }

  void start(std::vector<std::string> options) {
    options.insert(options.begin(), {LAGGARD_BINARY, "record", "logs", "--out", out(), "--host", "fs1",
                                     "--flush", "100ms", "--begin", "start"});
    child_ = ::fork();
    if (child_ != 0) return;
    const std::string path = folder_ / "";
    ::setenv("PATH", (path + ":/usr/bin:/bin").c_str(), 1);
    const int log = ::open((folder_ / "said").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    ::dup2(log, STDERR_FILENO);
    std::vector<char*> argv;
    for (std::string& option : options) argv.push_back(option.data());
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  /// \return the exit status, or 128 and the signal.
  int end(int signal) {
    ::kill(child_, signal);
    int status = 0;
    ::waitpid(child_, &status, 0);
    child_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  void append(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary | std::ios::app) << text;
  }
  /// A line of the export for each event of a log; empty while there are none.
  [[nodiscard]] std::vector<std::string> recorded(const std::string& name = "rec") const {
    const auto said = laggard({"export", out(name), "--events", "log"});
    std::vector<std::string> lines;
    std::string_view text = said.out;
    if (said.status != 0) return {};
    for (static_cast<void>(take_line(text)); !text.empty();) lines.emplace_back(take_line(text));
    return lines;
  }
  /// Whether so many are there within ten seconds.
  [[nodiscard]] bool records(std::size_t count) const {
    for (int i = 0; i < 500 && recorded().size() < count; ++i) std::this_thread::sleep_for(20ms);
    return recorded().size() >= count;
  }

  Folder folder_;
  pid_t child_ = -1;
};

TEST_F(RecordLogs, KilledAgainAndAgainItRecordsWhatAnImportMakesOfTheLog) {
  const std::string log = folder_.write("messages", "");
  int written = 0;
  for (int round = 0; round < 6; ++round) {
    start({"--file", log, "--tz", "+00:00"});
    for (int i = 0; i < 40; ++i) {
      append("messages",
             fmt::format("2026-11-2{}T10:00:{:02}Z fs1 app[{}]: line {} of", round % 4, i, i, written));
      std::this_thread::sleep_for(2ms);
      append("messages", fmt::format(" {}\n", written++));
    }
    std::this_thread::sleep_for(50ms * (round % 3));
    EXPECT_EQ(end(SIGKILL), 128 + SIGKILL);
  }
  start({"--file", log, "--tz", "+00:00"});
  // The killed ones may have recorded every line: only one more shows that this one is there to be stopped.
  append("messages", fmt::format("2026-11-24T10:00:00Z fs1 app: line {}\n", written++));
  EXPECT_TRUE(records(static_cast<std::size_t>(written))) << said();
  EXPECT_EQ(end(SIGTERM), 0) << said();
  ASSERT_EQ(laggard({"import", "logs", log, "--out", out("imported"), "--tz", "+00:00"}).status, 0);
  const auto lines = recorded();
  EXPECT_EQ(lines, recorded("imported"));
  EXPECT_EQ(lines.size(), static_cast<std::size_t>(written));
  EXPECT_THAT(laggard({"import", "logs", log, "--out", out(), "--tz", "+00:00"}).out,
              HasSubstr(fmt::format("0 new lines ({} already there)", written)));
}

TEST_F(RecordLogs, TheJournalGoesOnBehindItsCursorAfterAKillOfEither) {
  const std::string program = laggard::testing_support::write_fake_journalctl(folder_ / "");
  if (::access(program.c_str(), X_OK) != 0) GTEST_SKIP() << "programs cannot be run in the folder of tests";
  append("journal", "one\ntwo\n");
  start({});
  EXPECT_TRUE(records(2)) << said();
  EXPECT_EQ(end(SIGKILL), 128 + SIGKILL);
  append("journal", "three\n");
  start({});
  EXPECT_TRUE(records(3)) << said();
  append("end", "");
  for (int i = 0; i < 500 && said().find("ended with status 3") == std::string::npos; ++i)
    std::this_thread::sleep_for(10ms);
  append("journal", "four\n");
  std::filesystem::remove(folder_ / "end");
  EXPECT_TRUE(records(4)) << said();
  EXPECT_EQ(end(SIGTERM), 0) << said();
  const auto lines = recorded();
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_THAT(lines[0], AllOf(HasSubstr("fs1,log,,one,"), HasSubstr("program=app"), HasSubstr("severity=4")));
  EXPECT_THAT(lines[3], HasSubstr(",four,"));
}

TEST_F(RecordLogs, MistakesOfTheCommandLine) {
  const auto said = laggard({"record", "logs", "--out", out(), "--host", "fs1", "--journal", "no"});
  EXPECT_EQ(said.status, 2);
  EXPECT_THAT(said.err, HasSubstr("--file: is missing"));
  EXPECT_FALSE(std::filesystem::exists(out()));
  EXPECT_THAT(laggard({"record", "logs", "--help"}).out,
              HasSubstr("Example:\n  laggard record logs --out rec --file /var/log/messages"));
}

}  // namespace
}  // namespace laggard::cmd
