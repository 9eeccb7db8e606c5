#include "report/payloads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/missing.h"
#include "report/json.h"
#include "report/text.h"

namespace laggard::report {
namespace {

using testing::HasSubstr;
using testing::Not;

const WallTime kNoon = from_unix_ns(1'763'985'600'000'000'000);

std::vector<Payload> one_of_each() {
  using namespace std::chrono_literals;
  return {
      {"waits", SeriesPayload{"ms", {kNoon, kNoon + 1s, kNoon + 2s}, {{"s2", {10, kMissing, 30}}}}},
      {"sizes", DistributionPayload{"bytes/s", {{"s2", {1, 2, 9000}}, {"peers", {}}}}},
      {"targets", TablePayload{{"target", "state"}, {{"OST0003", "de<graded>"}}}},
      {"functions", RankedPayload{"%", {{"memcpy", 80, 3}, {"poll", 5, kMissing}}}},
      {"", LinesPayload{{{kNoon, "disk \x1b[31mfailed"}}}},
      {"health",
       RankedPayload{"%", {{"server s1", 2, kMissing, 1, 7}, {"server s2", 99, kMissing, 95, 100}}}},
      {"slow", GridPayload{"%", "client", "target", {"c1", "c2"}, {"a", "<b>"}, {0, 50, kMissing, 100}}},
      {"burning", FlamesPayload{"% CPU", {{"all", 0, 12.5, 3}, {"<dd>\x1b", 1, 9, 0}}}},
  };
}

Diagnosis diagnosis() {
  Diagnosis diagnosis;
  diagnosis.from = kNoon;
  diagnosis.to = kNoon + std::chrono::hours(1);
  Incident& incident = diagnosis.incidents.emplace_back();
  incident.blame = {PartKind::kMetadataServer, "mds1"};
  incident.components = {"mds1"};
  Evidence& evidence = incident.evidence.emplace_back();
  evidence.source = "logs";
  evidence.component = "mds1";
  evidence.detector = "errors";
  evidence.note = "a disk failed";
  evidence.part = incident.blame;
  evidence.payloads = one_of_each();
  return diagnosis;
}

TEST(Payloads, AreInTheJsonWholeAndByTheirShape) {
  const std::string json = to_json(diagnosis());
  for (const char* shape : {"series", "distribution", "table", "ranked", "lines", "grid", "flames"}) {
    EXPECT_THAT(json, HasSubstr("\"shape\": \"" + std::string(shape) + "\""));
  }
  EXPECT_THAT(json, HasSubstr("\"source\": \"logs\""));
  EXPECT_THAT(json, HasSubstr("\"values\": [10, null, 30]"));
  EXPECT_THAT(json, HasSubstr("\"values\": [0, 50, null, 100]"));
  EXPECT_THAT(json, HasSubstr("\"low\": 1"));
  EXPECT_THAT(json, HasSubstr("\"depth\": 1"));
  EXPECT_THAT(json, HasSubstr("\"own\": 12.5"));
  EXPECT_THAT(json, HasSubstr("\"kind\": \"metadata_server\""));
  EXPECT_THAT(json, Not(HasSubstr("\"metric\""))) << "the evidence is of none";
}

TEST(Payloads, AreReadOnATerminal) {
  const std::string text = to_text(diagnosis(), {});
  EXPECT_THAT(text, HasSubstr("logs of metadata server mds1: a disk failed"));
  EXPECT_THAT(text, HasSubstr("30 ms"));
  EXPECT_THAT(text, HasSubstr("OST0003"));
  EXPECT_THAT(text, HasSubstr("memcpy"));
  EXPECT_THAT(text, HasSubstr("2 % (1 % to 7 %)"));
  EXPECT_THAT(text, HasSubstr("disk \\x1b[31mfailed")) << "nothing reaches the terminal raw";
  EXPECT_THAT(text, Not(HasSubstr("burning"))) << "a flame graph is nothing to read";
}

TEST(Payloads, AreMarkupInWhichEveryTextIsEscaped) {
  const Clockface clock(kNoon, kNoon + std::chrono::hours(1));
  std::string markup;
  for (const Payload& payload : one_of_each()) markup += payload_markup(payload, clock);
  EXPECT_THAT(markup, HasSubstr("de&lt;graded&gt;"));
  EXPECT_THAT(markup, Not(HasSubstr("\x1b")));
  EXPECT_THAT(markup, HasSubstr("<polyline class=\"sick\""));
  EXPECT_THAT(markup, HasSubstr("<polyline class=\"sick area\"")) << "the distribution";
  EXPECT_THAT(markup, HasSubstr("<line ")) << "the interval of an estimate";
  EXPECT_THAT(markup, HasSubstr("<title>c2, &lt;b&gt;: 100 %</title>"));
  EXPECT_THAT(markup, HasSubstr("<title>c2, a: not known</title>"));
  EXPECT_THAT(markup, HasSubstr("<h4>burning</h4>"));
  EXPECT_THAT(markup, HasSubstr("<title>&lt;dd&gt;�: 9 % CPU, median peer 0 % CPU</title>"));
  EXPECT_EQ(payload_markup({"cold", FlamesPayload{"% CPU", {{"all", 0, 0, 0}}}}, clock), "")
      << "no title without a graph";
  const Payload in_time{"lines", GridPayload{.unit = "lines",
                                             .row_kind = "log",
                                             .column_kind = "from",
                                             .rows = {"s1"},
                                             .columns = {"12:00:00Z", "12:00:05Z"},
                                             .values = {0, 3},
                                             .in_time = true}};
  EXPECT_THAT(payload_markup(in_time, clock), HasSubstr(">12:00:00Z</text>")) << "where the axis begins";
  EXPECT_THAT(markup, Not(HasSubstr("c1, a:"))) << "where nothing failed there is nothing to point at";
}

}  // namespace
}  // namespace laggard::report
