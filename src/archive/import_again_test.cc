// What an import does that is done again: it leaves files alone that hold everything already.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "archive/format.h"
#include "testing/archive.h"

namespace laggard::archive {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the archive's own test support.

class ImportAgain : public ::testing::Test {
 protected:
  static constexpr std::size_t kSamples = 200;
  static constexpr std::size_t kCells = kSamples * 2 * 3;

  std::unique_ptr<Writer> import() {
    WriterOptions options;
    options.existing = Existing::kSkipEqual;
    auto writer = Writer::open(dir_.path(), options, clock_);
    EXPECT_TRUE(writer) << writer.error().message();
    return std::move(*writer);
  }
  WriteStats import(const std::vector<SampleTable>& tables) {
    const auto writer = import();
    for (const SampleTable& table : tables) EXPECT_TRUE(writer->append(table));
    EXPECT_TRUE(writer->close());
    return writer->stats();
  }
  /// Day files with their content and the time of their last change, be it of their names or rights.
  [[nodiscard]] std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(dir_.path() / kStreamFolder)) {
      if (entry.path().extension() != ".lgd") continue;
      struct stat info {};
      EXPECT_EQ(::stat(entry.path().c_str(), &info), 0);
      found[entry.path().filename()] =
          fmt::format("{}.{:09} {} ", info.st_ctim.tv_sec, info.st_ctim.tv_nsec, info.st_ino) +
          read_file(entry.path()).value();
    }
    return found;
  }

  TempDir dir_;
  ManualClock clock_;
  std::vector<SampleTable> tables_{disk_table("fs1", "2011-05-09T06:00:00Z"_utc, kSamples),
                                   disk_table("fs2", "2011-05-09T06:00:00Z"_utc, kSamples)};
};

TEST_F(ImportAgain, LeavesFilesAloneThatHoldEverything) {
  EXPECT_EQ(import(tables_).cells_added, 2 * kCells);
  const auto before = files();
  for (const std::size_t many : {std::size_t{1}, std::size_t{2}}) {
    const WriteStats again = import({tables_.begin(), tables_.begin() + static_cast<std::ptrdiff_t>(many)});
    EXPECT_EQ(again, (WriteStats{.cells_already_there = many * kCells}));
    EXPECT_EQ(files(), before);
  }
}

TEST_F(ImportAgain, WritesToThoseAloneThatGetMore) {
  import(tables_);
  const auto before = files();
  const SampleTable more = disk_table("fs2", "2011-05-09T06:00:00Z"_utc, kSamples + 10);
  EXPECT_EQ(import({tables_[0], more}),
            (WriteStats{.cells_added = 10 * 2 * 3, .cells_already_there = 2 * kCells}));
  const auto after = files();
  ASSERT_EQ(after.size(), 2U);
  EXPECT_EQ(*after.begin(), *before.begin());
  EXPECT_NE(after.rbegin()->second, before.rbegin()->second);
  EXPECT_EQ(read_cells(dir_.path()).size(), 2 * kCells + 10 * 2 * 3);
}

TEST_F(ImportAgain, StoresAFactThatIsNew) {
  import(tables_);
  DeviceInfo device;
  device.host = "fs1";
  device.device = "sda";
  device.facts = {{"model", "X"}};
  for (int round = 0; round < 2; ++round) {
    const auto writer = import();
    ASSERT_TRUE(writer->append(tables_[0]));
    ASSERT_TRUE(writer->describe(device));
    ASSERT_TRUE(writer->close());
  }
  const auto before = files();
  const auto writer = import();
  ASSERT_TRUE(writer->describe(device));
  ASSERT_TRUE(writer->append(tables_[0]));
  ASSERT_TRUE(writer->close());
  EXPECT_EQ(files(), before);
  const std::vector paths{dir_.path()};
  const auto reader = Reader::open(paths);
  ASSERT_TRUE(reader);
  EXPECT_TRUE((*reader)->inventory()->notices.empty());
}

TEST_F(ImportAgain, MissesAFileThatIsRemovedMeanwhile) {
  import(tables_);
  const auto writer = import();
  ASSERT_TRUE(writer->append(tables_[0]));
  for (const auto& [name, content] : files()) {
    if (name.starts_with("fs1")) std::filesystem::remove(dir_.path() / kStreamFolder / name);
  }
  ASSERT_TRUE(writer->close());
  EXPECT_EQ(writer->stats(), (WriteStats{.cells_added = kCells}));
  EXPECT_EQ(read_cells(dir_.path()).size(), 2 * kCells);
}

}  // namespace
}  // namespace laggard::archive
