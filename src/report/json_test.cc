#include "report/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "report/examples.h"
#include "report/json_writer.h"
#include "testing/golden.h"

namespace laggard::report {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::ElementsAre;

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> out;
  for (const auto& item : object.items()) out.push_back(item.key());
  return out;
}

TEST(DiagnosisJson, GoldenReports) {
  expect_golden("busy_disk.json", to_json(examples::busy_disk()));
  expect_golden("bad_week.json", to_json(examples::bad_week()));
  expect_golden("nothing_comparable.json", to_json(examples::nothing_comparable()));
}

TEST(DiagnosisJson, DocumentedFieldsComeFirstAndInOrder) {
  const Json json = Json::parse(to_json(examples::busy_disk()));
  EXPECT_THAT(keys(json), ElementsAre("schema", "from", "to", "distance", "incidents", "ranking", "coverage",
                                      "preset", "thresholds", "verdict", "not_judged"));
  EXPECT_EQ(json["verdict"], "sick");
  EXPECT_THAT(keys(json["incidents"][0]),
              ElementsAre("id", "since", "faulty_since", "until", "state", "status", "confidence", "blame",
                          "alternatives", "components", "cause", "resource", "rule", "mode", "persistence",
                          "severity", "thresholds", "evidence", "why", "persistent_since", "confirmed_since",
                          "check", "impact", "last_seen", "says"));
  EXPECT_THAT(keys(json["incidents"][0]["impact"]), ElementsAre("group", "before", "during", "unit"));
  EXPECT_THAT(keys(json["incidents"][0]["evidence"][0]),
              ElementsAre("source", "metric", "component", "distance", "threshold", "windows", "detector",
                          "score", "level", "peers", "unit", "note", "peer_count"));
  EXPECT_THAT(keys(json["ranking"][0]), ElementsAre("component", "group", "persistence", "severity"));
  EXPECT_THAT(keys(json["coverage"]),
              ElementsAre("hosts", "components", "metrics", "missing", "not_comparable", "clocks", "damaged",
                          "partial", "judged"));
  EXPECT_THAT(keys(json["coverage"]["judged"]),
              ElementsAre("hosts", "components", "groups", "idle", "from", "to", "recorded_s"));
  EXPECT_EQ(json["schema"], "laggard.diagnosis/1");
  EXPECT_EQ(json["incidents"][0]["since"], "2026-11-20T19:22:36Z");
  EXPECT_EQ(json["incidents"][0]["evidence"][0]["score"], 37.25 / 9.8)
      << "numbers read back to the same double";
}

TEST(DiagnosisJson, BlameSaysWhatTheSiteCallsIt) {
  Diagnosis d = examples::busy_disk();
  d.incidents.front().blame = {PartKind::kDrawer, "r7", "rack"};
  const Json json = Json::parse(to_json(d));
  EXPECT_EQ(json["incidents"][0]["blame"],
            Json::parse(R"({"kind": "drawer", "name": "r7", "called": "rack"})"));
}

TEST(DiagnosisJson, WhatIsNotKnownIsNull) {
  const Json json = Json::parse(to_json(examples::bad_week()));
  EXPECT_TRUE(json["incidents"][0]["until"].is_null());
  EXPECT_TRUE(json["incidents"][0]["confidence"].is_null());
  EXPECT_TRUE(json["incidents"][0]["mode"].is_null());
  EXPECT_TRUE(json["incidents"][4]["evidence"][0]["score"].is_null()) << "infinity is no JSON";
  EXPECT_TRUE(json["incidents"][4]["evidence"][0]["level"].is_null());
}

TEST(DiagnosisJson, EveryNameSurvivesOrIsReplaced) {
  const std::string script = to_script_json(examples::hostile());
  EXPECT_EQ(script.find_first_of("<>&\n\x1b\xff"), std::string::npos);
  const Json json = Json::parse(script);
  EXPECT_EQ(json, Json::parse(to_json(examples::hostile()))) << "two spellings of one value";
  EXPECT_EQ(json["incidents"][0]["cause"].get<std::string>(),
            std::string("</script><script>window.owned=1</script>") +
                "<img src=x onerror=\"window.owned=1\">'\x1b]0;owned\x07\xEF\xBF\xBD" + examples::kOverride);
}

RC_GTEST_PROP(DiagnosisJson, AnyTextAndNumberMakesValidJson, (const std::string& text, double number)) {
  Diagnosis d = examples::busy_disk();
  d.incidents.front().why = text;
  d.incidents.front().severity = number;
  const Json json = Json::parse(to_json(d));
  RC_ASSERT(json["incidents"][0]["severity"] == Json(number) || !std::isfinite(number));
  RC_ASSERT(Json::parse(to_script_json(d)) == json);
}

TEST(DiagnosisJson, SaysWhatIsWrongWithGroupsAsAWholeAtTheEnd) {
  Diagnosis diagnosis = examples::nobody_stands_out();
  diagnosis.shared_symptoms = {"240 of 720 probes failed"};
  const Json json = Json::parse(to_json(diagnosis));
  ASSERT_EQ(json["slowdowns"].size(), 1U);
  EXPECT_THAT(keys(json["slowdowns"][0]),
              ElementsAre("group", "members", "since", "until", "before", "during", "unit"));
  EXPECT_EQ(json["slowdowns"][0]["since"], "2026-11-20T19:22:36Z");
  EXPECT_EQ(json["slowdowns"][0]["during"], 1.02e6);
  EXPECT_EQ(json["shared_symptoms"][0], "240 of 720 probes failed");
  ASSERT_EQ(json["camps"].size(), 1U);
  EXPECT_THAT(keys(json["camps"][0]),
              ElementsAre("group", "metric", "unit", "since", "until", "higher", "lower"));
  EXPECT_TRUE(json["camps"][0]["until"].is_null());
  EXPECT_EQ(json["camps"][0]["higher"]["members"].size(), 5U);
  EXPECT_EQ(json["camps"][0]["higher"]["share"][1]["called"], "rack");
  EXPECT_EQ(json["camps"][0]["lower"]["share"].size(), 0U);
  const Json well = Json::parse(to_json(examples::all_well()));
  EXPECT_FALSE(well.contains("slowdowns") || well.contains("camps") || well.contains("shared_symptoms"))
      << "only when there are any";
}

TEST(ChangeJson, IsOneLineWithTheIncidentAsADiagnosisHasIt) {
  const Diagnosis d = examples::busy_disk();
  const std::string line = to_json_line(
      {.kind = ChangeKind::kConfirmed, .number = 17, .at = examples::at(190), .incident = d.incidents[0]});
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const Json json = Json::parse(line);
  EXPECT_THAT(keys(json), ElementsAre("change", "number", "at", "incident"));
  EXPECT_EQ(json["change"], "confirmed");
  EXPECT_EQ(json["number"], 17);
  EXPECT_EQ(json["at"], "2026-11-20T19:24:44Z");
  EXPECT_EQ(json["incident"], Json::parse(to_json(d))["incidents"][0]);
}

TEST(ChangeJson, OnlyWhatWasMergedSaysInto) {
  Change change{
      .kind = ChangeKind::kMerged, .number = 3, .at = examples::at(0), .incident = {}, .into = "a1"};
  change.incident = examples::hostile().incidents[0];
  const std::string line = to_json_line(change);
  EXPECT_EQ(line.find_first_of("\n\x1b\xff"), std::string::npos);
  const Json json = Json::parse(line);
  EXPECT_THAT(keys(json), ElementsAre("change", "number", "at", "incident", "into"));
  EXPECT_EQ(json["into"], "a1");
  change.kind = ChangeKind::kWithdrawn;
  EXPECT_FALSE(Json::parse(to_json_line(change)).contains("into"));
}

TEST(JsonWriter, ShortestNumbersAndNoNan) {
  JsonWriter json(JsonWriter::Style::kCompact);
  json.begin_list();
  for (const double value : {0.1, 1.0, -0.0, 1e300, 123456789.0}) json.number(value);
  json.number(std::numeric_limits<double>::quiet_NaN());
  json.number(0.1F);
  json.end_list();
  EXPECT_EQ(json.take(), "[0.1,1,-0,1e+300,123456789,null,0.1]");
}

}  // namespace
}  // namespace laggard::report
