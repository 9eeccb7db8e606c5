#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "detect/logs/log_matcher.h"
#include "testing/cli.h"

namespace laggard::cmd {
namespace {

using ::testing::HasSubstr;
using testing_support::Folder;
using testing_support::kExample;
using testing_support::laggard;

TEST(ImportLogs, TheSecondTimeAddsNothingAndALongerLogItsEnd) {
  const Folder folder;
  const std::string rec = folder / "rec";
  const std::string two = "Nov 20 19:21:34 fs1 kernel: sd 1: lost\nNov 20 19:21:34 fs1 kernel: sd 1: lost\n";
  const std::string log = folder.write("messages", two);
  const auto import = [&] { return laggard({"import", "logs", log, "--year", "2026", "-o", rec}); };
  auto said = import();
  EXPECT_EQ(said.status, kClean) << said.err;
  EXPECT_THAT(said.out, HasSubstr(": 2 new lines, 2026-11-20T19:21:34Z to 2026-11-20T19:21:34Z"));
  EXPECT_THAT(import().out, HasSubstr(": 0 new lines (2 already there)"));
  EXPECT_EQ(folder.write("messages", two + "Nov 21 00:00:01 fs1 kernel: sd 2: lost\nwhat\n"), log);
  said = laggard({"import", "logs", log, "--year", "2026", "--out", rec, "--json"});
  EXPECT_THAT(said.out, HasSubstr(R"("new":1,"already_there":2)"));
  EXPECT_THAT(said.out, HasSubstr(R"("passed_over":1)"));
  said = laggard({"export", rec, "--events", "log"});
  EXPECT_EQ(said.status, kClean) << said.err;
  EXPECT_THAT(said.out, HasSubstr("fs1,log,,sd <d>: lost,,"));
}

TEST(ImportLogs, ADiagnosisShowsWhatOnlyTheSickServerLogged) {
  if (!detect::LogMatcher::available()) GTEST_SKIP() << "built without RE2";
  const Folder folder;
  std::string log =
      "2026-11-20T19:22:50Z s2 kernel: blk_update_request: critical medium error, dev loop22, sector 7\n"
      "2026-11-20T19:22:51Z s2 app: <4>private\n";
  for (int server = 1; server <= 9; ++server) {
    log += "2026-11-20T19:22:30Z s" + std::to_string(server) + " kernel: nfs: server home not responding\n";
  }
  const std::string rec = folder / "rec";
  ASSERT_EQ(laggard({"import", "logs", folder.write("messages", log), "--out", rec}).status, kClean);
  const auto before = nlohmann::json::parse(laggard({"diagnose", kExample, "--json", "-"}).out);
  const auto said = laggard({"diagnose", kExample, rec, "--json", "-"});
  const auto json = nlohmann::json::parse(said.out);
  const auto& incident = json["incidents"].at(0);
  EXPECT_EQ(incident["mode"], "reliability") << said.err;
  const auto& evidence = incident["evidence"].back();
  EXPECT_EQ(evidence["source"], "logs");
  EXPECT_EQ(evidence["part"]["name"], "s2");
  EXPECT_EQ(evidence["mode"], "reliability");
  const auto& lines = evidence["payloads"].at(0)["lines"];
  ASSERT_EQ(lines.size(), 1U) << "what all log is no difference";
  EXPECT_EQ(lines[0]["text"], "blk_update_request: critical medium error, dev loop22, sector 7");
  EXPECT_EQ(lines[0]["time"], "2026-11-20T19:22:50Z");
  EXPECT_EQ(json["from"], before["from"]) << "a log is not what is judged";
  EXPECT_EQ(incident["id"], before["incidents"][0]["id"]);
  EXPECT_TRUE(before["incidents"][0]["mode"].is_null());
  const auto text = laggard({"diagnose", kExample, rec});
  EXPECT_THAT(text.out, HasSubstr("mode       reliability"));
  EXPECT_THAT(text.out, HasSubstr("critical medium error, dev loop22"));
  const std::string bad = folder.write("bad.toml", "[[pattern]]\nname = 'a'\n");
  EXPECT_THAT(laggard({"diagnose", kExample, rec, "--patterns", bad}).err, HasSubstr("bad.toml:1: "));
}

TEST(ImportLogs, NothingImportedLeavesNothingBehind) {
  const Folder folder;
  const std::string rec = folder / "rec";
  const auto said = laggard({"import", "logs", folder.write("numbers", "1,2\n"), "--out", rec});
  EXPECT_EQ(said.status, kBadUse);
  EXPECT_THAT(said.err, HasSubstr("has no line of a log whose form is known"));
  EXPECT_FALSE(std::filesystem::exists(rec));
  EXPECT_EQ(laggard({"import", "logs", folder / "numbers", "--out", rec, "--tz", "CET"}).status, kBadUse);
}

}  // namespace
}  // namespace laggard::cmd
