// Thresholds for the service times of system calls: learnt and used, by both algorithms.
#include "cmd/service_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "archive/writer.h"
#include "base/file.h"
#include "detect/peer/compare/thresholds.h"
#include "testing/archive.h"
#include "testing/cli.h"
#include "testing/syscalls.h"

namespace laggard::cmd {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using testing_support::laggard;
using testing_support::Said;

constexpr int kServers = 6;
constexpr int kSeconds = 400;
constexpr int kCallsPerSecond = 4;

class ServiceTimeTraining : public ::testing::Test {
 protected:
  /// Of a server's calls in a second, in units of 0.1 ms: the sixth server's disk is saturated.
  using Took = std::function<int(int server, int second)>;
  static int healthy(int server, int second) {
    const int varies = (second * server) % 5 + second % 7;
    return server == 6 ? 100 + 4 * varies : 20 + varies;
  }
  static int third_is_sick(int server, int second) {
    return healthy(server, second) + (server == 3 && second >= 200 && second < 201 ? 15 : 0);
  }
  static int third_is_sick_for_long(int server, int second) {
    return healthy(server, second) * (server == 3 && second >= 100 && second < 300 ? 12 : 1);
  }

  std::string record(const std::string& name, const Took& took, const std::string& call = "pread64") {
    const std::filesystem::path folder = dir_.path() / name;
    archive::testing::ManualClock clock;
    archive::ObservationWriter writer(folder, {}, clock);
    for (int server = 1; server <= kServers; ++server) {
      EventTable table("s" + std::to_string(server), std::string(kSyscallKind));
      for (int i = 0; i < kSeconds * kCallsPerSecond; ++i) {
        const WallTime time = from_unix_ns(1'700'000'000'000'000'000) + i * (1000ms / kCallsPerSecond);
        const Duration duration = took(server, i / kCallsPerSecond) * 100us;
        if (call == "recvfrom") {
          laggard::testing_support::add_request(table, server, time, duration);
        } else {
          laggard::testing_support::add_call(table, {time, duration, call, "/data/brick/f", "65536"});
        }
      }
      EXPECT_TRUE(writer.append(table));
    }
    EXPECT_TRUE(writer.close());
    return folder.string();
  }
  [[nodiscard]] Said train(const std::string& recording, const std::string& algorithm,
                           std::vector<std::string> more = {}) const {
    std::vector<std::string> words{"train",    recording, "--algorithm", algorithm,
                                   "--preset", "lab",     "--out",       thresholds_};
    words.insert(words.end(), more.begin(), more.end());
    return laggard(words);
  }
  [[nodiscard]] detect::Thresholds trained() const {
    return detect::read_thresholds(*read_file(thresholds_), thresholds_).value();
  }
  [[nodiscard]] Result<Diagnosis> diagnosed(const std::string& recording, const std::string& algorithm,
                                            bool with_thresholds = true) const {
    DiagnoseOptions options = testing_support::quiet_diagnosis({recording});
    options.analysis.algorithm = algorithm;
    if (with_thresholds) options.thresholds = thresholds_;
    return diagnose(options);
  }

  archive::testing::TempDir dir_;
  std::string thresholds_ = (dir_.path() / "thresholds.toml").string();
};

constexpr const char* kGroup = "daemons storage-calls";

TEST_F(ServiceTimeTraining, ThePapersOwnFindsWhoExceedsItsOwnForASecond) {
  const Said said = train(record("healthy", healthy), "paper");
  ASSERT_EQ(said.status, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("saturated in dread of daemons storage-calls, and no part of its median: "
                                  "s6/storage-calls\n"));
  const detect::Thresholds thresholds = trained();
  const auto* const group = thresholds.find("deviation", "dread", kGroup);
  ASSERT_NE(group, nullptr);
  EXPECT_THAT(group->saturated, ElementsAre("s6/storage-calls"));
  EXPECT_LT(group->of("s3/storage-calls"), 0.5);
  EXPECT_GT(group->of("s6/storage-calls"), 5);

  const auto by_distance = diagnosed(record("again", healthy), "laggard");
  ASSERT_FALSE(by_distance);
  EXPECT_THAT(by_distance.error().message(),
              HasSubstr("trained for the distance deviation, but this run uses cdf"));
  const Diagnosis well = diagnosed((dir_.path() / "again").string(), "paper").value();
  EXPECT_THAT(well.incidents, IsEmpty());
  const Diagnosis sick = diagnosed(record("sick", third_is_sick), "paper").value();
  ASSERT_EQ(sick.incidents.size(), 1U);
  const Incident& incident = sick.incidents.front();
  EXPECT_THAT(incident.components, ElementsAre("s3/storage-calls"));
  EXPECT_TRUE(incident.confirmed_since);
  ASSERT_EQ(incident.evidence.size(), 1U);
  const Evidence& evidence = incident.evidence.front();
  EXPECT_EQ(evidence.detector, "deviation");
  EXPECT_EQ(evidence.threshold, group->of("s3/storage-calls"));
  EXPECT_GT(evidence.distance, 1);
}

TEST_F(ServiceTimeTraining, MessagesAreJudgedAsCallsAre) {
  const std::string system = (dir_.path() / "system.toml").string();
  std::ofstream(system) << "[[servers]]\nname = \"s[1-6]\"\naddress = \"10.0.0.[1-6]\"\n"
                           "[[clients]]\nname = \"c1\"\naddress = \"10.0.0.9\"\n";
  const Said said = train(record("healthy", healthy, "recvfrom"), "paper", {"--system", system});
  ASSERT_EQ(said.status, 0) << said.err;
  EXPECT_THAT(said.out,
              HasSubstr("saturated in nsread of tcp-from-servers, and no part of its median: s6/tcp-out\n"));
  for (const auto& [name, took] : {std::pair("well", &healthy), std::pair("sick", &third_is_sick)}) {
    const Said verdict =
        laggard({"diagnose", record(name, took, "recvfrom"), "--algorithm", "paper", "--preset", "lab",
                 "--system", system, "--thresholds", thresholds_, "--check"});
    const bool sick = name == std::string("sick");
    EXPECT_EQ(verdict.status, sick ? kFinding : kClean) << verdict.out << verdict.err;
    const std::string sentence = "s3/tcp-out was 1.5 ms off the median of its 5 peers";
    EXPECT_EQ(verdict.out.find(sentence) != std::string::npos, sick) << verdict.out;
  }
}

TEST_F(ServiceTimeTraining, AFactorMultipliesWhatSDoesNot) {
  const std::string recording = record("healthy", healthy);
  ASSERT_EQ(train(recording, "paper").status, 0);
  const double once = trained().find("deviation", "dread", kGroup)->of("s2/storage-calls");
  ASSERT_EQ(train(recording, "paper", {"--factor", "3"}).status, 0);
  EXPECT_DOUBLE_EQ(trained().find("deviation", "dread", kGroup)->of("s2/storage-calls"), 3 * once);
  EXPECT_THAT(diagnosed(record("sick", third_is_sick), "paper").value().incidents,
              testing::SizeIs(once * 3 > 1.5 ? 0 : 1));
}

TEST_F(ServiceTimeTraining, WithoutThresholdsThePaperHasNoVerdictAndSaysSo) {
  const std::string recording = record("sick", third_is_sick);
  const auto refused = diagnosed(recording, "paper", false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(
      refused.error().message(),
      "--algorithm paper: dread of daemons storage-calls, dwrite of daemons storage-calls, dwrite-direct of "
      "daemons storage-calls: what calls take is held against trained thresholds alone; `laggard train "
      "--algorithm paper` learns them, --thresholds uses them");
  ASSERT_EQ(train(record("healthy", healthy, "pwrite64"), "paper").status, 0);
  const std::vector<std::string> diagnose{"diagnose", recording, "--algorithm",  "paper",    "--preset",
                                          "lab",      "--check", "--thresholds", thresholds_};
  EXPECT_EQ(laggard(diagnose).status, kNotJudged) << "of reads nothing was learnt";
  record("sick", third_is_sick, "pwrite64");
  const Said said = laggard(diagnose);
  EXPECT_EQ(said.status, kFinding) << said.err;
  EXPECT_THAT(said.out, AllOf(StartsWith("not judged: dread of daemons storage-calls, dwrite-direct of"),
                              HasSubstr("in one second the time of a write to storage of s3/storage-calls"),
                              HasSubstr("\nCompared: dwrite\n"), Not(HasSubstr("distributed"))));
}

TEST_F(ServiceTimeTraining, OfOursIsOfTheDistanceOfThePeers) {
  const Said said = train(record("healthy", healthy), "laggard", {"--keep-all"});
  ASSERT_EQ(said.status, 0) << said.err;
  EXPECT_THAT(said.out, Not(HasSubstr("saturated")));
  const detect::Thresholds thresholds = trained();
  const auto* const group = thresholds.find("cdf", "dread", kGroup);
  ASSERT_NE(group, nullptr);
  EXPECT_THAT(group->saturated, IsEmpty());
  EXPECT_THAT(diagnosed(record("again", healthy), "laggard").value().incidents, IsEmpty());
  const Diagnosis sick = diagnosed(record("sick", third_is_sick_for_long), "laggard").value();
  ASSERT_EQ(sick.incidents.size(), 1U);
  EXPECT_THAT(sick.incidents.front().components, ElementsAre("s3/storage-calls"));
  EXPECT_EQ(sick.incidents.front().evidence.front().detector, "cdf");
  EXPECT_EQ(sick.thresholds, ThresholdOrigin::kTrained);
}

}  // namespace
}  // namespace laggard::cmd
