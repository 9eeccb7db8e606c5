#include "archive/recover.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/format.h"
#include "archive/salvage.h"
#include "base/file.h"
#include "testing/archive.h"

namespace laggard::archive {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the archive's own test support.
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

constexpr const char* kStart = "2011-05-09T06:00:00Z";
constexpr std::size_t kPage = kPageBytes;

/// A recording of six large blocks, as a sound file.
class Recover : public OneFile {
 protected:
  Recover() : OneFile(6 * 1024, 5) {}

  Recovery run() {
    std::filesystem::remove_all(dir_.path() / "out");
    ManualClock clock;
    const std::filesystem::path in = dir_.path() / "rec";
    auto recovery = recover(std::span(&in, 1), dir_.path() / "out", clock);
    EXPECT_TRUE(recovery) << recovery.error().message();
    return recovery.value_or(Recovery{});
  }
  /// Everything in the new recording is true. \return how many cells it has.
  std::size_t check_truth() {
    auto reader = open_reader(dir_.path() / "out");
    if (reader == nullptr) return 0;
    const std::size_t found = count_true_cells(read_all(*reader), table_);
    EXPECT_THAT(reader->notices(), IsEmpty());
    return found;
  }

  /// The facts of the disk sda in the new recording.
  auto saved_facts() {
    auto inventory = open_reader(dir_.path() / "out")->inventory();
    return inventory && !inventory->devices.empty() ? inventory->devices[0].facts
                                                    : std::vector<std::pair<std::string, std::string>>{};
  }

  const std::size_t all_ = table_.present_cells();
};

TEST_F(Recover, ASoundRecordingIsCopied) {
  const Recovery recovery = run();
  EXPECT_EQ(recovery.damaged_files, 0U);
  EXPECT_THAT(recovery.lost, IsEmpty());
  EXPECT_EQ(check_truth(), all_);
  EXPECT_THAT(saved_facts(), ElementsAre(Pair("wwn", "5000c500a1b2c3d4")));
}

TEST_F(Recover, AFileOfALaterVersionIsNamedAndTheOthersAreSaved) {
  constexpr std::size_t kUserVersion = 60;  // Offset in the header of the file, big-endian.
  std::string later = sound_;
  later[kUserVersion + 3] = 99;
  const std::filesystem::path file = dir_.path() / "rec" / kStreamFolder / "fs0-20110509T060000Z.lgd";
  write_bytes(file, later);
  const Recovery recovery = run();
  EXPECT_EQ(recovery.damaged_files, 1U);
  EXPECT_THAT(recovery.lost, ElementsAre(AllOf(HasSubstr(file.string()), HasSubstr("99"))));
  EXPECT_EQ(check_truth(), all_);
}

TEST_F(Recover, WithoutTheFirstPageNothingIsLost) {
  std::string bytes = sound_;
  std::fill_n(bytes.begin(), kPage, '\0');
  overwrite(bytes);
  const Recovery recovery = run();
  EXPECT_EQ(recovery.damaged_files, 1U);
  EXPECT_THAT(recovery.lost, IsEmpty());
  EXPECT_EQ(check_truth(), all_);
  EXPECT_THAT(saved_facts(), ElementsAre(Pair("wwn", "5000c500a1b2c3d4")));
}

TEST_F(Recover, ACutFileGivesItsFront) {
  overwrite(sound_.substr(0, sound_.size() / 2 + 100));
  const Recovery recovery = run();
  EXPECT_EQ(recovery.damaged_files, 1U);
  EXPECT_THAT(recovery.lost, Not(IsEmpty()));
  const std::size_t saved = check_truth();
  EXPECT_GT(saved, all_ / 5);
  EXPECT_LT(saved, all_);
}

TEST_F(Recover, AnOverwrittenPageCostsItsBlocksOnlyAndIsNamed) {
  std::size_t worst = all_;
  const std::size_t pages = sound_.size() / kPage;
  // The first pages hold the tables' roots and the headers, the others are much alike.
  for (std::size_t page = 0; page < pages; page += page < 40 ? 1 : 11) {
    std::string bytes = sound_;
    for (std::size_t i = 0; i < kPage; ++i) bytes[page * kPage + i] = static_cast<char>(i * 37 + 11);
    overwrite(bytes);
    const Recovery recovery = run();
    const std::size_t saved = check_truth();
    worst = std::min(worst, saved);
    if (saved < all_) {
      ASSERT_THAT(recovery.lost, Not(IsEmpty())) << "page " << page;
      EXPECT_THAT(recovery.lost.front(), HasSubstr("fs1-20110509T060000Z.lgd"));
    }
  }
  EXPECT_GE(worst, all_ * 4 / 6) << "a page holds parts of two blocks at most";
}

TEST_F(Recover, VerifyingFindsDamageBeforeAnythingIsRead) {
  auto sound = open_reader(dir_.path() / "rec", {.verify = true});
  ASSERT_OK(sound->inventory());
  EXPECT_THAT(sound->notices(), IsEmpty());
  std::string bytes = sound_;
  bytes[bytes.size() / 2] ^= 1;  // Most of the file is values.
  overwrite(bytes);
  auto reader = open_reader(dir_.path() / "rec", {.verify = true});
  auto inventory = reader->inventory();
  ASSERT_OK(inventory);
  ASSERT_THAT(inventory->notices, Not(IsEmpty()));
  EXPECT_THAT(inventory->notices.front(), HasSubstr("from 2011-05-09T"));
}

TEST_F(Recover, WhatIsOnlyInTheLogIsFoundWithoutTheDatabase) {
  // A recorder that was killed: committed blocks are in the write-ahead log, the first page of the file is
  // gone.
  const std::filesystem::path killed = dir_.path() / "killed";
  ManualClock clock;
  auto writer = open_writer(killed, clock);
  for (std::size_t t = 0; t < 50; ++t) {
    ASSERT_OK(writer->append(disk_table("fs1", at(kStart) + seconds{t}, 1, 5)));
    ASSERT_OK(writer->flush());
  }
  std::filesystem::create_directories(dir_.path() / "copy" / "metrics");
  for (const char* suffix : {"", "-wal"}) {
    std::filesystem::copy_file(killed / "metrics" / (file().filename().string() + suffix),
                               dir_.path() / "copy" / "metrics" / (file().filename().string() + suffix));
  }
  const std::filesystem::path copied = dir_.path() / "copy" / "metrics" / file().filename();
  std::ofstream(copied, std::ios::binary | std::ios::trunc) << std::string(kPage, '\x55');
  const std::filesystem::path in = dir_.path() / "copy";
  for (const bool hole_behind : {false, true}) {
    // Nobody has the memory for a terabyte of zeros, nor the time.
    if (hole_behind) std::filesystem::resize_file(copied.string() + "-wal", std::uintmax_t{1} << 40);
    std::filesystem::remove_all(dir_.path() / "out");
    auto recovery = recover(std::span(&in, 1), dir_.path() / "out", clock);
    ASSERT_OK(recovery);
    auto reader = open_reader(dir_.path() / "out");
    EXPECT_TRUE(same_cells(cells_of(read_all(*reader)), cells_of({disk_table("fs1", at(kStart), 50, 5)})));
  }
}

TEST_F(Recover, OldRowsOnGivenUpPagesDoNotCount) {
  // Many small blocks were merged: their pages are free but still full of the same samples.
  const std::filesystem::path merged = dir_.path() / "merged";
  ManualClock clock;
  auto writer = open_writer(merged, clock);
  for (std::size_t t = 0; t < 1100; t += 10) {
    ASSERT_OK(writer->append(disk_table("fs1", at(kStart) + seconds{t}, 10, 5)));
    ASSERT_OK(writer->flush());
  }
  std::filesystem::create_directories(dir_.path() / "copy" / "metrics");
  for (const char* suffix : {"", "-wal"}) {
    std::filesystem::copy_file(merged / "metrics" / (file().filename().string() + suffix),
                               dir_.path() / "copy" / "metrics" / (file().filename().string() + suffix));
  }
  auto salvage = salvage_file(dir_.path() / "copy" / "metrics" / file().filename());
  ASSERT_OK(salvage);
  EXPECT_THAT(salvage->lost, IsEmpty()) << "what was overwritten was merged before";
  EXPECT_TRUE(same_cells(cells_of(salvage->tables), cells_of({disk_table("fs1", at(kStart), 1100, 5)})));
}

TEST_F(Recover, AFolderWithThingsInItIsNoTarget) {
  ManualClock clock;
  const std::filesystem::path in = dir_.path() / "rec";
  const auto refused = recover(std::span(&in, 1), in, clock);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kBadUse);
}

}  // namespace
}  // namespace laggard::archive
