#include "cmd/watch_outputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/file.h"
#include "testing/archive.h"

namespace laggard::cmd {
namespace {

using archive::testing::TempDir;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

class OnChangeTest : public ::testing::Test {
 protected:
  OnChangeTest() {
    change_.kind = ChangeKind::kConfirmed;
    change_.number = 17;
    change_.incident.id = "s2-loop22-slower-20261120T192312Z";
    change_.incident.blame = {.kind = PartKind::kServer, .name = "s2"};
    change_.incident.cause = "disk-hog";
    change_.incident.state = IncidentState::kConfirmed;
  }

  [[nodiscard]] Status run(const std::string& command, Duration limit = 20s) const {
    return run_on_change(
        {.command = "cd " + dir_.path().string() + "; " + command, .limit = limit, .tries = 1}, change_);
  }
  [[nodiscard]] std::string content(const std::string& name) const {
    return read_file(dir_.path() / name).value_or("(not there)");
  }

  TempDir dir_;
  Change change_;
};

TEST_F(OnChangeTest, TheCommandReadsTheChangeAsOneLineOfJson) {
  ASSERT_TRUE(run("cat >line"));
  const std::string line = content("line");
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const auto json = nlohmann::json::parse(line);
  EXPECT_EQ(json["change"], "confirmed");
  EXPECT_EQ(json["number"], 17);
  EXPECT_EQ(json["incident"]["blame"]["name"], "s2");
}

TEST_F(OnChangeTest, TheEnvironmentHoldsWhatIsNeededMost) {
  ASSERT_EQ(::setenv("LAGGARD_PART", "of an earlier change", 1), 0);
  ASSERT_TRUE(run(R"(printf '%s;' "$LAGGARD_CHANGE" "$LAGGARD_NUMBER" "$LAGGARD_INCIDENT" "$LAGGARD_KIND" \
                     "$LAGGARD_PART" "$LAGGARD_CAUSE" "$LAGGARD_STATE" "${PATH:+path}" >all)"));
  ::unsetenv("LAGGARD_PART");
  EXPECT_EQ(content("all"),
            "confirmed;17;s2-loop22-slower-20261120T192312Z;server;s2;disk-hog;confirmed;path;");
}

TEST_F(OnChangeTest, ANameIsNoScript) {
  change_.incident.blame.name = "$(touch broken); touch broken\n`touch broken`";
  ASSERT_TRUE(run(R"(printf '%s' "$LAGGARD_PART" >part)"));
  EXPECT_EQ(content("part"), change_.incident.blame.name);
  EXPECT_EQ(content("broken"), "(not there)");
}

TEST_F(OnChangeTest, ACommandNeedNotReadAnything) {
  change_.incident.why.assign(1 << 20, 'x');  // More than a pipe holds.
  EXPECT_TRUE(run("exec <&-; true"));
}

TEST_F(OnChangeTest, FailuresAreTold) {
  EXPECT_THAT(run("exit 3").error().message(), HasSubstr("--on-change: exited with status 3 at change 17"));
  EXPECT_THAT(run("no-such-program").error().message(), HasSubstr("exited with status 127"));
  EXPECT_THAT(run("kill -TERM $$").error().message(), HasSubstr("ended by signal 15"));
}

TEST_F(OnChangeTest, WhatFailsIsTriedAgain) {
  const std::string counting = "cd " + dir_.path().string() + "; echo . >>tries; ";
  EXPECT_TRUE(run_on_change({.command = counting + "test $(wc -l <tries) -ge 3", .pause = 1ms}, change_));
  EXPECT_EQ(content("tries"), ".\n.\n.\n");
  EXPECT_FALSE(run_on_change({.command = counting + "false", .pause = 1ms}, change_));
  EXPECT_EQ(content("tries").size(), 12U);
}

TEST_F(OnChangeTest, WhatTakesTooLongIsKilledWithItsChildren) {
  const auto begun = std::chrono::steady_clock::now();
  const Status ran = run("(sleep 1; touch late) & sleep 30", 200ms);
  EXPECT_THAT(ran.error().message(), HasSubstr("took too long for change 17 and was killed"));
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 10s);
  std::this_thread::sleep_for(1200ms);
  EXPECT_EQ(content("late"), "(not there)");
}

TEST_F(OnChangeTest, OnceWeAreAskedToStopItHasItsGrace) {
  const auto begun = std::chrono::steady_clock::now();
  const Status ran = run_on_change(
      {.command = "sleep 30", .limit = 25s, .grace = 100ms, .stopped = [] { return true; }}, change_);
  EXPECT_FALSE(ran);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 10s);
}

TEST_F(OnChangeTest, SignalsAreAsUsualForTheCommand) {
  sigset_t blocked;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGTERM);
  sigset_t before;
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const Status ran = run("kill -TERM $$; touch survived");
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_FALSE(ran);
  EXPECT_EQ(content("survived"), "(not there)");
}

}  // namespace
}  // namespace laggard::cmd
