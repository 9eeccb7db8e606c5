// Files that were damaged by a disk, a cable or a person: what is read is right, and what is missing is
// reported.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/format.h"
#include "archive/recover.h"
#include "base/file.h"
#include "testing/archive.h"

namespace laggard::archive {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the archive's own test support.
using std::chrono::seconds;

/// Damages a file in one of several ways, at a random place.
std::string spoil(std::string bytes, std::mt19937_64& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const std::size_t at = below(bytes.size());
  const std::size_t sector = at / 512 * 512;
  switch (below(6)) {
    case 0:
    case 1:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
      break;
    case 2:
      bytes[at] = static_cast<char>(random());
      break;
    case 3:
      bytes.resize(at);
      break;
    case 4:  // A sector that was never written.
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(sector),
                  std::min<std::size_t>(512, bytes.size() - sector), '\0');
      break;
    default: {  // A page that went to the wrong place.
      const std::size_t pages = bytes.size() / kPageBytes;
      bytes.replace(below(pages) * kPageBytes, kPageBytes, bytes, below(pages) * kPageBytes, kPageBytes);
    }
  }
  return bytes;
}

class Damage : public OneFile {
 protected:
  Damage() : OneFile(5 * 1024, 2) {}

  /// Checks that what is read is right. \return whether all of it was read.
  bool read_truly(const Reader& reader, const std::vector<SampleTable>& tables, const Inventory& inventory) {
    const std::size_t found = count_true_cells(tables, table_);
    for (const DeviceInfo& device : inventory.devices) {
      for (const auto& [key, value] : device.facts) EXPECT_EQ(value, "5000c500a1b2c3d4") << key;
    }
    const bool complete = found == table_.present_cells();
    EXPECT_TRUE(complete || !reader.notices().empty()) << "something is missing and nobody said so";
    return complete;
  }
};

TEST_F(Damage, WhateverHappensToAFileItTellsNoLies) {
  std::mt19937_64 random{1};
  std::size_t refused = 0;
  std::size_t complete = 0;
  constexpr std::size_t kRounds = 400;
  for (std::size_t round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(round);
    overwrite(spoil(sound_, random));
    const std::vector<std::filesystem::path> paths{dir_.path() / "rec"};
    auto reader = Reader::open(paths);
    if (!reader) {
      ++refused;  // Such as: its version is a later one; or nothing is left of it.
      continue;
    }
    auto inventory = (*reader)->inventory();
    ASSERT_OK(inventory);
    complete += read_truly(**reader, read_all(**reader), *inventory) ? 1U : 0U;
    if (HasFailure()) break;
  }
  EXPECT_LT(refused, kRounds / 10);
  EXPECT_LT(complete, kRounds / 2) << "the test spoils what nobody reads";
}

TEST_F(Damage, WhateverHappensToAFileRecoveryTellsNoLies) {
  std::mt19937_64 random{2};
  ManualClock clock;
  std::size_t whole = 0;
  constexpr std::size_t kRounds = 60;
  for (std::size_t round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(round);
    overwrite(spoil(sound_, random));
    const std::filesystem::path in = dir_.path() / "rec";
    const std::filesystem::path out = dir_.path() / "out";
    std::filesystem::remove_all(out);
    auto recovery = recover(std::span(&in, 1), out, clock);
    if (!recovery) {
      const ErrorCode code = recovery.error().code;
      EXPECT_TRUE(code == ErrorCode::kTooNew || code == ErrorCode::kTooOld) << recovery.error().message();
      continue;
    }
    const std::size_t saved =
        recovery->cells == 0 ? 0 : count_true_cells(read_all(*open_reader(out)), table_);
    EXPECT_EQ(saved, recovery->cells);
    EXPECT_TRUE(saved == table_.present_cells() || !recovery->lost.empty()) << "a loss that is not named";
    whole += saved == table_.present_cells() ? 1U : 0U;
    if (HasFailure()) break;
  }
  EXPECT_GT(whole, kRounds / 20) << "what only spoils tables costs nothing";
}

TEST_F(Damage, AJournalThatIsSpoiledGivesAnOlderStateAtWorst) {
  const std::filesystem::path killed = dir_.path() / "killed";
  ManualClock clock;
  auto writer = open_writer(killed, clock);
  const SampleTable truth = disk_table("fs1", at(kStart), 60, 2);
  for (std::size_t t = 0; t < 60; t += 3) {
    ASSERT_OK(writer->append(disk_table("fs1", at(kStart) + seconds{t}, 3, 2)));
    ASSERT_OK(writer->flush());
  }
  const std::filesystem::path live = killed / "metrics" / file().filename();
  const std::string database = read_file(live).value();
  const std::string journal = read_file(live.string() + "-wal").value();
  std::mt19937_64 random{3};
  std::filesystem::create_directories(dir_.path() / "copy" / "metrics");
  const std::filesystem::path copy = dir_.path() / "copy" / "metrics" / file().filename();
  for (std::size_t round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    std::filesystem::remove(copy.string() + "-shm");
    write_bytes(copy, database);
    write_bytes(copy.string() + "-wal", spoil(journal, random));
    const std::vector<std::filesystem::path> paths{dir_.path() / "copy"};
    auto reader = Reader::open(paths);
    if (!reader) continue;
    const std::size_t found = count_true_cells(read_all(**reader), truth);
    EXPECT_EQ(found % (3 * 6), 0U) << "whole flushes or none";
    if (HasFailure()) break;
  }
}

TEST_F(Damage, ABlockOfAnImpossibleLayoutIsDamageLikeAnyOther) {
  // The mark at a header's beginning is the one part of it that its checksum does not cover.
  std::string bytes = sound_;
  std::size_t marks = 0;
  for (std::size_t mark = bytes.find(kBlockMagic); mark != std::string::npos;
       mark = bytes.find(kBlockMagic, mark)) {
    bytes[mark + kBlockMagic.size() - 1] ^= 4;
    overwrite(bytes);
    auto reader = open_reader(dir_.path() / "rec");
    auto inventory = reader->inventory();
    ASSERT_OK(inventory);
    const bool complete = read_truly(*reader, read_all(*reader), *inventory);
    EXPECT_TRUE(complete || marks > 0) << "the first one has a copy";
    ++marks;
  }
  EXPECT_EQ(marks, 2U * 5) << "five blocks, each with a copy of its header";
  EXPECT_THAT(read_all(*open_reader(dir_.path() / "rec")), ::testing::IsEmpty());
}

TEST_F(Damage, RowsThatABadPageHidesAreMissed) {
  // A leaf that claims fewer rows than it has: SQLite sees nothing wrong with that.
  std::size_t blocks_hidden = 0;
  std::size_t facts_hidden = 0;
  for (std::size_t page = 1; page < sound_.size() / kPageBytes; ++page) {
    const char* leaf = sound_.data() + page * kPageBytes;
    if (leaf[0] != 0x0D || leaf[3] != 0 || leaf[4] < 1 || leaf[4] > 50) continue;
    std::string bytes = sound_;
    bytes[page * kPageBytes + 4] = static_cast<char>(leaf[4] - 1);
    overwrite(bytes);
    SCOPED_TRACE(page);
    const std::vector<std::filesystem::path> paths{dir_.path() / "rec"};
    auto reader = Reader::open(paths);
    if (!reader) continue;  // It was the only row of a table that every file needs.
    auto inventory = (*reader)->inventory();
    ASSERT_OK(inventory);
    read_truly(**reader, read_all(**reader), *inventory);
    for (const std::string& notice : (*reader)->notices()) {
      if (notice.find("the index shows 4 blocks where 5 were written") != std::string::npos) ++blocks_hidden;
      if (notice.find("facts of devices or gaps are lost") != std::string::npos) ++facts_hidden;
    }
  }
  EXPECT_GE(blocks_hidden, 1U);
  EXPECT_GE(facts_hidden, 1U);
}

}  // namespace
}  // namespace laggard::archive
