#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/file.h"
#include "lab/cmd/run_folder.h"
#include "testing/lab_cli.h"

namespace laggard::lab {
namespace {

using testing::HasSubstr;

/// Runs `laggard-lab` as its users do, in a temporary folder.
class LabCommands : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const char* name) const { return folder_ / name; }

  Folder folder_;
};

TEST_F(LabCommands, WritesARecordingThatDiagnoseReads) {
  const Said simulated = laggard_lab({"simulate", "--workload", "ddr", "--fault", "disk-hog", "--seed", "3",
                                      "--clients", "4", "--servers", "5", "-o", path("rec")});
  ASSERT_EQ(simulated.status, 0) << simulated.err;
  EXPECT_THAT(simulated.out, HasSubstr("disk-hog at s3"));
  const auto truth = read_truth(path("rec"));
  ASSERT_TRUE(truth.has_value()) << truth.error().message();
  EXPECT_EQ(truth->faulty_server, "s3");
  const Said diagnosed = laggard({"diagnose", path("rec"), "--system", path("rec/system.toml"), "--check"});
  EXPECT_EQ(diagnosed.status, 1) << diagnosed.err;
  EXPECT_THAT(diagnosed.out, HasSubstr("s3: disk-hog"));
}

TEST_F(LabCommands, RefusesWhatCannotBe) {
  std::filesystem::create_directories(path("full"));
  ASSERT_TRUE(write_file(path("full/x"), "x"));
  EXPECT_THAT(laggard_lab({"simulate", "-o", path("full")}).err, HasSubstr("not empty"));
  EXPECT_THAT(laggard_lab({"simulate", "--faulty-server", "11", "-o", path("a")}).err,
              HasSubstr("there are 10 servers"));
  const Said late = laggard_lab({"simulate", "--fault", "disk-hog", "--duration", "300s", "-o", path("b")});
  EXPECT_EQ(late.status, 2);
  EXPECT_THAT(late.err, HasSubstr("end within the run"));
}

TEST_F(LabCommands, CallsAreCountedByTheStripedServiceAlone) {
  const Said refused = laggard_lab({"bench", "--calls", "-o", path("run")});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("--calls: needs --file-system striped"));
}

TEST_F(LabCommands, ScoreHoldsRecordedRunsAgainstTheirTruth) {
  const auto simulate = [&](const char* fault, const char* seed, const char* name) {
    const Said ran = laggard_lab({"simulate", "--workload", "ddr", "--fault", fault, "--seed", seed,
                                  "--clients", "3", "--servers", "4", "-o", path(name)});
    ASSERT_EQ(ran.status, 0) << ran.err;
  };
  simulate("none", "1", "runs/a");
  simulate("none", "2", "runs/b");
  simulate("disk-hog", "3", "runs/c");
  const Said scored =
      laggard_lab({"score", path("runs"), "--json", path("s.json"), "--html", path("s.html")});
  ASSERT_EQ(scored.status, 0) << scored.err;
  EXPECT_THAT(scored.out, HasSubstr("## pvfs 3/4, 3 runs"));
  EXPECT_THAT(scored.out, HasSubstr("| disk-hog | 100.0 ("));
  EXPECT_THAT(*read_file(path("s.json")), HasSubstr("laggard.lab-score/1"));
  EXPECT_THAT(*read_file(path("s.html")), HasSubstr("<td>disk-hog</td>"));
}

TEST_F(LabCommands, ScoreJudgesShortRunsByShortWindows) {
  // Too short for two of lab's filters, in which nobody could be found.
  const auto simulate = [&](const char* fault, const char* seed, const char* name) {
    const Said ran = laggard_lab({"simulate", "--workload", "ddr", "--fault", fault, "--seed", seed,
                                  "--clients", "3", "--servers", "4", "--duration", "130s", "--fault-from",
                                  "30s", "--fault-to", "110s", "-o", path(name)});
    ASSERT_EQ(ran.status, 0) << ran.err;
  };
  simulate("none", "1", "short/a");
  simulate("disk-hog", "3", "short/b");
  const Said scored = laggard_lab({"score", path("short")});
  ASSERT_EQ(scored.status, 0) << scored.err;
  EXPECT_THAT(scored.out, HasSubstr("## pvfs 3/4, 2 runs"));
  EXPECT_THAT(scored.out, HasSubstr("| disk-hog | 100.0 ("));
}

TEST_F(LabCommands, CampaignsDoNotDependOnThreads) {
  const auto campaign = [&](const char* threads) {
    return laggard_lab({"campaign", "--clusters", "pvfs:3/4", "--workloads", "ddr", "--faults",
                        "none,disk-busy", "--iterations", "1", "--training", "1", "--threads", threads});
  };
  const Said one = campaign("1");
  ASSERT_EQ(one.status, 0) << one.err;
  EXPECT_THAT(one.out, HasSubstr("| disk-busy | 100.0 ("));
  EXPECT_EQ(one.out, campaign("3").out);
}

TEST_F(LabCommands, TrainingOnSaturatedDisksDoesNotBlindLightLoad) {
  // In ddw Lustre's disks are saturated, and healthy ones wait ten times as long as their peers; in postmark
  // they do a hundredth of that, and a busy disk is five times slower.
  const Said said =
      laggard_lab({"campaign", "--clusters", "lustre:5/5", "--workloads", "postmark", "--faults", "disk-busy",
                   "--iterations", "1", "--training", "1", "--seed", "42", "--runs", "--threads", "2"});
  ASSERT_EQ(said.status, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("\n  laggard: s1 disk-busy, from s1/await"));
}

TEST_F(LabCommands, SpeaksUnderTheNameOfItsProgram) {
  EXPECT_EQ(laggard_lab({"--version"}).out, "laggard-lab " + laggard({"--version"}).out);
  EXPECT_THAT(laggard_lab({"score", "--help"}).out, HasSubstr("Usage: laggard-lab score"));
  const Said said = laggard_lab({"score", path("nowhere")});
  EXPECT_EQ(said.status, cmd::kBadUse);
  EXPECT_THAT(said.err, testing::StartsWith("laggard-lab: " + path("nowhere") + ": "));
}

TEST_F(LabCommands, CampaignRefusesWhatItDoesNotKnow) {
  EXPECT_THAT(laggard_lab({"campaign", "--clusters", "pvfs"}).err, HasSubstr("'pvfs' is no cluster"));
  EXPECT_THAT(laggard_lab({"campaign", "--faults", "flood"}).err, HasSubstr("'flood' is unknown"));
  EXPECT_THAT(laggard_lab({"score", path("")}).err, HasSubstr("holds no run"));
}

}  // namespace
}  // namespace laggard::lab
