#include "report/change_text.h"

#include <gtest/gtest.h>

#include "base/terminal_text.h"
#include "report/examples.h"
#include "report/wording.h"

namespace laggard::report {
namespace {

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
