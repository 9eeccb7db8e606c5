#include "report/textfile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/examples.h"

namespace laggard::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Textfile, IsWholeForOneIncident) {
  const Diagnosis d = examples::busy_disk();
  WatchFigures figures{.open = d.incidents,
                       .complete_until = examples::at(0) + std::chrono::milliseconds(250),
                       .outcome = Outcome::kSick,
                       .judged = 8,
                       .components = 9};
  figures.changes[static_cast<std::size_t>(ChangeKind::kOpened)] = 2;
  figures.changes[static_cast<std::size_t>(ChangeKind::kMerged)] = 1;
  EXPECT_EQ(to_textfile(figures), R"(# HELP laggard_incident_open Incidents that are open, 1 each.
# TYPE laggard_incident_open gauge
laggard_incident_open{id="s2-disk-busy-20261120T192236Z",kind="server",part="s2",cause="disk-busy",state="confirmed"} 1
# HELP laggard_incidents_open How many incidents are open.
# TYPE laggard_incidents_open gauge
laggard_incidents_open 1
# HELP laggard_changes_total Changes of incidents that were noticed.
# TYPE laggard_changes_total counter
laggard_changes_total{change="opened"} 2
laggard_changes_total{change="grew"} 0
laggard_changes_total{change="confirmed"} 0
laggard_changes_total{change="quiet"} 0
laggard_changes_total{change="closed"} 0
laggard_changes_total{change="withdrawn"} 0
laggard_changes_total{change="merged"} 1
laggard_changes_total{change="explained"} 0
# HELP laggard_verdict 1 for what the watch says now: sick, well or not_judged.
# TYPE laggard_verdict gauge
laggard_verdict{verdict="sick"} 1
laggard_verdict{verdict="well"} 0
laggard_verdict{verdict="not_judged"} 0
# HELP laggard_components Components that were recorded.
# TYPE laggard_components gauge
laggard_components 9
# HELP laggard_components_judged Those of them that are compared with peers now.
# TYPE laggard_components_judged gauge
laggard_components_judged 8
# HELP laggard_watch_complete_until_seconds Up to when samples are complete and judged, Unix time of the data.
# TYPE laggard_watch_complete_until_seconds gauge
laggard_watch_complete_until_seconds 1795202494.250
)");
}

TEST(Textfile, NothingOpenIsZeroAndNoTimeIsLeftOut) {
  const std::string text = to_textfile({});
  EXPECT_THAT(text, HasSubstr("\nlaggard_incidents_open 0\n"));
  EXPECT_THAT(text, Not(HasSubstr("laggard_incident_open{")));
  EXPECT_THAT(text, Not(HasSubstr("complete_until")));
  EXPECT_THAT(text, HasSubstr("laggard_verdict{verdict=\"not_judged\"} 1\n")) << "silence is not health";
}

TEST(Textfile, NoNameBreaksALine) {
  std::vector<Incident> open(1);
  open[0].id = "a\"b\\c\nd";
  open[0].cause = "\xff";
  open[0].blame.name = "gr\xC3\xBCn";
  const std::string text = to_textfile({.open = open});
  EXPECT_THAT(text,
              HasSubstr("laggard_incident_open{id=\"a\\\"b\\\\c\\nd\",kind=\"server\",part=\"gr\xC3\xBCn\","
                        "cause=\"\xEF\xBF\xBD\",state=\"suspected\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("laggard_incidents_open 1\n"));
}

}  // namespace
}  // namespace laggard::report
