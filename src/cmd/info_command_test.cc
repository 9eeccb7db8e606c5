// Damage as a user meets it: every command that reads names file and span, and `info --recover` saves the
// rest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "archive/writer.h"
#include "base/file.h"
#include "base/time.h"
#include "testing/cli.h"
#include "testing/observations.h"

namespace laggard::cmd {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing_support::Folder;
using testing_support::laggard;
using testing_support::replaced;
using testing_support::Said;

constexpr const char* kFile = "s3-20261120T192134Z.lgd";

/// The shipped incident with every compressed piece of one host's file spoilt.
std::string damaged_recording(const Folder& folder) {
  const std::filesystem::path copy = folder / "rec";
  std::filesystem::copy(std::string(LAGGARD_SOURCE_DIR) + "/examples/ddr-disk-busy-s2", copy,
                        std::filesystem::copy_options::recursive);
  const std::filesystem::path file = copy / "metrics" / kFile;
  std::string bytes = read_file(file).value();
  constexpr std::string_view kZstd = "\x28\xB5\x2F\xFD";
  for (std::size_t at = bytes.find(kZstd); at != std::string::npos; at = bytes.find(kZstd, at + 4)) {
    bytes[at + 4] = static_cast<char>(bytes[at + 4] ^ 1);
  }
  std::filesystem::permissions(file, std::filesystem::perms::owner_write, std::filesystem::perm_options::add);
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
  return copy;
}

/// The file, the host's kind of samples, the span.
auto names_the_loss() {
  return AllOf(HasSubstr(kFile), ContainsRegex("disk samples of s3 from 2026-11-20T19:21:34.842Z to "
                                               "2026-11-20T19:26:07.842Z (are|is) lost"));
}

/// The shipped incident with the sick server's file emptied.
std::string emptied_recording(const Folder& folder) {
  const std::filesystem::path copy = folder / "rec";
  std::filesystem::copy(std::string(LAGGARD_SOURCE_DIR) + "/examples/ddr-disk-busy-s2", copy,
                        std::filesystem::copy_options::recursive);
  const std::filesystem::path file = copy / "metrics" / "s2-20261120T192134Z.lgd";
  std::filesystem::permissions(file, std::filesystem::perms::owner_write, std::filesystem::perm_options::add);
  std::filesystem::resize_file(file, 0);
  return copy;
}

TEST(Damage, WhoseFileWasEmptiedIsNotCalledWell) {
  const Folder folder;
  const std::string rec = emptied_recording(folder);
  const Said check = laggard({"diagnose", rec, "--check"});
  EXPECT_EQ(check.status, kNotJudged) << check.err;
  EXPECT_THAT(replaced(check.out, "\n", " "),
              AllOf(HasSubstr("the diagnosis is partial"), HasSubstr("s2-20261120T192134Z.lgd")));
  EXPECT_EQ(laggard({"diagnose", rec}).status, kClean);
  const Said json = laggard({"diagnose", rec, "--json", "-"});
  EXPECT_THAT(json.out, AllOf(HasSubstr("\"partial\": true"),
                              HasSubstr("samples of s2 from 2026-11-20T19:21:34Z on are lost")));
  const Said verify = laggard({"info", rec, "--verify"});
  EXPECT_EQ(verify.status, kFinding);
  EXPECT_THAT(verify.out, AllOf(HasSubstr("samples of s2"), HasSubstr("1 file is damaged")));
  const Said recovery = laggard({"info", "--recover", folder / "saved", rec});
  EXPECT_EQ(recovery.status, kClean) << recovery.err;
  EXPECT_THAT(recovery.out, AllOf(HasSubstr("s2-20261120T192134Z.lgd: nothing could be found in this file"),
                                  HasSubstr("1 of 13 files damaged")));
}

TEST(Damage, EveryReaderNamesFileAndSpan) {
  const Folder folder;
  const std::string rec = damaged_recording(folder);
  const Said info = laggard({"info", rec});
  EXPECT_EQ(info.status, kClean) << info.err;
  EXPECT_THAT(info.out, names_the_loss());
  const Said diagnose = laggard({"diagnose", rec});
  EXPECT_EQ(diagnose.status, kClean) << diagnose.err;
  EXPECT_THAT(diagnose.out, AllOf(HasSubstr("s2 is sick"), HasSubstr(kFile)));
  const Said json = laggard({"diagnose", rec, "--json", "-"});
  EXPECT_THAT(json.out, names_the_loss());
  const Said train = laggard({"train", rec, "--out", folder / "thresholds.toml", "--preset", "lab"});
  EXPECT_EQ(train.status, kClean) << train.err;
  EXPECT_THAT(train.out, names_the_loss());
  const Said exported = laggard({"export", rec, "--out", folder / "all.csv"});
  EXPECT_EQ(exported.status, kClean) << exported.err;
  EXPECT_THAT(exported.err, names_the_loss());
}

TEST(NoRecording, IsNamedAndNotCalledDamaged) {
  const std::string examples = std::string(LAGGARD_SOURCE_DIR) + "/examples/";
  const Said both = laggard({"info", examples + "README.md", examples + "ddr-disk-busy-s2"});
  EXPECT_EQ(both.status, kClean) << both.err;
  EXPECT_THAT(both.out, AllOf(HasSubstr("13 hosts"), HasSubstr("README.md: is no recording but a text"),
                              Not(HasSubstr("damaged"))));
  const Folder folder;
  const Said csv = laggard({"diagnose", folder.write("disks.csv", "time,host\n")});
  EXPECT_EQ(csv.status, kBadUse);
  EXPECT_THAT(csv.err, HasSubstr("disks.csv: is no recording but a text; 'laggard import csv' makes one"));
}

TEST(Damage, RecoverySavesTheOthersAndNamesTheLoss) {
  const Folder folder;
  const std::string rec = damaged_recording(folder);
  const Said saved = laggard({"info", "--recover", folder / "saved", rec});
  EXPECT_EQ(saved.status, kClean) << saved.err;
  EXPECT_THAT(saved.out, AllOf(HasSubstr(kFile), HasSubstr("disk samples from 2026-11-20T19:21:34.842Z"),
                               HasSubstr("1 of 13 files damaged")));
  const Said sound = laggard({"info", "--verify", folder / "saved"});
  EXPECT_EQ(sound.status, kClean) << sound.err;
  EXPECT_THAT(sound.out, AllOf(HasSubstr("12 hosts"), Not(HasSubstr("lost"))));
  EXPECT_EQ(laggard({"info", "--recover", folder / "saved", rec}).status, kBadUse) << "it is not empty";
  const Said again = laggard({"info", "--recover", folder / "json", rec, "--json"});
  EXPECT_THAT(again.out, AllOf(HasSubstr("\"laggard.recovery/1\""), HasSubstr("\"damaged_files\": 1")));
}

TEST(Damage, NothingAtAllIsStatusTwo) {
  const Folder folder;
  const std::string file = folder.write("fs1-20110509T000005Z.lgd", std::string(20000, 'x'));
  const Said saved = laggard({"info", "--recover", folder / "saved", file});
  EXPECT_EQ(saved.status, kBadUse);
  EXPECT_THAT(saved.err, HasSubstr("nothing in it could be saved"));
}

TEST(Info, StepsOfAClockAreCalledSo) {
  const Folder folder;
  const WallTime start = *parse_time("2011-05-09T06:00:00Z");
  SystemClock clock;
  auto writer = archive::Writer::open(folder / "rec", {}, clock);
  ASSERT_TRUE(writer) << writer.error().message();
  for (const int second : {0, 3600, 1200}) {
    std::vector<WallTime> times;
    for (int t = 0; t < 10; ++t) times.push_back(start + std::chrono::seconds(second + t));
    if (second != 0) {
      const int before = second == 3600 ? 9 : 3609;
      ASSERT_TRUE(
          (*writer)->note_gap({.host = "fs1",
                               .from = start + std::chrono::seconds(before),
                               .to = times.front(),
                               .reason = fmt::format("{}{:+} s", kClockStepped, second - before - 1)}));
    }
    SampleTable table{"fs1", DeviceKind::kDisk, {{"rd_ios"}}, {"sda"}, times};
    for (std::size_t t = 0; t < times.size(); ++t) table.set(0, 0, t, t);
    ASSERT_TRUE((*writer)->append(table));
  }
  ASSERT_TRUE((*writer)->close());
  const Said info = laggard({"info", folder / "rec"});
  EXPECT_EQ(info.status, kClean) << info.err;
  EXPECT_THAT(info.out,
              AllOf(HasSubstr("fs1 2011-05-09T06:00:09Z to 2011-05-09T06:20:00Z (19m51s): clock stepped by"),
                    HasSubstr("clock steps\n  fs1 2011-05-09T06:00:09Z to 2011-05-09T07:00:00Z: clock "
                              "stepped by +3590 s\n  fs1 2011-05-09T07:00:09Z to 2011-05-09T06:20:00Z: "
                              "clock stepped by -2410 s\n"),
                    Not(HasSubstr("recorder stopped"))));
  EXPECT_THAT(laggard({"info", folder / "rec", "--json"}).out,
              HasSubstr("\"reason\": \"clock stepped by -2410 s\""));
}

/// Pings and stacks of two hosts, a ring that ran over, and no samples.
void write_observations(const std::filesystem::path& recording) {
  SystemClock clock;
  archive::ObservationWriter writer{recording, {}, clock};
  std::mt19937_64 random{1};
  const WallTime start = *parse_time("2011-05-09T06:00:00Z");
  EventTable pings = laggard::testing_support::random_events(random, "fs1", start, 1000, "ping");
  pings.add_loss({.from = start, .to = start + std::chrono::hours{1}, .count = 77, .reason = "ring full"});
  ASSERT_TRUE(writer.append(pings));
  ASSERT_TRUE(writer.append(laggard::testing_support::random_profile(random, "fs2", start, 30)));
  ASSERT_TRUE(writer.close());
}

TEST(Info, ListsEventsAndProfilesAndWhatTheyLost) {
  const Folder folder;
  write_observations(folder / "rec");
  const Said info = laggard({"info", folder / "rec", "--verify"});
  EXPECT_EQ(info.status, kClean) << info.err;
  EXPECT_THAT(
      info.out,
      AllOf(HasSubstr("2 hosts, 0 devices"), Not(HasSubstr("under load")),
            ContainsRegex("fs1 +events +ping +1000 +77 +2011-05-09T06:00:00.* to 2011-05-09T07:00:00Z"),
            ContainsRegex("fs2 +profiles +stacks +30 +0 ")));
  EXPECT_THAT(laggard({"info", folder / "rec", "--json"}).out,
              AllOf(HasSubstr("\"observations\""), HasSubstr("\"lost\": 77"), HasSubstr("\"count\": 30")));
}

TEST(Info, VerifiesAndRecoversEvents) {
  const Folder folder;
  write_observations(folder / "rec");
  for (const auto& entry : std::filesystem::directory_iterator(folder / "rec/profiles")) {
    if (entry.path().extension() == ".lgd") std::filesystem::resize_file(entry.path(), 0);
  }
  const Said verify = laggard({"info", folder / "rec", "--verify"});
  EXPECT_EQ(verify.status, kFinding) << verify.err;
  EXPECT_THAT(verify.out, AllOf(HasSubstr("profiles/fs2-"), HasSubstr("1 file is damaged")));
  const Said saved = laggard({"info", "--recover", folder / "saved", folder / "rec"});
  EXPECT_EQ(saved.status, kClean) << saved.err;
  EXPECT_THAT(saved.out,
              AllOf(HasSubstr("nothing could be found in this file"),
                    HasSubstr("1 of 2 files damaged; 0 values and 1000 events and profiles saved")));
  const Said sound = laggard({"info", folder / "saved", "--verify"});
  EXPECT_EQ(sound.status, kClean) << sound.err;
  EXPECT_THAT(sound.out, ContainsRegex("fs1 +events +ping +1000 +77 "));
}

}  // namespace
}  // namespace laggard::cmd
