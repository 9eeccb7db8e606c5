#include "lab/cluster/truth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace laggard::lab {
namespace {

using testing::HasSubstr;

TEST(Truth, SurvivesItsFile) {
  RunSpec run;
  run.workload = Workload::kDdRead;
  run.fault = FaultKind::kDiskHog;
  run.faulty_server = 2;
  run.seed = 9;
  const Truth written = truth_of(cluster_of(FileSystem::kLustre), run);
  const auto read = parse_truth(to_json(written), "truth.json");
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_EQ(read->workload, "ddr");
  EXPECT_EQ(read->fault, "disk-hog");
  EXPECT_EQ(read->faulty_server, "s3");
  EXPECT_EQ(read->fault_start, written.fault_start);
  EXPECT_EQ(read->fault_stop, written.fault_stop);
  EXPECT_EQ(read->stop - read->start, std::chrono::seconds(600));
  EXPECT_EQ(read->file_system, "lustre");
  EXPECT_EQ(read->servers, 10U);
  EXPECT_EQ(read->seed, 9U);
  EXPECT_EQ(read->strength, "strong");
  EXPECT_THAT(read->faulty_hosts(), testing::ElementsAre("s3"));
}

TEST(Truth, SwitchesAndClientsAreNamedAsWhatTheyAre) {
  RunSpec run;
  run.fault = *fault_of("switch-loss");
  const ClusterSpec cluster = cluster_of(FileSystem::kPvfs);
  auto read = parse_truth(to_json(truth_of(cluster, run)), "truth.json");
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_THAT(read->faulty_hosts(), testing::ElementsAre("s10", "s8", "s9"));
  run.fault = *fault_of("slow-client");
  run.faulty_server = 11;
  const std::string json = to_json(truth_of(cluster, run));
  read = parse_truth(json, "truth.json");
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_THAT(read->faulty_hosts(), testing::ElementsAre("c2"));
  EXPECT_THAT(json, HasSubstr(R"("clients": [
        "c2")"));
}

TEST(Truth, FilesOfBeforeNameOneServerOnly) {
  const auto read = parse_truth(
      R"({"fault": "disk-hog", "faulty_server": "s4", "fault_start": 10.5, "fault_stop": 20})", "truth.json");
  ASSERT_TRUE(read.has_value()) << read.error().message();
  ASSERT_EQ(read->parts.size(), 1U);
  EXPECT_EQ(read->part_of("s4")->fault, "disk-hog");
  EXPECT_TRUE(read->strength.empty());
  EXPECT_FALSE(read->lost.has_value());
}

TEST(Truth, WithoutAFaultNamesNobody) {
  const auto read = parse_truth(to_json(truth_of(cluster_of(FileSystem::kPvfs), RunSpec{})), "truth.json");
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_FALSE(read->sick());
  EXPECT_TRUE(read->faulty_server.empty());
  EXPECT_FALSE(read->fault_start.has_value());
}

TEST(Truth, SaysWhatIsMissing) {
  const auto error = [](std::string_view json) {
    return parse_truth(json, "x/truth.json").error().message();
  };
  EXPECT_THAT(error("{"), HasSubstr("x/truth.json: is no JSON object"));
  EXPECT_THAT(error("{}"), HasSubstr("does not say which fault"));
  EXPECT_THAT(error(R"({"fault": "disk-hog"})"), HasSubstr("faulty_server"));
  EXPECT_THAT(error(R"({"fault": "disk-hog", "faulty_server": "s1", "fault_start": -7e21, "fault_stop": 1})"),
              HasSubstr("fault_start"));
}

}  // namespace
}  // namespace laggard::lab
