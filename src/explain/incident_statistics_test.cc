#include "explain/incident_statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace laggard::explain {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const WallTime kStart = from_unix_ns(1'800'000'000'000'000'000);

Incident incident(const std::string& server, const std::string& cause, int since, int lasts) {
  Incident incident;
  incident.blame = {PartKind::kServer, server};
  incident.cause = cause;
  incident.since = kStart + seconds(since);
  incident.seen_until = incident.since + seconds(lasts);
  incident.status = IncidentStatus::kClosed;
  return incident;
}

Evidence evidence(const std::string& metric, double level, double peers) {
  Evidence evidence;
  evidence.metric = metric;
  evidence.level = level;
  evidence.peers = peers;
  return evidence;
}

TEST(IncidentStatistics, SumUpByCauseModeKindAndPart) {
  std::vector<Incident> all{incident("s2", "slow-disk", 500, 100), incident("s1", "slow-disk", 0, 10),
                            incident("s2", "", 100, 40), incident("s3", "slow-link", 0, 5)};
  all[0].state = IncidentState::kConfirmed;
  all[0].status = IncidentStatus::kOpen;
  all[1].mode = FailureMode::kReliability;
  all[3].status = IncidentStatus::kExplained;
  all[0].evidence = {evidence("await", 60, 10), evidence("await", 20, 10), evidence("util", 3, 0)};
  all[1].evidence = {evidence("await", 30, 10)};
  const IncidentStatistics statistics = statistics_of(all, {kStart, kStart + seconds(1000)});
  EXPECT_EQ(statistics.accounted_for, 1U);
  EXPECT_EQ(statistics.all.incidents, 3U);
  EXPECT_EQ(statistics.all.confirmed, 1U);
  EXPECT_EQ(statistics.all.open, 1U);
  EXPECT_THAT(statistics.all.sorted_s, ElementsAre(10, 40, 100));
  ASSERT_THAT(statistics.causes, SizeIs(2));
  EXPECT_EQ(statistics.causes[0].name, "slow-disk");
  EXPECT_THAT(statistics.causes[0].sorted_s, ElementsAre(10, 100));
  EXPECT_EQ(statistics.causes[1].name, "unknown");
  ASSERT_THAT(statistics.modes, SizeIs(2));
  EXPECT_EQ(statistics.modes[0].name, "unknown");
  EXPECT_EQ(statistics.modes[1].name, "reliability");
  ASSERT_THAT(statistics.relapses, SizeIs(1));
  EXPECT_EQ(statistics.relapses[0].part.name, "s2");
  EXPECT_THAT(statistics.relapses[0].causes, ElementsAre("unknown", "slow-disk"));
  EXPECT_EQ(statistics.relapses[0].last, kStart + seconds(500));
  ASSERT_THAT(statistics.excess, SizeIs(1)) << "no multiple of nothing";
  EXPECT_THAT(statistics.excess[0].sorted, ElementsAre(3, 6)) << "the worst of each incident";
}

TEST(IncidentStatistics, NothingIsNothing) {
  const IncidentStatistics statistics = statistics_of({}, {kStart, kStart});
  EXPECT_EQ(statistics.all.incidents, 0U);
  EXPECT_THAT(statistics.causes, IsEmpty());
  EXPECT_THAT(statistics.relapses, IsEmpty());
}

}  // namespace
}  // namespace laggard::explain
