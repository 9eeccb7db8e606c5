// `laggard record pings` from the command line to the verdict: by the program itself, since a process per
// target is not what a test's own process should be divided into.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "archive/writer.h"
#include "base/file.h"
#include "base/time.h"
#include "testing/cli.h"

namespace laggard::cmd {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_support::Folder;
using testing_support::laggard;
using testing_support::Said;

class RecordPings : public testing::Test {
 protected:
  void SetUp() override {
    if (std::string(LAGGARD_BINARY).empty()) GTEST_SKIP() << "the program is not built";
    for (const char* name : {"a", "b"}) std::filesystem::create_directory(place(name));
  }
  [[nodiscard]] std::filesystem::path place(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] std::string out() const { return folder_ / "rec"; }
  [[nodiscard]] std::string said() const { return read_file(folder_ / "said").value_or(""); }
  /// \return the exit status. \param before  what runs the recorder.
  [[nodiscard]] int record(const std::string& options, const std::string& before = "exec") const {
    const std::string command = fmt::format(
        "{} '{}' record pings --out '{}' --host c1 --target 'a={},b={}' --interval 1s {} 2>'{}'", before,
        LAGGARD_BINARY, out(), place("a").string(), place("b").string(), options, folder_ / "said");
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  [[nodiscard]] std::string exported() const {
    const Said said = laggard({"export", out(), "--events", "ping"});
    EXPECT_EQ(said.status, 0) << said.err;
    return said.out;
  }
  /// Whether all files of pings are gone, within some seconds.
  [[nodiscard]] bool becomes_empty(const std::string& name) const {
    for (int i = 0; i < 500 && !std::filesystem::is_empty(place(name)); ++i)
      std::this_thread::sleep_for(10ms);
    return std::filesystem::is_empty(place(name));
  }

  Folder folder_;
};

TEST_F(RecordPings, EveryOperationOnEveryTargetIsRecordedAndNoFileIsLeft) {
  ASSERT_EQ(record("--duration 3500ms"), 0) << said();
  const std::string lines = exported();
  for (const char* target : {"a", "b"}) {
    for (const char* operation : {"CrWr", "WrEx", "RmEx"}) {
      const std::string head = fmt::format(",c1,ping,{},ok,0.", target);
      EXPECT_THAT(lines, HasSubstr(head));
      EXPECT_THAT(lines, HasSubstr(fmt::format("operation={} probe=", operation)));
    }
    EXPECT_TRUE(std::filesystem::is_empty(place(target)));
  }
  EXPECT_THAT(lines, Not(HasSubstr("error")));
  const Said info = laggard({"info", out()});
  EXPECT_THAT(info.out, AllOf(HasSubstr("events   ping"), HasSubstr("profiles ping"))) << info.out;
}

TEST_F(RecordPings, ADirectoryThatIsNotThereIsRecordedAndSaid) {
  std::filesystem::remove(place("b"));
  ASSERT_EQ(record("--duration 1500ms --operation WrEx"), 0) << said();
  EXPECT_THAT(said(), HasSubstr("b: WrEx fails: No such file or directory"));
  EXPECT_THAT(exported(), AllOf(HasSubstr("error=ENOENT"), HasSubstr(",a,ok,"), Not(HasSubstr("CrWr"))));
}

TEST_F(RecordPings, AfterSigkillOfTheRecorderNoFileIsLeft) {
  EXPECT_EQ(record("--duration 1h", "timeout --foreground -s KILL 3"), 128 + SIGKILL) << said();
  EXPECT_TRUE(becomes_empty("a"));
  EXPECT_TRUE(becomes_empty("b"));
  EXPECT_THAT(exported(), HasSubstr(",a,ok,")) << "what was flushed is there";
}

TEST_F(RecordPings, AfterSigkillOfAllTheNextOneRemovesWhatIsLeft) {
  EXPECT_NE(record("--duration 1h", "timeout -s KILL 3"), 0) << "the whole process group";
  EXPECT_EQ(record("--duration 3s"), 0) << said();
  EXPECT_TRUE(becomes_empty("a"));
  EXPECT_TRUE(becomes_empty("b"));
}

TEST_F(RecordPings, MistakesOfTheCommandLine) {
  EXPECT_EQ(laggard({"record", "pings", "--out", out()}).status, 2);
  const Said said = laggard({"record", "pings", "--out", out(), "--host", "c1", "--target", "a"});
  EXPECT_EQ(said.status, 2);
  EXPECT_THAT(said.err, HasSubstr("--target: a is not NAME=PLACE"));
  EXPECT_THAT(laggard({"record", "pings", "--help"}).out,
              AllOf(HasSubstr("--target"), HasSubstr("Example:\n  laggard record pings --out rec --target")));
}

/// Pings of two clients, three operations a minute to each target, from the beginning of an hour.
class Recording {
 public:
  using IsSick = std::function<bool(const std::string& client, const std::string& target, int minute)>;

  Recording(const std::string& out, const std::vector<std::string>& targets, const IsSick& is_sick) {
    SystemClock clock;
    archive::ObservationWriter writer(out, {}, clock);
    for (const char* client : {"c1", "c2"}) {
      EventTable events(client, "ping");
      for (int minute = 0; minute < 40; ++minute) {
        for (const std::string& target : targets)
          add(events, target, minute, is_sick(client, target, minute));
      }
      EXPECT_TRUE(writer.append(events));
    }
    EXPECT_TRUE(writer.close());
  }

 private:
  static void add(EventTable& events, const std::string& target, int minute, bool sick) {
    for (const char* operation : {"CrWr", "WrEx", "RmEx"}) {
      EventTable::Event event{.time = kStart + minute * 60s, .duration = {}, .subject = {}, .what = {}};
      if (!sick) event.duration = 4ms;
      event.subject = events.intern(target).value();
      event.what = events.intern(sick ? "timeout" : "ok").value();
      events.append(event);
      events.set(events.attribute("operation", AttributeForm::kWord).value(),
                 events.intern(operation).value());
    }
  }
  static constexpr WallTime kStart = from_unix_ns(1'800'000'000'000'000'000);
};

nlohmann::json diagnosis(std::vector<std::string> words) {
  words.insert(words.begin(), "diagnose");
  words.insert(words.end(), {"--json", "-"});
  const Said said = laggard(words);
  EXPECT_EQ(said.status, 0) << said.err;
  return nlohmann::json::parse(said.out);
}

TEST(DiagnosePings, ATargetThatHangsIsAnIncidentAndAHealthyHourIsNone) {
  const Folder folder;
  const std::string sick = folder / "sick";
  const std::string well = folder / "well";
  const std::vector<std::string> targets{"ost1", "ost2", "ost3", "ost4"};
  const Recording one(sick, targets, [](const std::string&, const std::string& target, int minute) {
    return target == "ost3" && minute >= 20 && minute < 32;
  });
  const auto incidents = diagnosis({sick})["incidents"];
  ASSERT_EQ(incidents.size(), 1U) << incidents.dump(1);
  EXPECT_EQ(incidents[0]["blame"]["kind"], "target");
  EXPECT_EQ(incidents[0]["blame"]["name"], "ost3");
  EXPECT_EQ(incidents[0]["cause"], "unresponsive");
  EXPECT_EQ(incidents[0]["state"], "confirmed");
  EXPECT_EQ(incidents[0]["evidence"][0]["source"], "pings");
  const Recording other(well, targets, [](const std::string&, const std::string&, int) { return false; });
  EXPECT_THAT(diagnosis({well})["incidents"], IsEmpty());
}

TEST(DiagnosePings, TheServerOfTwoTargetsIsBlamed) {
  const Folder folder;
  const std::string rec = folder / "rec";
  const Recording made(rec, {"fs1/sd1", "fs1/sd2", "fs2/sd1", "fs2/sd2", "fs3/sd1", "fs3/sd2"},
                       [](const std::string&, const std::string& target, int minute) {
                         return target.starts_with("fs2/") && minute >= 20;
                       });
  const auto incidents = diagnosis({rec})["incidents"];
  ASSERT_EQ(incidents.size(), 1U) << incidents.dump(1);
  EXPECT_EQ(incidents[0]["blame"]["kind"], "server");
  EXPECT_EQ(incidents[0]["blame"]["name"], "fs2");
  EXPECT_EQ(incidents[0]["status"], "open");
}

}  // namespace
}  // namespace laggard::cmd
