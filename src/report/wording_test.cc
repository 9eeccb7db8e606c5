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

TEST(Verdict, AllSlowAndTwoCampsAreNotWell) {
  Diagnosis d = examples::nobody_stands_out();
  const Clockface clock(d.from, d.to);
  EXPECT_EQ(verdict(d), "All were slow for a while, and nobody stood out");
  EXPECT_EQ(
      sentence(d.slowdowns.front(), clock),
      "interfaces: from 19:22:36Z to 19:24:36Z each of the 9 moved 62 % less than just before, 1.02 MB/s "
      "instead of 2.67 MB/s, and clients waited for answers as before");
  d.shared_symptoms = {"240 of 720 probes failed"};
  EXPECT_EQ(all_slow(d, clock),
            (std::vector<std::string>{sentence(d.slowdowns.front(), clock), "240 of 720 probes failed"}));
  d.slowdowns.front().until.reset();
  EXPECT_EQ(headline(d), "All are slow, and nobody stands out");
  EXPECT_EQ(
      sentence(d.slowdowns.front(), clock),
      "interfaces: since 19:22:36Z each of the 9 moves 62 % less than just before, 1.02 MB/s instead of "
      "2.67 MB/s, and clients wait for answers as before");
  d.slowdowns.clear();
  EXPECT_EQ(verdict(d), "No component stands out, but group storage is in two camps, of 5 and 4");
  EXPECT_EQ(
      sentence(d.camps.front(), clock),
      "storage, await: since 19:23:36Z 5 are at 1.2 s (s1/loop21 s2/loop22 s3/loop23 s4/loop24 s5/loop25), "
      "4 at 110 ms (s6/loop26 s7/loop27 s8/loop28 s9/loop29); only the former share switch sw1, rack r7");
  Diagnosis sick = examples::busy_disk();
  sick.camps = d.camps;
  EXPECT_EQ(verdict(sick), verdict(examples::busy_disk())) << "whoever stands out is said first";
}

}  // namespace
}  // namespace laggard::report
