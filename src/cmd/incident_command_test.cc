// What operators decide, from the command line to the next verdict.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <span>

#include "archive/ledger.h"
#include "testing/cli.h"

namespace laggard::cmd {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing_support::Folder;
using testing_support::laggard;
using testing_support::Said;

constexpr const char* kId = "s2-loop22-slower-20261120T192312Z";
/// By lab's windows alone.
constexpr const char* kLabId = "s2-loop22-slower-20261120T192448Z";

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
  // Before the trouble: nobody sees it any more. In the midst of it: what was seen until then, known.
  EXPECT_EQ(decide({"exclude", "s2", "--since", "2026-11-20T19:22:00Z"}).status, kClean);
  EXPECT_THAT(laggard({"diagnose", rec_, "--json", "-"}).out, HasSubstr("\"incidents\": []"));
  EXPECT_THAT(list(), AllOf(HasSubstr(kId), HasSubstr("excluded"))) << "but it is not forgotten";
  EXPECT_EQ(decide({"include", "s2", "--since", "2026-11-20T19:22:00Z"}).status, kClean);
  EXPECT_EQ(decide({"exclude", "s2", "--since", "2026-11-20T19:25:00Z"}).status, kClean);
  EXPECT_THAT(list(), AllOf(HasSubstr(kId), HasSubstr("excluded")));
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

TEST_F(IncidentCommand, AnExcludedIncidentIsListedAndShownWithWhoWhenAndWhy) {
  ASSERT_EQ(decide({"exclude", kId}).status, kClean);
  const std::string listed = list();
  EXPECT_THAT(listed, ContainsRegex(std::string(kId) + ".* excluded\n"));
  EXPECT_THAT(listed, ContainsRegex(std::string(kId) + " was excluded by ann on .*: ticket 4711\n"));
  const Said shown = laggard({"incident", "show", kId, rec_});
  EXPECT_EQ(shown.status, kClean) << shown.err;
  EXPECT_THAT(shown.out,
              AllOf(HasSubstr("confirmed, excluded"), HasSubstr("await"), HasSubstr("ticket 4711")));
  const std::string json = laggard({"incident", "list", rec_, "--json"}).out;
  EXPECT_THAT(json, AllOf(HasSubstr(kId), HasSubstr("\"status\": \"excluded\""),
                          HasSubstr("\"what\": \"excluded\""), HasSubstr("\"undone\": false")));
}

TEST_F(IncidentCommand, ARepairedIncidentIsListedAndShownAsThat) {
  ASSERT_EQ(decide({"repair", kId, "--since", "2026-11-20T19:25:20Z"}).status, kClean);
  EXPECT_THAT(list(), AllOf(ContainsRegex(std::string(kId) + ".* repaired\n"),
                            HasSubstr(" was repaired by ann on "), HasSubstr(": ticket 4711")));
  EXPECT_THAT(laggard({"incident", "show", kId, rec_}).out, HasSubstr("confirmed, repaired"));
}

TEST_F(IncidentCommand, ARepairBeforeItWasFaultyDoesNotForgetTheIncident) {
  const std::string since = "2026-11-20T19:23:20Z";
  ASSERT_EQ(decide({"repair", kLabId, "--since", since, "--preset", "lab"}).status, kClean);
  const std::string listed = laggard({"incident", "list", rec_, "--preset", "lab"}).out;
  EXPECT_THAT(listed, ContainsRegex(std::string(kLabId) + ".* repaired\n")) << listed;
  EXPECT_EQ(laggard({"incident", "show", kLabId, rec_, "--preset", "lab"}).status, kClean);
}

TEST_F(IncidentCommand, WhatIsUndoneCountsNoMoreAndIsKept) {
  ASSERT_EQ(decide({"exclude", kId}).status, kClean);
  ASSERT_EQ(laggard({"diagnose", rec_, "--check"}).status, kClean);
  const Said undone = laggard({"incident", "undo", kId, rec_, "--by", "bob", "--why", "the wrong disk"});
  EXPECT_EQ(undone.status, kClean) << undone.err;
  EXPECT_THAT(undone.out, AllOf(HasSubstr(" excluded (undone)"), HasSubstr(std::string(kId) + " undone")));
  EXPECT_EQ(laggard({"diagnose", rec_, "--check"}).status, kFinding);
  const std::string listed = list();
  EXPECT_THAT(listed, AllOf(HasSubstr("open"), HasSubstr("excluded (undone)"), HasSubstr("ticket 4711"),
                            HasSubstr("bob"), HasSubstr("the wrong disk"), Not(HasSubstr("was excluded"))));
  EXPECT_THAT(laggard({"incident", "show", kId, rec_}).out,
              AllOf(HasSubstr("excluded (undone)"), HasSubstr("the wrong disk")));
}

TEST_F(IncidentCommand, UndoTakesTheLastDecisionFirst) {
  const auto undo = [&] { return laggard({"incident", "undo", "s2", rec_, "--why", "a mistake"}); };
  ASSERT_EQ(decide({"exclude", "s2"}).status, kClean);
  ASSERT_EQ(decide({"include", "s2"}).status, kClean);
  ASSERT_EQ(decide({"note", "s1"}).status, kClean);
  EXPECT_EQ(undo().status, kClean);
  EXPECT_EQ(laggard({"diagnose", rec_, "--check"}).status, kClean) << "excluded again";
  EXPECT_EQ(undo().status, kClean);
  EXPECT_EQ(laggard({"diagnose", rec_, "--check"}).status, kFinding);
  const Said nothing = undo();
  EXPECT_EQ(nothing.status, kBadUse);
  EXPECT_EQ(nothing.err, "laggard: s2: has no decision to undo; decisions stand about s1\n");
}

TEST_F(IncidentCommand, AReasonMustSaySomething) {
  for (const char* verb : {"repair", "exclude", "include", "note", "undo"}) {
    for (const char* why : {"", " \t "}) {
      const Said said = laggard({"incident", verb, "s2", rec_, "--why", why});
      EXPECT_EQ(said.status, kBadUse) << verb;
      EXPECT_EQ(said.err, "laggard: --why: must say something: it is for those who come after you\n") << verb;
    }
    const Said said = laggard({"incident", verb, "s2", rec_});
    EXPECT_EQ(said.status, kBadUse) << verb;
    EXPECT_THAT(said.err, HasSubstr("--why is required")) << verb;
  }
  EXPECT_FALSE(std::filesystem::exists(rec_ + "/ledger.lgl"));
}

TEST_F(IncidentCommand, EveryVerbHasHelpWithAnExample) {
  for (const char* verb : {"list", "show", "repair", "exclude", "include", "note", "undo"}) {
    const Said help = laggard({"incident", verb, "--help"});
    EXPECT_EQ(help.status, kClean) << verb;
    EXPECT_THAT(help.out, HasSubstr(std::string("Example:\n  laggard incident ") + verb)) << verb;
  }
}

TEST_F(IncidentCommand, AnIncidentThatIsExcludedCanBeIncludedByItsId) {
  ASSERT_EQ(decide({"exclude", kId}).status, kClean);
  EXPECT_EQ(decide({"include", kId}).status, kClean);
  EXPECT_EQ(laggard({"diagnose", rec_, "--check"}).status, kFinding);
}

/// While it grows, and when it is looked at from the midst of its trouble on.
TEST_F(IncidentCommand, AnIncidentKeepsItsIdWhateverStretchIsLookedAt) {
  const auto ids = [&](const char* option, const char* time) {
    return laggard({"incident", "list", rec_, "--preset", "lab", option, time}).out;
  };
  for (const char* to : {"2026-11-20T19:24:00Z", "2026-11-20T19:24:55Z", "2026-11-20T19:25:20Z"}) {
    EXPECT_THAT(ids("--to", to), AnyOf(HasSubstr(kLabId), HasSubstr("no incidents"))) << to;
  }
  EXPECT_THAT(ids("--to", "2026-11-20T19:25:20Z"), HasSubstr(kLabId));
  const char* late = "2026-11-20T19:23:10Z";
  EXPECT_THAT(ids("--from", late), AllOf(HasSubstr("s2-loop22-"), Not(HasSubstr(kLabId))));
  ASSERT_EQ(decide({"note", kLabId, "--preset", "lab"}).status, kClean);
  EXPECT_THAT(ids("--from", late), HasSubstr(std::string("\n") + kLabId)) << "known by now";
}

TEST_F(IncidentCommand, ANoteOfAnOldLedgerIsFoundByTheIdOfThen) {
  constexpr const char* kFormer = "s2-disk-busy-20261120T192240Z";
  const Decision old{.kind = DecisionKind::kNoted,
                     .subject = kFormer,
                     .from = std::nullopt,
                     .made = *parse_time("2026-11-20T20:00:00Z"),
                     .by = "eve",
                     .why = "seen before"};
  ASSERT_TRUE(archive::add_to_ledger(archive::ledger_of(rec_), std::span(&old, 1)));
  for (const char* id : {kFormer, kId}) {
    const Said shown = laggard({"incident", "show", id, rec_});
    EXPECT_EQ(shown.status, kClean) << shown.err;
    EXPECT_THAT(shown.out, AllOf(HasSubstr("seen before"), HasSubstr(kFormer))) << id;
  }
  EXPECT_THAT(
      laggard({"incident", "list", rec_, "--json"}).out,
      AllOf(HasSubstr(std::string("\"id\": \"") + kId), HasSubstr("\"also_known_as\": [\"s2-disk-busy-")));
}

TEST_F(IncidentCommand, WhatTheRecordingShowsNoMoreTheLedgerRemembers) {
  ASSERT_EQ(decide({"note", kId}).status, kClean);
  const Said shown = laggard({"incident", "show", kId, rec_, "--to", "2026-11-20T19:22:30Z"});
  EXPECT_EQ(shown.status, kClean) << shown.err;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("show no incident"),
                               HasSubstr("It was disk-busy of s2, from 2026-11-20T19:22:40Z"),
                               HasSubstr("ticket 4711")));
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
