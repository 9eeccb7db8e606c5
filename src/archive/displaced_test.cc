#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/archive.h"
#include "testing/fault_vfs.h"

// Other programs change a recording that is being written: what was acknowledged stays, what follows is
// written where a reader looks for it, and none of their files is touched.

namespace laggard::archive {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the archive's own test support.
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

/// A recorder that flushes after every second that it is told to record.
class Displacement : public ::testing::Test {
 protected:
  Displacement() {
    options_.say = [this](const std::string& sentence) { said_.push_back(sentence); };
    writer_ = open_writer(recording(), clock_, options_);
  }

  [[nodiscard]] fs::path recording() const { return dir_.path() / "rec"; }
  [[nodiscard]] fs::path folder() const { return recording() / "metrics"; }
  [[nodiscard]] fs::path file() const { return folder() / "fs1-20110509T060000Z.lgd"; }
  [[nodiscard]] static Cells story(std::size_t from, std::size_t to) {
    return cells_of({disk_table("fs1", at(kStart) + seconds{from}, to - from)});
  }

  Status record(std::size_t samples) {
    for (std::size_t end = recorded_ + samples; recorded_ < end; ++recorded_) {
      if (Status added = writer_->append(disk_table("fs1", at(kStart) + seconds{recorded_}, 1)); !added)
        return added;
      if (Status flushed = writer_->flush(); !flushed) return flushed;
    }
    return {};
  }
  /// Records, lets the other programs act, records again and finishes.
  void interfere(const std::function<void()>& others) {
    ASSERT_OK(record(50));
    others();
    ASSERT_OK(record(50));
    ASSERT_OK(writer_->close());
  }

  TempDir dir_;
  ManualClock clock_;
  WriterOptions options_;
  std::unique_ptr<Writer> writer_;
  std::vector<std::string> said_;
  std::size_t recorded_ = 0;
};

TEST_F(Displacement, ADayFileThatIsRemovedIsSavedAndGoesOn) {
  interfere([&] { fs::remove(file()); });
  EXPECT_THAT(file_names(recording()), ElementsAre(file().filename().string()));
  EXPECT_TRUE(same_cells(read_cells(recording()), story(0, 100)));
  EXPECT_THAT(said_,
              ElementsAre(HasSubstr("fs1-20110509T060000Z.lgd: the file was removed while recording; what it "
                                    "held is saved in fs1-20110509T060000Z.lgd")));
  auto inventory = open_reader(recording())->inventory();
  ASSERT_OK(inventory);
  EXPECT_THAT(inventory->gaps, IsEmpty()) << "the recorder never stopped";
}

TEST_F(Displacement, FoldersThatAreRemovedAreMadeAgain) {
  for (const bool whole : {true, false}) {
    said_.clear();
    ASSERT_OK(record(20));
    fs::remove_all(whole ? recording() : folder());
    ASSERT_OK(record(20));
    ASSERT_EQ(said_.size(), 2U) << ::testing::PrintToString(said_);
    EXPECT_THAT(said_[0], HasSubstr("the folder was removed while recording, and is made again"));
    EXPECT_THAT(said_[1], HasSubstr("is saved in fs1-20110509T060000Z.lgd"));
  }
  ASSERT_OK(writer_->close());
  EXPECT_THAT(file_names(recording()), ElementsAre(file().filename().string()));
  EXPECT_TRUE(same_cells(read_cells(recording()), story(0, 80)));
}

TEST_F(Displacement, ARecordingThatIsMovedAwayKeepsWhatItHadAndAnotherIsBegun) {
  const fs::path moved = dir_.path() / "moved";
  interfere([&] { fs::rename(recording(), moved); });
  EXPECT_TRUE(same_cells(read_cells(moved), story(0, 50)));
  EXPECT_TRUE(same_cells(read_cells(recording()), story(50, 100)));
  EXPECT_EQ(said_.size(), 2U);
}

TEST_F(Displacement, ADayFileThatIsMovedWithoutItsLogKeepsWhatWasInTheLog) {
  const fs::path moved = dir_.path() / "fs1-20110509T060000Z.lgd";
  interfere([&] { fs::rename(file(), moved); });
  EXPECT_TRUE(same_cells(read_cells(moved), story(0, 50)));
  EXPECT_TRUE(same_cells(read_cells(recording()), story(50, 100)));
  EXPECT_THAT(said_, ElementsAre(HasSubstr("where it was moved")));
}

TEST_F(Displacement, ALogThatIsRemovedCostsNothing) {
  for (const std::vector<std::string>& suffixes :
       {std::vector<std::string>{"-wal"}, {"-shm"}, {"-wal", "-shm"}}) {
    said_.clear();
    ASSERT_OK(record(20));
    for (const std::string& suffix : suffixes) ASSERT_TRUE(fs::remove(file().string() + suffix));
    ASSERT_OK(record(20));
    EXPECT_THAT(
        said_,
        ElementsAre(HasSubstr("write-ahead log was removed or replaced while recording; nothing is lost")));
  }
  ASSERT_OK(writer_->close());
  EXPECT_THAT(file_names(recording()), ElementsAre(file().filename().string()));
  EXPECT_TRUE(same_cells(read_cells(recording()), story(0, 120)));
}

TEST_F(Displacement, ALogThatIsReplacedIsNotRead) {
  interfere([&] {
    fs::remove(file().string() + "-wal");
    write_bytes(file().string() + "-wal", std::string(40'000, 'x'));
  });
  EXPECT_TRUE(same_cells(read_cells(recording()), story(0, 100)));
}

TEST_F(Displacement, AFileThatIsNoRecordingInItsPlaceEndsTheRecordingUntouched) {
  ASSERT_OK(record(50));
  fs::remove(file());
  write_bytes(file(), "somebody's notes\n");
  const Status done = record(1);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kBadUse);
  EXPECT_THAT(done.error().message(),
              HasSubstr("060000Z.lgd: was replaced while recording by something that is no "));
  EXPECT_EQ(*read_file(file()), "somebody's notes\n");
  writer_.reset();
  fs::remove(file());
  EXPECT_TRUE(same_cells(read_cells(recording()), story(0, 51))) << "all is in the file beside";
}

TEST_F(Displacement, ALinkInItsPlaceIsNotFollowed) {
  const fs::path target = dir_.path() / "target";
  for (const bool exists : {true, false}) {
    const std::size_t before = recorded_;
    if (writer_ == nullptr) writer_ = open_writer(recording(), clock_, options_);
    ASSERT_OK(record(10));
    if (exists) write_bytes(target, "somebody's");
    fs::path now;  // The file that has a log is the one that is being written.
    for (const std::string& name : file_names(recording())) {
      if (name.ends_with("-wal")) now = folder() / name.substr(0, name.size() - 4);
    }
    fs::remove(now);
    fs::create_symlink(target, now);
    const Status done = record(1);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, ErrorCode::kBadUse);
    ++recorded_;
    writer_.reset();
    EXPECT_EQ(read_file(target).value_or("nothing"), exists ? "somebody's" : "nothing");
    fs::remove(now);
    fs::remove(target);
    EXPECT_TRUE(same_cells(read_cells(recording()), story(0, before + 11)));
  }
}

TEST_F(Displacement, ACopyPutInItsPlaceIsContinuedAndNothingIsLost) {
  interfere([&] {
    // As an editor, or `cp` and `mv`, would do it: what is only in the log is not in the copy.
    fs::copy_file(file(), file().string() + ".new");
    fs::rename(file().string() + ".new", file());
  });
  EXPECT_TRUE(same_cells(read_cells(recording()), story(0, 100)));
}

TEST_F(Displacement, AFolderThatBecomesALinkOrAFileEndsTheRecording) {
  for (const bool link : {true, false}) {
    ASSERT_OK(record(5));
    fs::rename(recording(), dir_.path() / "away");
    fs::create_directory(dir_.path() / "theirs");
    if (link) fs::create_directory_symlink(dir_.path() / "theirs", recording());
    if (!link) write_bytes(recording(), "a file");
    const Status done = record(1);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, ErrorCode::kBadUse);
    EXPECT_THAT(done.error().message(),
                HasSubstr("rec: was replaced while recording and is no folder any more"));
    EXPECT_TRUE(fs::is_empty(dir_.path() / "theirs"));
    fs::remove(recording());
    fs::rename(dir_.path() / "away", recording());
  }
}

TEST_F(Displacement, ALinkToARecordingIsMeant) {
  fs::create_directories(dir_.path() / "elsewhere");
  fs::create_directory_symlink(dir_.path() / "elsewhere", dir_.path() / "link");
  writer_ = open_writer(dir_.path() / "link", clock_, options_);
  ASSERT_OK(record(10));
  ASSERT_OK(writer_->close());
  EXPECT_THAT(said_, IsEmpty());
  EXPECT_TRUE(same_cells(read_cells(dir_.path() / "elsewhere"), story(0, 10)));
}

TEST_F(Displacement, FactsGoIntoTheNewFileToo) {
  DeviceInfo info;
  info.host = "fs1";
  info.device = "sda";
  info.facts = {{"wwn", "5000c500"}};
  ASSERT_OK(writer_->describe(info));
  interfere([&] { fs::rename(file(), dir_.path() / "away.lgd"); });
  auto inventory = open_reader(recording())->inventory();
  ASSERT_OK(inventory);
  ASSERT_FALSE(inventory->devices.empty());
  EXPECT_THAT(inventory->devices[0].facts,
              ElementsAre(std::pair<std::string, std::string>("wwn", "5000c500")));
}

TEST_F(Displacement, RemovedOnAFullDiskIsSavedWhenThereIsRoom) {
  FaultVfs vfs;
  options_.vfs = vfs.name();
  writer_ = open_writer(recording(), clock_, options_);
  ASSERT_OK(record(50));
  vfs.set_full(true);
  fs::remove(file());
  const Status full = record(1);
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, ErrorCode::kNoSpace);
  ++recorded_;
  vfs.set_full(false);
  ASSERT_OK(record(50));
  ASSERT_OK(writer_->close());
  EXPECT_TRUE(same_cells(read_cells(recording()), story(0, 101)));
  EXPECT_EQ(said_.size(), 1U);
}

TEST_F(Displacement, ALockThatIsRemovedIsTakenAgain) {
  const fs::path lock = folder() / ".fs1.lock";
  ASSERT_OK(writer_->claim("fs1"));
  ASSERT_OK(record(3));
  fs::remove(lock);
  ASSERT_OK(record(3));
  EXPECT_THAT(said_,
              ElementsAre(HasSubstr("the lock of host fs1 was removed while recording, and is taken again")));
  auto second = open_writer(recording(), clock_);
  EXPECT_FALSE(second->claim("fs1"));
  fs::remove(lock);
  ASSERT_OK(second->claim("fs1"));
  const Status refused = record(1);
  ASSERT_FALSE(refused) << "the other one has it now";
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  writer_.reset();
  EXPECT_TRUE(fs::exists(lock)) << "it is not the first one's to remove";
}

}  // namespace
}  // namespace laggard::archive
