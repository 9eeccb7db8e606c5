#include "report/wording.h"

#include <gtest/gtest.h>

#include "report/examples.h"

namespace laggard::report {
namespace {

TEST(Verdict, SaysWhoWhatAndSinceWhen) {
  Diagnosis d = examples::busy_disk();
  EXPECT_EQ(verdict(d), "s2 was sick: disk-busy (storage) from 19:22:36Z to 19:25:48Z, confirmed");
  d.incidents.front().until.reset();
  d.incidents.front().status = IncidentStatus::kOpen;
  EXPECT_EQ(verdict(d), "s2 is sick: disk-busy (storage) since 19:22:36Z, confirmed");
  d.incidents.front().state = IncidentState::kSuspected;
  d.incidents.front().blame = {PartKind::kLoadBalancer, "lb1"};
  EXPECT_EQ(verdict(d),
            "load balancer lb1 is suspected: disk-busy (storage) since 19:22:36Z, not confirmed yet");
  d.incidents.front().blame = {PartKind::kDrawer, "r7", "rack"};
  EXPECT_EQ(verdict(d), "rack r7 is suspected: disk-busy (storage) since 19:22:36Z, not confirmed yet");
}

TEST(Verdict, ManyIncidentsAndNone) {
  EXPECT_EQ(
      verdict(examples::bad_week()),
      "3 incidents, 2 confirmed: controller ddn12 lost-attachment (storage) since 2026-11-21 19:21:34Z; fs7 "
      "packet-loss (network) from 2026-11-20 20:21:34Z to 2026-11-20 21:51:34Z; fs9 packet-loss (network) "
      "since "
      "2026-11-20 20:21:34Z");
  EXPECT_EQ(headline(examples::bad_week()), "3 incidents, 2 confirmed: controller ddn12, fs7, fs9");
  EXPECT_EQ(headline(examples::busy_disk()), verdict(examples::busy_disk()));
  EXPECT_EQ(verdict(examples::all_well()), "No component differs persistently from its peers");
  EXPECT_EQ(verdict(examples::nothing_comparable()),
            "Nothing can be said: nothing was recorded that could be compared");
  Diagnosis d = examples::busy_disk();
  d.incidents.front().status = IncidentStatus::kExcluded;
  EXPECT_EQ(verdict(d), "Nothing new: 1 known incident, excluded or explained");
}

}  // namespace
}  // namespace laggard::report
