#include "explain/failure_mode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testing/grouping.h"

namespace laggard::explain {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing_support::GroupingBuilder;

constexpr WallTime kMorning = from_unix_ns(1'800'000'000'000'000'000);

Evidence answer(std::optional<FailureMode> mode, bool surmised = false) {
  Evidence evidence;
  evidence.mode = mode;
  evidence.surmised = surmised;
  return evidence;
}

TEST(FailureModeRule, ALoadExplainsWhatWaits) {
  Evidence waits = answer(FailureMode::kReliability, true);
  waits.waits = true;
  const Evidence busy = answer(FailureMode::kOverload);
  const Evidence errors = answer(FailureMode::kReliability, true);
  EXPECT_EQ(mode_of(std::vector{waits}), FailureMode::kReliability);
  EXPECT_EQ(mode_of(std::vector{waits, busy}), FailureMode::kOverload);
  EXPECT_EQ(mode_of(std::vector{busy, waits}), FailureMode::kOverload);
  EXPECT_EQ(mode_of(std::vector{busy, waits, errors}), FailureMode::kReliability);
}

TEST(FailureModeRule, WhatIsBrokenExplainsALoad) {
  const Evidence broken = answer(FailureMode::kReliability);
  const Evidence errors = answer(FailureMode::kReliability, true);
  const Evidence busy = answer(FailureMode::kOverload);
  const Evidence silent = answer(std::nullopt);
  EXPECT_EQ(mode_of(std::vector<Evidence>{}), std::nullopt);
  EXPECT_EQ(mode_of(std::vector{silent}), std::nullopt);
  EXPECT_EQ(mode_of(std::vector{busy, broken}), FailureMode::kReliability);
  EXPECT_EQ(mode_of(std::vector{busy, errors}), FailureMode::kReliability);
  EXPECT_EQ(mode_of(std::vector{errors, silent}), FailureMode::kReliability);
  EXPECT_EQ(mode_of(std::vector{silent, busy}), FailureMode::kOverload);
}

Incident incident(const Part& blame, Duration since, std::optional<Duration> until,
                  std::optional<FailureMode> mode) {
  Incident one;
  one.id = "of-" + blame.name;
  one.blame = blame;
  one.since = kMorning + since;
  if (until) one.until = kMorning + *until;
  one.mode = mode;
  return one;
}

class FirstCause : public ::testing::Test {
 protected:
  FirstCause() { system_.array("x", 4, 4); }

  /// A LUN's disk has failed; then the server after the first that reaches it has too much to do.
  std::optional<FailureMode> mode_of_server(const Incident& first, Duration since = 10min) {
    std::vector<Incident> incidents{first,
                                    incident({PartKind::kServer, "x-s1"}, since, {}, FailureMode::kOverload)};
    keep_first_causes(incidents, system_.get());
    evidence_ = incidents[1].evidence;
    return incidents[1].mode;
  }

  GroupingBuilder system_;
  std::vector<Evidence> evidence_;
};

TEST_F(FirstCause, ARebuildThatOverloadsThePairIsTheCause) {
  const Part lun{PartKind::kLun, "x-l0"};
  EXPECT_EQ(mode_of_server(incident(lun, 0min, {}, FailureMode::kReliability)), FailureMode::kReliability);
  ASSERT_EQ(evidence_.size(), 1U);
  EXPECT_THAT(evidence_[0].note, HasSubstr("its load follows what is broken at x-l0, incident of-x-l0"));
  EXPECT_EQ(mode_of_server(incident(lun, 0min, 12min, FailureMode::kReliability)), FailureMode::kReliability);
}

TEST_F(FirstCause, WhatIsOnlyKnownToWaitMayItselfFollowFromTheLoad) {
  Incident first = incident({PartKind::kLun, "x-l0"}, 0min, {}, FailureMode::kReliability);
  first.evidence.push_back(answer(FailureMode::kReliability, true));
  first.evidence.back().waits = true;
  EXPECT_EQ(mode_of_server(first), FailureMode::kOverload);
  first.evidence.push_back(answer(FailureMode::kReliability, true));
  EXPECT_EQ(mode_of_server(first), FailureMode::kReliability) << "its log has an error besides";
}

TEST_F(FirstCause, WhatWasOverOrIsElsewhereOrIsNotBrokenIsNot) {
  const Part lun{PartKind::kLun, "x-l0"};
  using enum FailureMode;
  EXPECT_EQ(mode_of_server(incident(lun, 0min, 9min, kReliability)), kOverload);
  EXPECT_EQ(mode_of_server(incident(lun, 11min, {}, kReliability)), kOverload) << "it began later";
  EXPECT_EQ(mode_of_server(incident(lun, 0min, {}, kOverload)), kOverload);
  EXPECT_EQ(mode_of_server(incident({PartKind::kServer, "x-s2"}, 0min, {}, kReliability)), kOverload);
}

}  // namespace
}  // namespace laggard::explain
