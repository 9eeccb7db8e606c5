#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>

#include "cmd/analysis_setup.h"
#include "testing/cli.h"
#include "testing/golden.h"

namespace laggard::cmd {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using testing_support::Folder;
using testing_support::kExample;
using testing_support::laggard;
using testing_support::read_text;
using testing_support::replaced;
using testing_support::Said;

constexpr const char* kBlame = "\"kind\": \"server\",\n        \"name\": \"s2\"";

/// Three servers and their latencies every second; enough for the quick preset.
std::string small_recording(const Folder& folder, int seconds = 60) {
  std::string csv = "time,host,kind,device,counter,value\n";
  for (int t = 0; t < seconds; ++t) {
    for (int s = 1; s <= 3; ++s) {
      csv += std::to_string(1000 + t) + ",s" + std::to_string(s) + ",disk,sda,latency," +
             std::to_string(5 + s) + "\n";
    }
  }
  const std::string out = folder / "small";
  const Said said = laggard({"import", "csv", folder.write("small.csv", csv), "--out", out});
  EXPECT_EQ(said.status, kClean) << said.err;
  return out;
}

void expect_golden_text(const std::string& name, const std::string& text, const Folder& folder) {
  const std::string plain = replaced(replaced(text, kExample, "EXAMPLE"), folder / "", "FOLDER/");
  // Another compiler's last digits are no difference.
  static const std::regex kLongDecimals(R"((\d\.\d{4})\d+)");
  report::expect_golden(name, std::regex_replace(plain, kLongDecimals, "$1"), "cmd");
}

TEST(AnalysisCommands, TheDemoSaysWhatHappenedAndWhereThePageIs) {
  const Folder folder;
  const Said said = laggard({"demo", "--html", folder / "demo.html"});
  EXPECT_EQ(said.status, kClean) << said.err;
  expect_golden_text("demo.txt", said.out, folder);
  EXPECT_THAT(said.err, IsEmpty());
  EXPECT_THAT(read_text(folder / "demo.html"),
              AllOf(HasSubstr("<html"), HasSubstr("s2"), HasSubstr("</html>")));
}

TEST(AnalysisCommands, TheSeverityThatMakesFaultyIsThePresetsUnlessItIsSet) {
  const Folder folder;
  AnalysisOptions options;
  options.recordings = {small_recording(folder)};
  const auto gate = [&](const std::string& preset) {
    options.preset = preset;
    const auto setup = prepare(options);
    EXPECT_TRUE(setup.has_value());
    return setup ? setup->pipeline.parameters.incidents.gate_severity : 0;
  };
  EXPECT_EQ(gate("quick"), 6);
  EXPECT_EQ(gate("production"), 2);
  options.parameters = {"severity.gate=7"};
  EXPECT_EQ(gate("production"), 7);
}

TEST(AnalysisCommands, WhatJudgesKnowsThePresetsWindows) {
  const Folder folder;
  AnalysisOptions options;
  options.recordings = {small_recording(folder)};
  for (const char* preset : {"quick", "production"}) {
    options.preset = preset;
    const auto setup = prepare(options);
    ASSERT_TRUE(setup.has_value());
    EXPECT_EQ(setup->pipeline.windows, setup->preset.windows)
        << preset << ": which metrics are compared depends on their interval, for all who judge or decode";
  }
}

TEST(AnalysisCommands, TheExampleAsJson) {
  const Folder folder;
  const Said said = laggard({"diagnose", kExample, "--json", "-"});
  EXPECT_EQ(said.status, kClean) << said.err;
  expect_golden_text("example.json", said.out, folder);
  const Said file = laggard({"diagnose", kExample, "--json", folder / "d.json", "--check"});
  EXPECT_EQ(file.status, kFinding);
  EXPECT_EQ(read_text(folder / "d.json"), said.out) << "the same in a file, and the text beside it";
  EXPECT_THAT(file.out, HasSubstr("s2 is sick"));
}

TEST(AnalysisCommands, ThresholdsOfTheExample) {
  const Folder folder;
  const std::string out = folder / "t.toml";
  // The first minute, before the fault.
  const Said said =
      laggard({"train", kExample, "--to", "2026-11-20T19:22:36Z", "--preset", "quick", "--out", out});
  EXPECT_EQ(said.status, kClean) << said.err;
  expect_golden_text("train.txt", said.out, folder);
  expect_golden_text("train.toml", read_text(out), folder);
  const Said used = laggard({"diagnose", kExample, "--thresholds", out, "--json", "-"});
  EXPECT_EQ(used.status, kClean) << used.err;
  EXPECT_THAT(used.out, AllOf(HasSubstr(kBlame), HasSubstr("\"thresholds\": \"trained\"")));
}

TEST(AnalysisCommands, TrainingPlotsAreAPage) {
  const Folder folder;
  const Said said = laggard({"train", small_recording(folder), "--preset", "quick", "--out",
                             folder / "t.toml", "--html", folder / "t.html"});
  EXPECT_EQ(said.status, kClean) << said.err;
  EXPECT_THAT(read_text(folder / "t.html"), AllOf(HasSubstr("latency"), EndsWith("</html>\n")));
}

TEST(AnalysisCommands, AHealthyRecordingIsClean) {
  const Folder folder;
  const Said said = laggard({"diagnose", small_recording(folder), "--check"});
  EXPECT_EQ(said.status, kClean) << said.out << said.err;
  EXPECT_THAT(said.out, HasSubstr("preset quick for a recording of 59s"));
}

TEST(AnalysisCommands, ADistanceAskedForTwiceIsOne) {
  const Folder folder;
  const Said said = laggard({"diagnose", small_recording(folder), "--distance", "cdf,wasserstein,cdf"});
  EXPECT_EQ(said.status, kClean) << said.err;
  EXPECT_THAT(said.out, HasSubstr("cdf+wasserstein"));
}

TEST(AnalysisCommands, WhoseConnectionsCountIsSaid) {
  const Folder folder;
  EXPECT_THAT(laggard({"diagnose", kExample, "--one-client"}).out,
              HasSubstr("\nconnections: only the windows of c2\n"));
  EXPECT_THAT(laggard({"diagnose", small_recording(folder), "--one-client"}).out,
              HasSubstr("connections: all, since no client is known"));
  EXPECT_THAT(laggard({"diagnose", kExample}).out, Not(HasSubstr("connections: ")));
}

TEST(AnalysisCommands, ConstantsOfThePresetAreOptions) {
  const Folder folder;
  const std::string recording = small_recording(folder);
  const Said said =
      laggard({"train", recording, "--preset", "quick", "--window", "20", "--shift", "10", "--smoothing", "3",
               "--filter-k", "2", "--factor", "1.5", "--step", "2s", "--out", folder / "t.toml"});
  EXPECT_EQ(said.status, kClean) << said.err;
  EXPECT_THAT(read_text(folder / "t.toml"),
              AllOf(HasSubstr("size = 20"), HasSubstr("shift = 10"), HasSubstr("k = 2"),
                    HasSubstr("smoothing = 3"), HasSubstr("factor = 1.5"), HasSubstr("interval = \"2s\"")));
  const Said refused = laggard({"diagnose", recording, "--thresholds", folder / "t.toml"});
  EXPECT_EQ(refused.status, kBadUse) << "other parameters of the same preset";
  EXPECT_THAT(refused.err, AllOf(HasSubstr("t.toml: trained with"), HasSubstr("but this run has")));
}

/// A mistake and what is said about it: one line, and status 2.
struct Mistake {
  std::vector<std::string> words;
  std::string sentence;
};

TEST(AnalysisCommands, MistakesAreOneClearSentence) {
  const Folder folder;
  const std::string small = small_recording(folder);
  const std::string brief = folder / "brief";
  laggard({"import", "csv",
           folder.write("b.csv", "time,host,kind,device,counter,value\n5,a,disk,d,latency,1\n"), "--out",
           brief});
  ASSERT_EQ(laggard({"train", small, "--preset", "quick", "--out", folder / "quick.toml"}).status, kClean);
  const std::string rules = folder.write("rules.toml", "[[rule]]\nname = \"x\"\n");
  const std::vector<Mistake> mistakes{
      {{"diagnose", folder / "nowhere"}, "nowhere: "},
      {{"train", folder / "nowhere"}, "nowhere: "},
      {{"diagnose", small, "--thresholds", folder / "quick.toml", "--preset", "lab"},
       "quick.toml: trained with the preset quick, but this run has lab; use the same, or train again"},
      {{"diagnose", small, "--thresholds", folder / "quick.toml", "--distance", "kl"},
       "trained for the distance cdf, but this run uses kl"},
      {{"diagnose", small, "--thresholds", rules}, "rules.toml"},
      {{"diagnose", small, "--thresholds", folder / "none.toml"}, "none.toml: "},
      {{"diagnose", small, "--rules", rules}, "rules.toml:1: a rule needs a name and a cause"},
      {{"diagnose", small, "--metric", "speed"}, "--metric: 'speed' is no metric"},
      {{"diagnose", small, "--metric", "await"}, "--metric: await cannot be computed from what "},
      {{"diagnose", small, "--distance", "far"}, "--distance: 'far' is none of cdf"},
      {{"diagnose", small, "--from", "2030-01-01T00:00:00Z"},
       "there is nothing recorded in that span of time"},
      {{"diagnose", small, "--from", "yesterday"}, "--from: "},
      {{"diagnose", small, "--from", "1020", "--to", "1010"}, "--from: must be before --to"},
      {{"diagnose", small, "--step", "often"}, "--step: 'often' is no duration"},
      {{"diagnose", small, "--step", "100ms"}, "--step: 100ms is finer than the recording's 1s"},
      {{"diagnose", small, "--window", "2"}, "--window: windows need 4 to 100000 samples"},
      {{"diagnose", small, "--window", "99999999999"}, "--window: windows need 4 to 100000 samples"},
      {{"diagnose", small, "--shift", "65"}, "a shift from 1 to the window"},
      {{"diagnose", small, "--filter-k", "0"}, "k from 1 to 32"},
      {{"train", small, "--factor", "0"}, "--factor: must be a number above 0"},
      {{"train", small, "--preset", "lab", "--out", folder / "t"},
       "holds no group of at least 3 peers with a whole window"},
      {{"train", small, "--preset", "quick", "--out", folder / "no/such/folder"}, "no/such/folder"},
      {{"diagnose", brief}, "there is nothing recorded in that span of time"},
      {{"diagnose", small, "--system", folder / "none"}, "none: "},
      {{"diagnose", small, "--json", folder / "no/such/folder"}, "no/such/folder"},
  };
  for (const Mistake& mistake : mistakes) {
    const Said said = laggard(mistake.words);
    EXPECT_EQ(said.status, kBadUse) << mistake.sentence << "\n" << said.out << said.err;
    EXPECT_THAT(said.err, AllOf(StartsWith("laggard: "), HasSubstr(mistake.sentence)));
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "t")) << "nothing half-written";
}

TEST(AnalysisCommands, WhatTheParserRefusesIsStatusTwoToo) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"diagnose"},
                                                {"diagnose", "x", "--preset", "huge"},
                                                {"train", "x", "--window", "many"},
                                                {"diagnose", "x", "--algorithm", "magic"},
                                                {"demo", "--nonsense"}}) {
    const Said said = laggard(words);
    EXPECT_EQ(said.status, kBadUse) << words[0];
    EXPECT_THAT(said.err, Not(IsEmpty()));
  }
}

TEST(AnalysisCommands, HelpHasAnExample) {
  for (const char* command : {"diagnose", "train", "demo"}) {
    const Said said = laggard({command, "--help"});
    EXPECT_EQ(said.status, kClean);
    EXPECT_THAT(said.out, HasSubstr(std::string("Example:\n  laggard ") + command));
  }
}

TEST(AnalysisCommands, ASpanOfTimeIsAnAnalysisOfItsOwn) {
  const Said said =
      laggard({"diagnose", kExample, "--preset", "quick", "--to", "2026-11-20T19:22:36Z", "--check"});
  EXPECT_EQ(said.status, kClean) << "before the fault all is well\n" << said.out << said.err;
}

}  // namespace
}  // namespace laggard::cmd
