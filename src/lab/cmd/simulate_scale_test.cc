// Simulated production sites, and what is said of them, against their truth.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "cmd/diagnose.h"
#include "testing/lab_cli.h"

namespace laggard::lab {
namespace {

using testing::HasSubstr;
using Json = nlohmann::ordered_json;

std::map<std::string, std::string> files_of(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files[entry.path().filename()] = read_text(entry.path());
  }
  return files;
}

TEST(SimulateScale, SameSeedSameBytesOnAnyNumberOfThreads) {
  const Folder folder;
  const auto simulate = [&](const char* threads, const char* seed, const char* name) {
    return laggard_lab({"simulate", "--scale", "intrepid", "--duration", "20m", "--incidents", "2",
                        "--threads", threads, "--seed", seed, "-o", folder / name});
  };
  const Said one = simulate("1", "7", "a");
  ASSERT_EQ(one.status, 0) << one.err;
  EXPECT_THAT(one.out, HasSubstr("128 servers, 9216 attachments, 2 incidents"));
  ASSERT_EQ(simulate("2", "7", "b").status, 0);
  ASSERT_EQ(simulate("2", "8", "c").status, 0);
  const auto files = files_of(folder / "a");
  EXPECT_GE(files.size(), 128U + 2);
  EXPECT_TRUE(files == files_of(folder / "b"));
  EXPECT_FALSE(files == files_of(folder / "c"));
  const Said checked = laggard({"system", "check", folder / "a/system.toml", folder / "a"});
  EXPECT_EQ(checked.status, 0) << checked.out;
  EXPECT_THAT(checked.out, HasSubstr("old LUNs, priority 1     768 members"));
}

TEST(SimulateScale, AsManyArraysAsAskedFor) {
  const Folder folder;
  const Said said = laggard_lab(
      {"simulate", "--scale", "intrepid", "--arrays", "3", "--duration", "10m", "-o", folder / "rec"});
  ASSERT_EQ(said.status, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("24 servers, 1728 attachments"));
  const Said checked = laggard({"system", "check", folder / "rec/system.toml", folder / "rec"});
  EXPECT_EQ(checked.status, 0) << checked.out;
  EXPECT_THAT(checked.out, HasSubstr("old LUNs, priority 1     144 members"));
}

TEST(SimulateScale, DiagnosisNamesTheFailedController) {
  const Folder folder;
  const std::string rec = folder / "rec";
  const Said simulated = laggard_lab({"simulate", "--scale", "surveyor", "--duration", "8h", "--incident",
                                      "controller-failed", "--seed", "2", "-o", rec});
  ASSERT_EQ(simulated.status, 0) << simulated.err;
  const auto truth = nlohmann::json::parse(read_text(rec + "/truth.json"));
  const Said said = laggard({"diagnose", rec, "--system", rec + "/system.toml", "--json", "-"});
  ASSERT_EQ(said.status, 0) << said.err;
  const auto diagnosis = nlohmann::json::parse(said.out);
  ASSERT_FALSE(diagnosis["incidents"].empty());
  EXPECT_EQ(diagnosis["incidents"][0]["blame"], truth["incidents"][0]["blame"]);
  EXPECT_EQ(diagnosis["incidents"][0]["cause"], "controller-failed");
}

TEST(SimulateScale, RefusesWhatCannotBe) {
  const Folder folder;
  const auto refused = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"simulate", "--scale", "intrepid", "-o", folder / "x"};
    words.insert(words.end(), more.begin(), more.end());
    const Said said = laggard_lab(words);
    EXPECT_EQ(said.status, 2);
    return said.err;
  };
  EXPECT_THAT(refused({"--incident", "gremlins"}),
              HasSubstr("'gremlins' is none of controller-failed, server-down,"));
  EXPECT_THAT(refused({"--interval", "100ms"}), HasSubstr("whole seconds"));
  EXPECT_THAT(refused({"--duration", "1m"}), HasSubstr("ten intervals"));
  EXPECT_THAT(refused({"--day", "yesterday"}), HasSubstr("no date"));
  EXPECT_THAT(refused({"--incidents", "1000"}), HasSubstr("at most 100"));
}

TEST(ScoreScale, HoldsASimulatedSiteAgainstItsTruth) {
  const Folder folder;
  const Said simulated = laggard_lab({"simulate", "--scale", "surveyor", "--duration", "3h", "--incident",
                                      "server-down", "--seed", "2", "-o", folder / "days/one"});
  ASSERT_EQ(simulated.status, 0) << simulated.err;
  const Said scored = laggard_lab({"score", folder / "days", "--json", folder / "score.json"});
  ASSERT_EQ(scored.status, 0) << scored.err;
  EXPECT_THAT(scored.out, HasSubstr("| one | server-down server fs"));
  const auto json = nlohmann::json::parse(read_text(folder / "score.json"));
  EXPECT_EQ(json["schema"], "laggard.lab-scale-score/1");
  EXPECT_EQ(json["all"]["problems"], 1);
  EXPECT_EQ(json["recordings"][0]["problems"][0]["kind"], "server-down");
  // The same, from a diagnosis that was made before.
  const Said diagnosed = laggard({"diagnose", folder / "days/one", "--system",
                                  folder / "days/one/system.toml", "--json", folder / "days/one/d.json"});
  ASSERT_EQ(diagnosed.status, 0) << diagnosed.err;
  EXPECT_EQ(laggard_lab({"score", folder / "days", "--diagnosis", "d.json"}).out, scored.out);
  EXPECT_THAT(laggard_lab({"score", folder / "days", "--diagnosis", "none.json"}).err,
              HasSubstr("none.json"));
}

/// Before a step by `by_s`, a simulated server's clock is behind by that much.
struct Off {
  WallTime until;
  double ahead = 0;
};
std::map<std::string, Off> truth_of(const std::string& folder) {
  std::map<std::string, Off> off;
  const Json truth = Json::parse(read_text(folder + "/truth.json"));
  for (const Json& step : truth["clock_steps"]) {
    off[step["server"]] = {parse_time(step["at"].get<std::string>()).value(), -step["by_s"].get<double>()};
  }
  return off;
}

/// Every clock that is reported as wrong was wrong at that time, and by about that much.
void expect_true(const Clocks& clocks, const std::map<std::string, Off>& truth) {
  for (const ClockSkew& skew : clocks.skewed) {
    ASSERT_TRUE(truth.contains(skew.host)) << skew.host << " is said to be off and never was";
    const Off& off = truth.at(skew.host);
    EXPECT_NEAR(to_seconds(skew.ahead), off.ahead, 8.5) << skew.host;
    EXPECT_LT(skew.from, off.until) << skew.host;
  }
}

TEST(SkewedSites, OnlyClocksThatWereOffAreSaidToBe) {
  for (const char* seed : {"1", "2", "3"}) {
    const Folder folder;
    const std::string day = folder / "day";
    const Said made = laggard_lab({"simulate", "--scale", "surveyor", "--seed", seed, "-o", day});
    ASSERT_EQ(made.status, cmd::kClean) << made.err;
    cmd::DiagnoseOptions options;
    options.analysis.recordings = {day};
    options.analysis.system = day + "/system.toml";
    options.quiet = true;
    const auto diagnosis = cmd::diagnose(options);
    ASSERT_TRUE(diagnosis) << diagnosis.error().message();
    expect_true(diagnosis->coverage.clocks, truth_of(day));
  }
}

}  // namespace
}  // namespace laggard::lab
