// What operators decide, from the command line to the next verdict.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cmd/testing_cli.h"

namespace laggard::cmd {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing_support::Folder;
using testing_support::laggard;
using testing_support::Said;

constexpr const char* kId = "s2-disk-busy-20261120T192240Z";

/// The shipped example: s2's only disk is kept busy by somebody from 19:22:36 to 19:25:08.
class IncidentCommand : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::copy(std::string(LAGGARD_SOURCE_DIR) + "/examples/ddr-disk-busy-s2", rec_,
                          std::filesystem::copy_options::recursive);
  }
  [[nodiscard]] Said decide(std::vector<std::string> words) const {
    words.insert(words.begin(), "incident");
    words.insert(words.end(), {rec_, "--by", "ann", "--why", "ticket 4711"});
    return laggard(std::move(words));
  }
  [[nodiscard]] std::string list() const { return laggard({"incident", "list", rec_}).out; }

  Folder folder_;
  std::string rec_ = folder_ / "rec";
};

TEST_F(IncidentCommand, ListNamesTheIncidentAndShowTellsAllOfIt) {
  EXPECT_THAT(list(), AllOf(HasSubstr(kId), HasSubstr("confirmed"), HasSubstr("open")));
  const Said shown = laggard({"incident", "show", kId, rec_});
  EXPECT_EQ(shown.status, kClean) << shown.err;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("s2/loop22"), HasSubstr("await"), Not(HasSubstr("decided"))));
  EXPECT_EQ(laggard({"incident", "list", rec_, "--json"}).out,
            laggard({"diagnose", rec_, "--json", "-"}).out);
}

TEST_F(IncidentCommand, ANoteIsShownWithTheIncidentAndChangesNothing) {
  const std::string before = laggard({"diagnose", rec_, "--json", "-"}).out;
  EXPECT_EQ(decide({"note", kId}).status, kClean);
  EXPECT_EQ(laggard({"diagnose", rec_, "--json", "-"}).out, before);
  EXPECT_THAT(laggard({"incident", "show", kId, rec_}).out,
              AllOf(HasSubstr("noted"), HasSubstr("ann"), HasSubstr("ticket 4711")));
}

TEST_F(IncidentCommand, WhatIsExcludedIsNotAccusedAndSaidToBeLeftOut) {
  EXPECT_EQ(decide({"exclude", kId}).status, kClean);
  const Said diagnosis = laggard({"diagnose", rec_, "--check"});
  EXPECT_EQ(diagnosis.status, kClean) << diagnosis.out;
  EXPECT_THAT(diagnosis.out,
              AllOf(HasSubstr("s2/loop22 is left out (ann: ticket 4711)"), Not(HasSubstr("disk-busy"))));
  EXPECT_EQ(decide({"include", "s2/loop22"}).status, kClean);
  EXPECT_EQ(laggard({"diagnose", rec_, "--check"}).status, kFinding);
}

TEST_F(IncidentCommand, AnExclusionFromSomeMomentOnLeavesWhatWasBefore) {
  // Before the trouble: nothing is left of it. In the midst of it: what was seen until then, known.
  EXPECT_EQ(decide({"exclude", "s2", "--since", "2026-11-20T19:22:00Z"}).status, kClean);
  EXPECT_THAT(list(), HasSubstr("no incidents"));
  EXPECT_EQ(decide({"include", "s2", "--since", "2026-11-20T19:22:00Z"}).status, kClean);
  EXPECT_EQ(decide({"exclude", "s2", "--since", "2026-11-20T19:25:00Z"}).status, kClean);
  EXPECT_THAT(list(), AllOf(HasSubstr("s2-disk-busy"), HasSubstr("excluded")));
  EXPECT_EQ(laggard({"diagnose", rec_, "--check"}).status, kClean);
}

TEST_F(IncidentCommand, ARepairEndsTheIncidentAndVoidsWhatWasGathered) {
  const Said before = laggard({"diagnose", rec_, "--json", "-"});
  EXPECT_EQ(decide({"repair", "s2", "--since", "2026-11-20T19:25:20Z"}).status, kClean);
  const Said after = laggard({"diagnose", rec_, "--json", "-"});
  EXPECT_THAT(before.out, HasSubstr("\"persistence\": 3"));
  EXPECT_THAT(after.out, AllOf(HasSubstr(kId), HasSubstr("\"status\": \"closed\"")));
  EXPECT_THAT(before.out, HasSubstr("\"status\": \"open\""));
  const std::size_t ranking = after.out.find("\"ranking\"");
  ASSERT_NE(ranking, std::string::npos);
  EXPECT_THAT(after.out.substr(ranking), Not(HasSubstr("s2/loop22"))) << "all accumulators are zero";
}

TEST_F(IncidentCommand, OneMistakeOneSentence) {
  EXPECT_THAT(decide({"repair", "s22"}).err, HasSubstr("s22: is no incident, component or part of"));
  EXPECT_THAT(decide({"repair", "s2", "--since", "yesterday"}).err, HasSubstr("--since"));
  EXPECT_EQ(laggard({"incident", "note", "s2", rec_}).status, kBadUse);
  EXPECT_EQ(laggard({"incident"}).status, kBadUse);
  EXPECT_FALSE(std::filesystem::exists(rec_ + "/ledger.lgl"));
}

TEST_F(IncidentCommand, TheLedgerMayLieElsewhere) {
  const std::string ledger = folder_ / "ours.lgl";
  EXPECT_EQ(decide({"exclude", "s2", "--ledger", ledger}).status, kClean);
  EXPECT_FALSE(std::filesystem::exists(rec_ + "/ledger.lgl"));
  EXPECT_EQ(laggard({"diagnose", rec_, "--check"}).status, kFinding);
  EXPECT_EQ(laggard({"diagnose", rec_, "--check", "--ledger", ledger}).status, kClean);
}

}  // namespace
}  // namespace laggard::cmd
