// Files of events and profiles that were damaged by a disk, a cable or a person: what is read was written,
// and what is missing is named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/format.h"
#include "archive/recover.h"
#include "base/file.h"
#include "testing/observation_archive.h"

namespace laggard::archive {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the archive's own test support.
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Flips a bit, cuts the file, or loses a sector or a page.
std::string damaged_copy(std::string bytes, std::mt19937_64& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const std::size_t at_byte = below(bytes.size());
  switch (below(4)) {
    case 0:
      bytes[at_byte] = static_cast<char>(bytes[at_byte] ^ (1 << below(8)));
      break;
    case 1:
      bytes.resize(at_byte);
      break;
    case 2:
      for (std::size_t i = at_byte / 512 * 512; i < std::min(bytes.size(), at_byte / 512 * 512 + 512); ++i)
        bytes[i] = 0;
      break;
    default: {
      const std::size_t pages = bytes.size() / kPageBytes;
      bytes.replace(below(pages) * kPageBytes, kPageBytes, bytes, below(pages) * kPageBytes, kPageBytes);
    }
  }
  return bytes;
}

/// Events and profiles, each in a finished file.
class ObservationDamage : public ::testing::Test {
 protected:
  void SetUp() override {
    std::mt19937_64 random{7};
    ManualClock clock;
    ObservationWriter writer{recording(), {}, clock};
    const WallTime start = "2011-05-09T06:00:00Z"_utc;
    std::vector<EventTable> events;
    std::vector<ProfileTable> profiles;
    // Two kinds, in blocks that are too large to be merged further.
    for (int block = 0; block < 2; ++block) {
      events.push_back(random_events(random, "fs1", start + seconds{40 * block}, 33'000));
      events.push_back(random_events(random, "fs1", start + seconds{40 * block}, 300, "ping"));
      profiles.push_back(random_profile(random, "fs1", start + seconds{2000 * block}, 200));
      ASSERT_OK(writer.append(events[events.size() - 2]));
      ASSERT_OK(writer.append(events.back()));
      ASSERT_OK(writer.append(profiles.back()));
      ASSERT_OK(writer.flush());
    }
    ASSERT_OK(writer.close());
    events_ = rows_of_all<PlainEvent>(events);
    profiles_ = rows_of_all<PlainPeriod>(profiles);
    for (const char* stream : {"events", "profiles"}) {
      files_.push_back(only_file(recording(), stream));
      sound_.push_back(read_file(files_.back()).value());
    }
  }

  [[nodiscard]] std::filesystem::path recording() const { return dir_.path() / "rec"; }
  void overwrite(std::size_t file, const std::string& bytes) const { write_bytes(files_[file], bytes); }

  /// Whether a recording has all of both. What it has must be true, but attributes may be missing.
  [[nodiscard]] bool holds_all(Reader& reader, std::size_t& rows) const {
    const auto events = read_events(reader);
    const auto profiles = read_profiles(reader);
    rows = events.count() + profiles.count();
    EXPECT_TRUE(is_part_of(without_attributes(events), without_attributes(events_)));
    EXPECT_TRUE(is_part_of(profiles, profiles_));
    return events.rows == events_.rows && profiles.rows == profiles_.rows;
  }
  static Read<PlainEvent> without_attributes(Read<PlainEvent> read) {
    for (auto& [key, rows] : read.rows) {
      for (PlainEvent& event : rows) event.attributes.clear();
    }
    read.sort();
    return read;
  }

  TempDir dir_;
  std::vector<std::filesystem::path> files_;
  std::vector<std::string> sound_;
  Read<PlainEvent> events_;
  Read<PlainPeriod> profiles_;
};

TEST_F(ObservationDamage, WhateverHappensToAFileItTellsNoLies) {
  std::mt19937_64 random{1};
  std::size_t complete = 0;
  std::size_t opened = 0;
  for (int round = 0; round < 24; ++round) {
    SCOPED_TRACE(round);
    const std::size_t file = random() % 2;
    overwrite(file, damaged_copy(sound_[file], random));
    const std::vector<std::filesystem::path> paths{recording()};
    auto reader = Reader::open(paths, {.verify = true});
    overwrite(1 - file, sound_[1 - file]);
    if (!reader) continue;  // Such as: its version is a later one.
    ++opened;
    ASSERT_OK((*reader)->observations());
    std::size_t rows = 0;
    const bool all = holds_all(**reader, rows);
    EXPECT_TRUE(all || !(*reader)->damaged().empty()) << "something is missing and nobody said so";
    complete += all ? 1U : 0U;
    if (HasFailure()) break;
    overwrite(file, sound_[file]);
  }
  EXPECT_GT(opened, 18U);
  EXPECT_LT(complete, opened / 2) << "the test spoils what nobody reads";
}

TEST_F(ObservationDamage, WhateverHappensToAFileRecoveryTellsNoLies) {
  std::mt19937_64 random{2};
  ManualClock clock;
  std::size_t saved = 0;
  for (int round = 0; round < 12; ++round) {
    SCOPED_TRACE(round);
    const std::size_t file = random() % 2;
    overwrite(file, damaged_copy(sound_[file], random));
    const std::filesystem::path in = recording();
    const std::filesystem::path out = dir_.path() / "out";
    std::filesystem::remove_all(out);
    auto recovery = recover(std::span(&in, 1), out, clock);
    overwrite(file, sound_[file]);
    ASSERT_TRUE(recovery) << recovery.error().message();
    EXPECT_FALSE(std::filesystem::exists(out / "metrics"));
    std::size_t rows = 0;
    const bool all = holds_all(*open_reader(out), rows);
    EXPECT_EQ(rows, recovery->observations);
    EXPECT_TRUE(all || !recovery->lost.empty()) << "a loss that is not named";
    saved += rows;
    if (HasFailure()) break;
  }
  EXPECT_GT(saved, 12 * (events_.count() + profiles_.count()) * 2 / 3);
}

TEST_F(ObservationDamage, AnEmptiedFileIsNamed) {
  overwrite(0, "");
  auto reader = open_reader(recording());
  EXPECT_THAT(reader->damaged(), ::testing::ElementsAre(files_[0].string()));
  EXPECT_THAT(reader->notices(), ::testing::ElementsAre(HasSubstr("nothing is in this file")));
  EXPECT_EQ(read_profiles(*reader).rows, profiles_.rows);
}

TEST_F(ObservationDamage, ABitInAnAttributeCostsTheAttribute) {
  // A real number is in few events, so that its chunk is one of the small ones: look for one by trying.
  std::mt19937_64 random{3};
  std::size_t hits = 0;
  for (int round = 0; round < 40 && hits == 0; ++round) {
    std::string bytes = sound_[0];
    bytes[random() % bytes.size()] ^= 1;
    overwrite(0, bytes);
    const std::vector<std::filesystem::path> paths{recording()};
    auto reader = Reader::open(paths);
    if (!reader) continue;
    const auto got = read_events(**reader);
    if (got.count() != events_.count() || got.rows == events_.rows) continue;
    ++hits;
    EXPECT_EQ(without_attributes(got).rows, without_attributes(events_).rows);
    EXPECT_THAT((*reader)->notices(),
                ::testing::Contains(HasSubstr("is damaged: its checksum does not hold")));
  }
  EXPECT_EQ(hits, 1U);
}

TEST_F(ObservationDamage, RecoveryCopiesWhatIsSound) {
  ManualClock clock;
  const std::filesystem::path in = recording();
  auto recovery = recover(std::span(&in, 1), dir_.path() / "out", clock);
  ASSERT_OK(recovery);
  EXPECT_THAT(recovery->lost, IsEmpty());
  EXPECT_EQ(recovery->damaged_files, 0U);
  std::size_t rows = 0;
  EXPECT_TRUE(holds_all(*open_reader(dir_.path() / "out"), rows));
}

TEST_F(ObservationDamage, MergedBlocksThatAreFoundInTheirPartsGiveEachRowOnce) {
  const std::filesystem::path live = dir_.path() / "live";
  ManualClock clock;
  ObservationWriter writer{live, {}, clock};
  std::mt19937_64 random{4};
  std::vector<EventTable> tables;
  for (int t = 0; t < 300; ++t) {
    tables.push_back(random_events(random, "fs1", "2011-05-09T06:00:00Z"_utc + seconds{t}, 9));
    if (t % 7 == 0) {
      const WallTime then = tables.back().times()[0];
      tables.back().add_loss({.from = then, .to = then, .count = 2, .reason = "ring full"});
    }
    ASSERT_OK(writer.append(tables.back()));
    ASSERT_OK(writer.flush());
  }
  // The first page is gone, so pages are searched for rows: free pages are still there, and the log has
  // earlier states.
  const std::filesystem::path copied = dir_.path() / "copied" / "events";
  std::filesystem::create_directories(copied);
  const std::filesystem::path file = only_file(live, "events");
  for (const char* suffix : {"", "-wal"}) {
    std::filesystem::copy_file(file.string() + suffix, (copied / file.filename()).string() + suffix);
  }
  std::string bytes = read_file(copied / file.filename()).value();
  std::fill_n(bytes.begin(), kPageBytes, '\0');
  write_bytes(copied / file.filename(), bytes);
  const std::filesystem::path in = dir_.path() / "copied";
  auto recovery = recover(std::span(&in, 1), dir_.path() / "out", clock);
  ASSERT_OK(recovery);
  const auto truth = rows_of_all<PlainEvent>(tables);
  const auto got = read_events(*open_reader(dir_.path() / "out"));
  EXPECT_EQ(got.rows, truth.rows);
  EXPECT_EQ(got.lost, truth.lost);
}

}  // namespace
}  // namespace laggard::archive
