#include "report/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/terminal_text.h"
#include "base/text.h"
#include "report/examples.h"
#include "report/layout.h"
#include "report/wording.h"
#include "testing/golden.h"

namespace laggard::report {
namespace {
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Text, GoldenReports) {
  expect_golden("busy_disk.txt", to_text(examples::busy_disk()));
  expect_golden("bad_week.txt", to_text(examples::bad_week(), {.width = 100}));
  expect_golden("all_well.txt", to_text(examples::all_well()));
  expect_golden("nothing_comparable.txt", to_text(examples::nothing_comparable()));
  expect_golden("busy_disk_colour.txt", to_text(examples::busy_disk(), {.width = 120, .colour = true}));
}

TEST(Text, TheVerdictComesFirst) {
  EXPECT_THAT(to_text(examples::busy_disk(), {.width = 120}),
              StartsWith("s2 was sick: disk-busy (storage) from 19:22:36Z to 19:25:48Z, confirmed\n"));
  EXPECT_THAT(to_text(examples::all_well()),
              StartsWith("No component differs persistently from its peers\n"));
}

TEST(Text, GroupsAsAWholeComeAfterTheIncidents) {
  const std::string text = to_text(examples::nobody_stands_out(), {.width = 400});
  EXPECT_THAT(text, StartsWith("All were slow for a while, and nobody stood out\n"));
  EXPECT_THAT(text, HasSubstr("All slow, nobody stands out\n"));
  EXPECT_THAT(text, HasSubstr("Two camps\n"));
  EXPECT_THAT(text, HasSubstr("5 are at 1.2 s (s1/loop21 "));
}

TEST(Text, ADiagnosisOfAPartSaysSoBeforeAnythingElse) {
  Diagnosis part = examples::all_well();
  part.coverage.damaged = {"rec/metrics/s2-20261120T192134Z.lgd"};
  const std::string text = to_text(part, {.width = 200});
  EXPECT_THAT(text,
              StartsWith("Not everything could be judged, and in the rest no component differs persistently "
                         "from its peers; the diagnosis is partial: 1 file of the recording is damaged\n"));
  EXPECT_THAT(text, HasSubstr("Damaged files\n"));
  EXPECT_THAT(text, HasSubstr("rec/metrics/s2-20261120T192134Z.lgd"));
}

TEST(Text, NeverWiderThanTheTerminalUnlessANameOrACommandIs) {
  for (const std::size_t width : {40U, 60U, 80U, 132U}) {
    for (const Diagnosis& d : {examples::busy_disk(), examples::bad_week(), examples::big_system(100)}) {
      const std::string text = to_text(d, {.width = width});
      for (const std::string_view line : split(text, '\n')) {
        if (trim(line).starts_with("$ ")) continue;
        EXPECT_LE(columns(line), width) << line;
      }
    }
  }
}

TEST(Text, NoNameReachesTheTerminalRaw) {
  const std::string text = to_text(examples::hostile(), {.width = 100, .colour = false});
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\x07")));
  EXPECT_THAT(text, Not(HasSubstr("\xff")));
  EXPECT_THAT(text, HasSubstr("\\x1b]0;owned\\x07\\xff\\u202e"));
}

TEST(Text, TheRankingStopsWhereItIsTold) {
  const std::string text = to_text(examples::bad_week(), {.ranking = 3});
  EXPECT_THAT(text, HasSubstr("and 27 more components, 11 of them with some persistence"));
  EXPECT_THAT(to_text(examples::bad_week(), {.ranking = 100}),
              HasSubstr("and 16 more components, all at zero"));
}

TEST(Text, AFindingThatComesAgainIsOneLine) {
  Diagnosis d = examples::busy_disk();
  std::vector<Evidence>& evidence = d.incidents.front().evidence;
  const std::string once = to_text(d, {.width = 120});
  EXPECT_THAT(once, Not(HasSubstr("findings")));
  for (int i = 0; i < 30; ++i) evidence.push_back(evidence.front());
  const std::string text = to_text(d, {.width = 120});
  EXPECT_EQ(std::ranges::count(text, '\n'), std::ranges::count(once, '\n'));
  EXPECT_THAT(text, ContainsRegex("findings.*\n.* 31 "));
}

TEST(Text, BeyondAFewSuspectsAreLinesOfATable) {
  Diagnosis d = examples::busy_disk();
  Incident suspect = d.incidents.front();
  suspect.state = IncidentState::kSuspected;
  for (int i = 0; i < 20; ++i) {
    suspect.blame.name = "t" + std::to_string(i);
    d.incidents.push_back(suspect);
  }
  d.incidents.push_back(examples::busy_disk().incidents.front());
  d.incidents.back().blame.name = "last";
  const std::string text = to_text(d, {.width = 100});
  EXPECT_THAT(text, HasSubstr("\nt2: disk-busy (storage), suspected"));
  EXPECT_THAT(text, Not(HasSubstr("\nt3: ")));
  EXPECT_THAT(text, HasSubstr("\nlast: disk-busy (storage), confirmed")) << "what is confirmed is never cut";
  EXPECT_THAT(text, ContainsRegex("Also suspected, not confirmed\n  blamed .*\n  t3 +disk-busy"));
  EXPECT_THAT(text, HasSubstr("\n  and 5 more, which --json lists\n"));
}

TEST(Text, AThousandFaultyComponentsAreNotListed) {
  Diagnosis d = examples::busy_disk();
  d.incidents.front().components.clear();
  for (int i = 0; i < 1000; ++i) d.incidents.front().components.push_back("lun" + std::to_string(i));
  EXPECT_THAT(to_text(d, {.width = 1000}), HasSubstr("lun10, lun11 and 988 more\n"));
}

TEST(Text, LongListsEndWithHowManyMore) {
  Diagnosis d = examples::busy_disk();
  std::vector<Evidence>& evidence = d.incidents.front().evidence;
  const Evidence first = evidence.front();
  evidence.clear();
  for (int i = 0; i < 20; ++i) {
    evidence.push_back(first);
    evidence.back().component = "s2/sd" + std::string(1, static_cast<char>('a' + i));
    d.coverage.missing.push_back("s" + std::to_string(i) + " recorded nothing");
  }
  const std::string text = to_text(d, {.width = 100});
  EXPECT_THAT(text, HasSubstr("s2/sdl"));
  EXPECT_THAT(text, Not(HasSubstr("s2/sdm")));
  EXPECT_THAT(text, HasSubstr("    and 8 more, which --json lists\n"));
  EXPECT_THAT(text, HasSubstr("  - s11 recorded nothing\n  and 8 more, which --json lists\n"));
  evidence.back().detector = "absent";
  EXPECT_THAT(to_text(d, {.width = 100}),
              AllOf(HasSubstr("s2/sdt"), HasSubstr("s2/sdk"), Not(HasSubstr("s2/sdl"))))
      << "each test is shown once before one is shown again";
}

TEST(Wrap, BreaksAtBlanksAndKeepsLongWords) {
  EXPECT_THAT(wrap("a bc def", 4), ::testing::ElementsAre("a bc", "def"));
  EXPECT_THAT(wrap("abcdefgh i", 4), ::testing::ElementsAre("abcdefgh", "i"));
  EXPECT_THAT(wrap("", 4), ::testing::IsEmpty());
  EXPECT_THAT(wrap("äöü äöü", 7), ::testing::ElementsAre("äöü äöü")) << "columns, not bytes";
}

TEST(Table, DropsTheLeastImportantColumnsFirst) {
  Table table({{"name", false, 100}, {"x", true, 1}, {"y", true, 2}});
  table.add({"component", "1", "22"});
  EXPECT_THAT(table.lines(80), ::testing::ElementsAre("name       x   y", "component  1  22"));
  EXPECT_THAT(table.lines(14), ::testing::ElementsAre("name        y", "component  22"));
  EXPECT_THAT(table.lines(3), ::testing::ElementsAre("name", "component"));
}

std::vector<PersistenceRow> two_hours() {
  const WallTime hour = *parse_time("2011-04-17T00:00:00Z");
  return {{hour, {{"fs61/lun102", "old, first", 7, 1.25}, {"fs65/lun74", "old", 6, 0}}},
          {hour + std::chrono::hours(1), {}}};
}

TEST(History, ReadsAsTheThesisShowsIt) {
  EXPECT_EQ(to_history_text(two_hours()),
            "2011-04-17T00:00:00Z  7 fs61/lun102  6 fs65/lun74\n"
            "2011-04-17T01:00:00Z  -\n");
  EXPECT_EQ(to_history_text({}), "");
}

TEST(History, HasALineForEveryPlaceAsCsv) {
  EXPECT_EQ(to_history_csv(two_hours()),
            "from,rank,persistence,severity,group,component\n"
            "2011-04-17T00:00:00Z,1,7,1.25,\"old, first\",fs61/lun102\n"
            "2011-04-17T00:00:00Z,2,6,0,old,fs65/lun74\n");
}

TEST(History, NamesCannotPlayTricks) {
  const std::vector<PersistenceRow> rows{{WallTime{}, {{"a\x1b[31m\"", "g", 1, 0}}}};
  EXPECT_EQ(to_history_text(rows).find('\x1b'), std::string::npos);
  EXPECT_NE(to_history_csv(rows).find("\"\"\""), std::string::npos);
}

Change hog() {
  Change change{.kind = ChangeKind::kOpened, .number = 17, .at = examples::at(-4), .incident = {}};
  Incident& incident = change.incident;
  incident.id = "7f3a";
  incident.since = examples::at(-94);
  incident.blame = {PartKind::kServer, "s3"};
  incident.cause = "disk-hog";
  incident.resource = "storage";
  incident.components = {"s3/loop23"};
  return change;
}

TEST(ChangeLine, SaysWhatHappenedToWhomInOneLine) {
  Change change = hog();
  EXPECT_EQ(change_line(change),
            "2026-11-20T19:21:30Z opened    #17 s3: disk-hog (storage), suspected; s3/loop23 (id 7f3a)");
  change.kind = ChangeKind::kConfirmed;
  change.incident.state = IncidentState::kConfirmed;
  change.incident.blame = {PartKind::kDisk, "s3/loop23"};
  EXPECT_EQ(change_line(change),
            "2026-11-20T19:21:30Z confirmed #17 disk s3/loop23: disk-hog (storage), confirmed; s3/loop23 (id "
            "7f3a)");
}

TEST(ChangeLine, SaysWhenAnIncidentIsOverOrKnownAndWhatItWasMergedInto) {
  Change change = hog();
  change.kind = ChangeKind::kClosed;
  change.incident.status = IncidentStatus::kClosed;
  change.incident.components = {"a", "b", "c", "d", "e"};
  EXPECT_EQ(change_line(change),
            "2026-11-20T19:21:30Z closed    #17 s3: disk-hog (storage), suspected, closed; a, b, c and 2 "
            "more (id 7f3a)");
  change = hog();
  change.kind = ChangeKind::kMerged;
  change.into = "91bc";
  change.incident.components.clear();
  EXPECT_EQ(
      change_line(change),
      "2026-11-20T19:21:30Z merged    #17 s3: disk-hog (storage), suspected (id 7f3a, now part of 91bc)");
}

TEST(ChangeLine, SaysWhatExplainsAnIncident) {
  Change change = hog();
  change.kind = ChangeKind::kExplained;
  change.incident.status = IncidentStatus::kExplained;
  change.incident.why = "it is busy; expected: md0: check";
  EXPECT_EQ(change_line(change),
            "2026-11-20T19:21:30Z explained #17 s3: disk-hog (storage), suspected, explained; s3/loop23 (id "
            "7f3a): it is busy; expected: md0: check");
}

TEST(ChangeLine, HasNothingThatATerminalObeys) {
  Change change = hog();
  change.kind = ChangeKind::kMerged;
  change.into = "x\x1b[2J";
  change.incident = examples::hostile().incidents[0];
  const std::string line = change_line(change);
  EXPECT_TRUE(is_printable(line));
  EXPECT_NE(line.find("\\x1b[2J"), std::string::npos);
}

TEST(IncidentVerdict, IsASentenceWithDates) {
  Incident incident = hog().incident;
  EXPECT_EQ(verdict(incident),
            "s3 is suspected: disk-hog (storage) since 2026-11-20 19:20:00Z, not confirmed yet");
  incident.state = IncidentState::kConfirmed;
  incident.until = examples::at(26);
  EXPECT_EQ(verdict(incident),
            "s3 was sick: disk-hog (storage) from 2026-11-20 19:20:00Z to 2026-11-20 19:22:00Z, confirmed");
}

}  // namespace
}  // namespace laggard::report
