// What `diagnose` says, through the command itself: the JSON that scripts rely on, the distances a user may
// ask for, and what of a recording is looked at. What the analysis finds is tested in engine.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <regex>
#include <set>

#include "testing/cli.h"
#include "testing/golden.h"

namespace laggard::cmd {
namespace {

using Json = nlohmann::ordered_json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_support::Folder;
using testing_support::kExample;
using testing_support::laggard;
using testing_support::replaced;
using testing_support::Said;

/// Just before the fault of the example begins.
constexpr const char* kHealthyUntil = "2026-11-20T19:22:36Z";

Json diagnose(std::vector<std::string> words) {
  words.insert(words.begin(), "diagnose");
  words.insert(words.end(), {"--json", "-"});
  const Said said = laggard(words);
  EXPECT_EQ(said.status, kClean) << said.err;
  return Json::parse(said.out);
}

/// `s2 disk-busy`, confirmed ones that nothing else explains.
std::vector<std::string> confirmed(const Json& diagnosis) {
  std::vector<std::string> found;
  for (const Json& incident : diagnosis["incidents"]) {
    if (incident["state"] != "confirmed" || incident["status"] == "explained") continue;
    found.push_back(incident["blame"]["name"].get<std::string>() + " " +
                    incident["cause"].get<std::string>());
  }
  return found;
}

void expect_golden_text(const std::string& name, const std::string& text) {
  static const std::regex kLongDecimals(R"((\d\.\d{4})\d+)");
  report::expect_golden(name, std::regex_replace(replaced(text, kExample, "EXAMPLE"), kLongDecimals, "$1"),
                        "cmd");
}

void expect_time(const Json& value) {
  static const std::regex kTime(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z)");
  ASSERT_TRUE(value.is_string());
  EXPECT_TRUE(std::regex_match(value.get<std::string>(), kTime)) << value;
}

void expect_one_of(const Json& value, const std::set<std::string>& words) {
  ASSERT_TRUE(value.is_string());
  EXPECT_TRUE(words.contains(value.get<std::string>())) << value;
}

void expect_evidence(const Json& evidence) {
  EXPECT_TRUE(evidence["source"].is_string());
  EXPECT_TRUE(evidence["metric"].is_string());
  EXPECT_TRUE(evidence["component"].is_string());
  EXPECT_TRUE(evidence["distance"].is_number());
  EXPECT_TRUE(evidence["threshold"].is_number());
  for (const Json& window : evidence["windows"]) expect_time(window);
}

void expect_incident(const Json& incident) {
  EXPECT_TRUE(incident["id"].is_string());
  expect_time(incident["since"]);
  expect_time(incident["faulty_since"]);
  if (!incident["until"].is_null()) expect_time(incident["until"]);
  expect_one_of(incident["state"], {"suspected", "confirmed"});
  expect_one_of(incident["status"], {"open", "closed", "excluded", "explained"});
  EXPECT_TRUE(incident["confidence"].is_null() || incident["confidence"].is_number());
  expect_one_of(incident["blame"]["kind"],
                {"server", "disk", "lun", "attachment", "controller", "array", "drawer", "link", "network",
                 "load_balancer", "metadata_server", "client"});
  EXPECT_TRUE(incident["blame"]["name"].is_string());
  EXPECT_TRUE(incident["alternatives"].is_array());
  EXPECT_FALSE(incident["components"].empty());
  EXPECT_TRUE(incident["cause"].is_string());
  EXPECT_TRUE(incident["resource"].is_string());
  EXPECT_TRUE(incident["rule"].is_string());
  EXPECT_TRUE(incident.contains("mode"));
  EXPECT_TRUE(incident["persistence"].is_number_integer());
  EXPECT_TRUE(incident["severity"].is_number());
  expect_one_of(incident["thresholds"], {"trained", "self"});
  EXPECT_FALSE(incident["evidence"].empty()) << "a verdict without evidence is never shown";
  for (const Json& evidence : incident["evidence"]) expect_evidence(evidence);
}

/// Field by field what the documentation of the JSON promises.
void expect_schema(const Json& diagnosis) {
  EXPECT_EQ(diagnosis["schema"], "laggard.diagnosis/1");
  expect_time(diagnosis["from"]);
  expect_time(diagnosis["to"]);
  EXPECT_TRUE(diagnosis["distance"].is_string());
  for (const Json& incident : diagnosis["incidents"]) expect_incident(incident);
  for (const Json& ranked : diagnosis["ranking"]) {
    EXPECT_TRUE(ranked["component"].is_string());
    EXPECT_TRUE(ranked["group"].is_string());
    EXPECT_TRUE(ranked["persistence"].is_number_integer());
    EXPECT_TRUE(ranked["severity"].is_number());
  }
  const Json& coverage = diagnosis["coverage"];
  EXPECT_TRUE(coverage["hosts"].is_number_integer());
  EXPECT_TRUE(coverage["components"].is_number_integer());
  for (const char* list : {"metrics", "missing", "not_comparable"}) {
    for (const Json& item : coverage[list]) EXPECT_TRUE(item.is_string()) << list;
  }
}

TEST(DiagnoseCommand, TheExampleAsText) {
  const Said said = laggard({"diagnose", kExample});
  EXPECT_EQ(said.status, kClean) << said.err;
  expect_golden_text("example.txt", said.out);
}

TEST(DiagnoseCommand, JsonIsAsDocumented) {
  const Json sick = diagnose({kExample});
  expect_schema(sick);
  EXPECT_EQ(sick["incidents"].size(), 1U);
  expect_schema(diagnose({kExample, "--to", kHealthyUntil}));
}

TEST(DiagnoseCommand, ARecordedTraceAsText) {
  const std::filesystem::path trace =
      std::filesystem::path(LAGGARD_SOURCE_DIR) / "../shared/traces/ddw-receive-pktloss-s6-L/samples.csv.xz";
  if (!std::filesystem::exists(trace)) GTEST_SKIP() << "no recording at " << trace;
  const Folder folder;
  const std::string recording = folder / "trace";
  ASSERT_EQ(laggard({"import", "csv", trace, "--out", recording}).status, kClean);
  const Said said = laggard({"diagnose", recording});
  EXPECT_EQ(said.status, kClean) << said.err;
  expect_golden_text("trace.txt", said.out);
  expect_schema(diagnose({recording}));
}

/// Every distance is held against thresholds in its own unit, without any training.
class Distances : public testing::TestWithParam<const char*> {};

TEST_P(Distances, FindTheSickDiskOfTheExampleWithoutTraining) {
  const Json diagnosis = diagnose({kExample, "--distance", GetParam()});
  expect_schema(diagnosis);
  EXPECT_THAT(confirmed(diagnosis), ElementsAre("s2 disk-busy"));
}

TEST_P(Distances, SayNothingBeforeTheFault) {
  for (const char* preset : {"auto", "quick"}) {
    const Json diagnosis =
        diagnose({kExample, "--distance", GetParam(), "--to", kHealthyUntil, "--preset", preset});
    EXPECT_THAT(confirmed(diagnosis), IsEmpty()) << preset;
  }
}

INSTANTIATE_TEST_SUITE_P(One, Distances, testing::Values("cdf", "wasserstein", "kl", "median", "thresh"));
INSTANTIATE_TEST_SUITE_P(Several, Distances,
                         testing::Values("cdf,kl", "median,thresh", "cdf,wasserstein,kl,median,thresh"));

TEST(DiagnoseCommand, SeveralDistancesAreWitnessesOfOneIncident) {
  const Json diagnosis = diagnose({kExample, "--distance", "cdf,kl,median"});
  EXPECT_EQ(diagnosis["distance"], "cdf+kl+median");
  ASSERT_EQ(diagnosis["incidents"].size(), 1U);
  std::set<std::string> detectors;
  for (const Json& evidence : diagnosis["incidents"][0]["evidence"]) detectors.insert(evidence["detector"]);
  EXPECT_THAT(detectors, ElementsAre("cdf", "kl", "median"));
}

TEST(DiagnoseCommand, SeveralDistancesCanBeTrainedTogether) {
  const Folder folder;
  const std::string out = folder / "t.toml";
  const std::string both = "cdf,kl,median";
  ASSERT_EQ(laggard({"train", kExample, "--to", kHealthyUntil, "--preset", "quick", "--distance", both,
                     "--out", out})
                .status,
            kClean);
  const Json diagnosis = diagnose({kExample, "--thresholds", out, "--distance", both});
  EXPECT_THAT(confirmed(diagnosis), ElementsAre("s2 disk-busy"));
  EXPECT_EQ(diagnosis["thresholds"], "trained");
  const Said other = laggard({"diagnose", kExample, "--thresholds", out, "--distance", "thresh"});
  EXPECT_EQ(other.status, kBadUse);
  EXPECT_THAT(other.err, HasSubstr("thresh"));
}

/// Latencies of three servers: 100 s, nothing for `hole` seconds, and 100 s again.
std::string with_a_hole(const Folder& folder, int hole) {
  std::string csv = "time,host,kind,device,counter,value\n";
  for (int t = 0; t < 200; ++t) {
    const int time = 100'000 + t + (t < 100 ? 0 : hole);
    for (int s = 1; s <= 3; ++s) {
      csv += std::to_string(time) + ",s" + std::to_string(s) + ",disk,sda,latency," + std::to_string(5 + s) +
             "\n";
    }
  }
  const std::string out = folder / "hole";
  EXPECT_EQ(laggard({"import", "csv", folder.write("hole.csv", csv), "--out", out}).status, kClean);
  return out;
}

TEST(DiagnoseCommand, AutoGoesByWhatWasRecordedNotByTheSpan) {
  const Folder folder;
  const std::string recording = with_a_hole(folder, 7200);
  EXPECT_THAT(laggard({"diagnose", recording}).out, HasSubstr("preset quick for a recording of 3m18s"));
  const Said trained = laggard({"train", recording, "--out", folder / "t.toml"});
  EXPECT_EQ(trained.status, kClean) << trained.err;
  EXPECT_THAT(trained.out, HasSubstr("preset quick for a recording of 3m18s"));
}

TEST(DiagnoseCommand, WindowsOfTwoLengthsSideBySide) {
  const Folder folder;
  const std::string recording = with_a_hole(folder, 7200);
  const std::string both = "and the windows of lab beside it";
  EXPECT_THAT(laggard({"diagnose", recording}).out, HasSubstr(both));
  EXPECT_THAT(laggard({"diagnose", recording, "--json", "-"}).out, HasSubstr("\"beside\": \"lab\""));
  EXPECT_THAT(laggard({"diagnose", recording, "--filter-k", "2"}).out, Not(HasSubstr(both)));
  EXPECT_THAT(laggard({"diagnose", recording, "--preset", "quick", "--json", "-"}).out,
              Not(HasSubstr("beside")));
  const std::string file = folder / "t.toml";
  EXPECT_EQ(laggard({"train", recording, "--preset", "lab,quick", "--out", file}).status, kClean);
  EXPECT_THAT(testing_support::read_text(file),
              AllOf(HasSubstr("preset = \"lab\""), HasSubstr("[[beside]]"), HasSubstr("preset = \"quick\"")));
  EXPECT_THAT(laggard({"diagnose", recording, "--thresholds", file}).out, HasSubstr(both));
  for (const char* preset : {"lab", "quick", "lab,quick"}) {
    const Said said = laggard({"diagnose", recording, "--thresholds", file, "--preset", preset});
    EXPECT_EQ(said.status, kClean) << preset << ": " << said.err;
  }
}

/// Three days of four disks every 15 s, whose latency is noise around its own mean.
std::string three_days(const Folder& folder) {
  constexpr std::int64_t kRows = 3 * 5760;
  std::mt19937 random(7);
  std::normal_distribution<double> noise(10, 1);
  std::string csv = "time,host,device,latency,throughput\n";
  for (std::int64_t row = 0; row < kRows; ++row) {
    for (const char* host : {"fs1", "fs2", "fs3", "fs4"}) {
      csv += fmt::format("{},{},sdb,{:.2f},{:.1f}\n", 864000 + row * 15, host, noise(random),
                         100 * noise(random));
    }
  }
  const std::string out = folder / "days";
  const Said said =
      laggard({"import", "csv", folder.write("days.csv", csv), "--time", "time", "--host-column", "host",
               "--component", "device", "--gauge", "latency,throughput", "--out", out});
  EXPECT_EQ(said.status, kClean) << said.err;
  return out;
}

TEST(DiagnoseCommand, LearnsFromTheRecordingsOwnDays) {
  const Folder folder;
  const std::string recording = three_days(folder);
  const std::string file = folder / "learnt.toml";
  const Said said = laggard({"diagnose", recording, "--learn", file, "--json", "-"});
  ASSERT_EQ(said.status, kClean) << said.err;
  EXPECT_EQ(Json::parse(said.out)["verdict"], "well");
  EXPECT_THAT(testing_support::read_text(file),
              AllOf(HasSubstr("--learn write"), HasSubstr("format = \"laggard.thresholds/1\""),
                    HasSubstr("latency"), HasSubstr("preset = \"production\"")));
  const Said held = laggard({"diagnose", recording, "--thresholds", file});
  EXPECT_EQ(held.status, kClean) << held.err << ": what was learnt are thresholds as any";
  EXPECT_THAT(laggard({"diagnose", recording, "--learn", file, "--thresholds", file}).err,
              HasSubstr("--learn: goes without --thresholds"));
}

TEST(DiagnoseCommand, PointsAtASystemThatLiesInTheRecording) {
  const Folder folder;
  const std::string recording = with_a_hole(folder, 7200);
  const std::string file = recording + "/system.toml";
  EXPECT_THAT(laggard({"diagnose", recording}).out, Not(HasSubstr("--system")));
  EXPECT_EQ(laggard({"system", "discover", recording, "-o", file}).status, kClean);
  EXPECT_THAT(laggard({"diagnose", recording}).out, HasSubstr("--system " + file + " uses it"));
  EXPECT_THAT(laggard({"diagnose", recording, "--system", file}).out, Not(HasSubstr("not used")));
}

TEST(DiagnoseCommand, GapsOutsideTheSpanAreNotListed) {
  const Folder folder;
  const std::string recording = with_a_hole(folder, 7200);
  EXPECT_EQ(diagnose({recording})["coverage"]["missing"].size(), 3U) << "one of each host";
  EXPECT_THAT(diagnose({recording, "--to", "100090"})["coverage"]["missing"], IsEmpty());
  EXPECT_THAT(diagnose({recording, "--from", "107310"})["coverage"]["missing"], IsEmpty());
  const Json cut = diagnose({recording, "--from", "103600"});
  ASSERT_EQ(cut["coverage"]["missing"].size(), 3U);
  EXPECT_THAT(cut["coverage"]["missing"][0].get<std::string>(), HasSubstr("from 1970-01-02T04:46:40Z"));
}

TEST(DiagnoseCommand, GoesOnWithAJournalToTheSameAnswer) {
  const Folder folder;
  const std::string checkpoint = folder / "checkpoint";
  const Said plain = laggard({"diagnose", kExample, "--json", "-"});
  const Said first = laggard({"diagnose", kExample, "--json", "-", "--resume", checkpoint});
  EXPECT_EQ(first.status, kClean) << first.err;
  EXPECT_EQ(first.out, plain.out);
  EXPECT_EQ(first.err, "");
  const std::string whole = testing_support::read_text(checkpoint);

  const Said again = laggard({"diagnose", kExample, "--json", "-", "--resume", checkpoint});
  EXPECT_EQ(again.out, plain.out);
  EXPECT_THAT(again.err, HasSubstr("checkpoint: judged before up to 2026-11-20T19:2"));
  EXPECT_EQ(testing_support::read_text(checkpoint), whole);

  std::filesystem::resize_file(checkpoint, whole.size() / 2);
  const Said cut = laggard({"diagnose", kExample, "--json", "-", "--resume", checkpoint});
  EXPECT_EQ(cut.out, plain.out) << cut.err;
  EXPECT_THAT(cut.err, AllOf(HasSubstr("going on, judged before up to"), HasSubstr("cut off")));

  const Said other = laggard({"diagnose", kExample, "--resume", checkpoint, "--shift", "5"});
  EXPECT_EQ(other.status, kBadUse);
  EXPECT_THAT(other.err, HasSubstr("the checkpoint is of other options"));
  const Said factor = laggard({"diagnose", kExample, "--resume", checkpoint, "--confirm-persistence", "7"});
  EXPECT_EQ(factor.status, kClean) << "windows do not depend on it: " << factor.err;
}

}  // namespace
}  // namespace laggard::cmd
