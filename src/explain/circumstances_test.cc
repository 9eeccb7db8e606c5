#include "explain/circumstances.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace laggard::explain {
namespace {

using ::testing::HasSubstr;

constexpr Duration kSlack = std::chrono::minutes(15);

/// Saturday, 2011-05-07.
WallTime at(const char* time) { return parse_time(std::string("2011-05-07T") + time + ":00Z").value(); }

class KnownWork : public ::testing::Test {
 protected:
  KnownWork() {
    for (const char* name : {"fs1/sda", "fs2/sda"}) {
      Component component;
      component.name = name;
      component.part = grouping_.parts.add({PartKind::kServer, component.name.substr(0, 3)});
      grouping_.components.push_back(component);
    }
    scrub_.what = "scrub";
    scrub_.where = {"fs1"};
    scrub_.days = 0x20;  // Saturdays.
    scrub_.start = std::chrono::hours(2);
    scrub_.length = std::chrono::hours(4);
  }

  Incident judged(const char* since, std::optional<const char*> until,
                  std::vector<std::string> components = {"fs1/sda"}, const char* seen_until = "23:00") {
    Diagnosis diagnosis;
    diagnosis.to = at("23:00");
    Incident incident;
    incident.since = at(since);
    if (until) incident.until = at(*until);
    incident.seen_until = at(until.value_or(seen_until));
    incident.status = until ? IncidentStatus::kClosed : IncidentStatus::kOpen;
    incident.components = std::move(components);
    incident.why = "fs1 is slow";
    diagnosis.incidents = {incident};
    explain_expected_work(diagnosis, grouping_, std::span(&scrub_, 1), kSlack);
    return diagnosis.incidents.front();
  }
  IncidentStatus status(const char* since, std::optional<const char*> until) {
    return judged(since, until).status;
  }

  Grouping grouping_;
  ExpectedWork scrub_;
};

TEST_F(KnownWork, TroubleThatComesAndGoesWithTheWorkIsExplainedByIt) {
  const Incident incident = judged("01:50", "06:10");
  EXPECT_EQ(incident.status, IncidentStatus::kExplained);
  EXPECT_THAT(incident.why,
              HasSubstr("fs1 is slow; expected: scrub from 2011-05-07T02:00:00Z to 2011-05-07T06:00:00Z"));
}

TEST_F(KnownWork, TroubleThatBeganEarlierOrOutlastsItIsNot) {
  EXPECT_EQ(status("01:00", "03:00"), IncidentStatus::kClosed);
  EXPECT_EQ(status("03:00", "08:00"), IncidentStatus::kClosed);
  EXPECT_EQ(status("03:00", std::nullopt), IncidentStatus::kOpen);
  EXPECT_EQ(status("12:00", "13:00"), IncidentStatus::kClosed);
  EXPECT_EQ(judged("03:00", std::nullopt, {"fs1/sda"}, "05:00").status, IncidentStatus::kExplained)
      << "still within it, or no longer seen since";
}

TEST_F(KnownWork, AllComponentsMustBeWhereTheWorkIs) {
  EXPECT_EQ(judged("03:00", "05:00", {"fs1/sda", "fs2/sda"}).status, IncidentStatus::kClosed);
  scrub_.where = {};
  EXPECT_EQ(judged("03:00", "05:00", {"fs1/sda", "fs2/sda"}).status, IncidentStatus::kExplained);
}

TEST_F(KnownWork, EachComponentMayHaveItsOwn) {
  ExpectedWork other = scrub_;
  other.what = "check";
  other.where = {"fs2"};
  Diagnosis diagnosis;
  diagnosis.to = at("23:00");
  diagnosis.incidents.resize(1);
  Incident& incident = diagnosis.incidents.front();
  incident.since = at("03:00");
  incident.until = incident.seen_until = at("05:00");
  incident.components = {"fs2/sda", "fs1/sda"};
  const std::vector<ExpectedWork> both{scrub_, other};
  explain_expected_work(diagnosis, grouping_, both, kSlack);
  EXPECT_EQ(incident.status, IncidentStatus::kExplained);
  EXPECT_EQ(incident.why,
            "; expected: scrub from 2011-05-07T02:00:00Z to 2011-05-07T06:00:00Z, check from "
            "2011-05-07T02:00:00Z to 2011-05-07T06:00:00Z");
}

TEST_F(KnownWork, WhatBeginsWhileTheWorkGoesOnIsExplainedAtOnce) {
  scrub_.days = 0;
  scrub_.once = TimeSpan{at("02:00"), at("03:05")};
  EXPECT_EQ(judged("03:00", std::nullopt, {"fs1/sda"}, "03:06").status, IncidentStatus::kOpen);
  scrub_.goes_on = true;
  EXPECT_EQ(judged("03:00", std::nullopt, {"fs1/sda"}, "03:06").status, IncidentStatus::kExplained);
  EXPECT_EQ(judged("03:00", std::nullopt, {"fs1/sda"}, "03:21").status, IncidentStatus::kOpen)
      << "it is not known to go on for so long";
  scrub_.unseen = std::chrono::minutes(10);
  EXPECT_EQ(judged("03:00", std::nullopt, {"fs1/sda"}, "03:21").status, IncidentStatus::kExplained);
}

TEST_F(KnownWork, OtherDaysAreNoExcuse) {
  scrub_.days = 0x40;
  EXPECT_EQ(status("03:00", "05:00"), IncidentStatus::kClosed);
}

TEST(ExpectedWorkSpan, WrapsOverMidnightAndOverTheWeek) {
  ExpectedWork work;
  work.days = 0x10;  // Fridays from 22:00 for 30 hours.
  work.start = std::chrono::hours(22);
  work.length = std::chrono::hours(30);
  EXPECT_TRUE(work.at(at("00:30")));
  EXPECT_FALSE(work.at(parse_time("2011-05-08T04:00:00Z").value()));
  EXPECT_TRUE(work.at(parse_time("2011-05-08T03:59:00Z").value()));
  EXPECT_FALSE(work.at(parse_time("2011-05-06T21:59:59Z").value()));
  work.days = 0x7F;
  work.length = std::chrono::hours(7 * 24);
  EXPECT_TRUE(work.at(at("12:00")));
}

}  // namespace
}  // namespace laggard::explain
