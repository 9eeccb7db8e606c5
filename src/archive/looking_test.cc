// Who may read a recording, what reading needs, and what is reported about empty files.
#include <grp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "archive/day_file.h"
#include "archive/format.h"
#include "archive/recover.h"
#include "testing/archive.h"

namespace laggard::archive {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the archive's own test support.
namespace fs = std::filesystem;
using std::chrono::hours;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kName = "fs1-20110509T060000Z.lgd";

/// Runs in another process, which may give up its rights. \return its exit status.
int in_child(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

constexpr int kImpossible = 77;
constexpr int kAllThere = 0;

int become_nobody() {
  constexpr uid_t kNobody = 65534;
  return ::setgroups(0, nullptr) == 0 && ::setgid(kNobody) == 0 && ::setuid(kNobody) == 0 ? 0 : kImpossible;
}

/// A file as it is now with what lies beside it, to and from another folder: closing would make it sound.
void copy_of(const fs::path& file, const fs::path& into) {
  fs::create_directory(into);
  for (const char* suffix : {"", "-wal", "-shm"}) {
    fs::copy_file(file.string() + suffix, into / (file.filename().string() + suffix));
  }
}
void put_back(const fs::path& from, const fs::path& file) {
  for (const char* suffix : {"", "-wal", "-shm"}) {
    fs::copy_file(from / (file.filename().string() + suffix), file.string() + suffix,
                  fs::copy_options::overwrite_existing);
  }
  fs::remove_all(from);
}

int read_in_child(const fs::path& recording, const Cells& wanted) {
  const std::vector<fs::path> paths{recording};
  auto reader = Reader::open(paths, {.verify = true});
  if (!reader || !(*reader)->inventory()) return 1;
  if (cells_of(read_all(**reader)) != wanted) return 2;
  return (*reader)->notices().empty() ? kAllThere : 3;
}

/// What a killed recorder leaves: the day so far is in the log, partly in the file.
class Looking : public ::testing::Test {
 protected:
  void SetUp() override {
    ManualClock clock;
    live_ = open_writer(live(), clock);
    for (std::size_t t = 0; t < 500; t += 10) {
      ASSERT_OK(live_->append(disk_table("fs1", at(kStart) + seconds{t}, 10)));
      ASSERT_OK(live_->flush());
    }
    all_ = cells_of({disk_table("fs1", at(kStart), 500)});
    ::chmod(dir_.path().c_str(), 0755);
  }
  [[nodiscard]] fs::path live() const { return dir_.path() / "live"; }
  [[nodiscard]] fs::path killed() const { return dir_.path() / "killed"; }

  /// The files as they are now, with these suffixes.
  void copy(const std::vector<std::string>& suffixes) {
    fs::remove_all(killed());
    fs::create_directories(killed() / "metrics");
    for (const std::string& suffix : suffixes) {
      fs::copy_file(live() / "metrics" / (kName + suffix), killed() / "metrics" / (kName + suffix));
    }
  }
  [[nodiscard]] fs::path file() const { return killed() / "metrics" / kName; }

  TempDir dir_;
  std::unique_ptr<Writer> live_;
  Cells all_;
};

TEST_F(Looking, WhoMayNotWriteReadsAllThereIsWithOrWithoutAWalIndex) {
  if (::geteuid() != 0) GTEST_SKIP() << "becoming another user needs root";
  for (const auto& suffixes : {std::vector<std::string>{"", "-wal"}, {"", "-wal", "-shm"}}) {
    copy(suffixes);
    EXPECT_EQ(in_child([&] { return become_nobody() != 0 ? kImpossible : read_in_child(killed(), all_); }),
              kAllThere);
  }
  EXPECT_EQ(in_child([&] { return become_nobody() != 0 ? kImpossible : read_in_child(live(), all_); }),
            kAllThere)
      << "beside the recorder, too";
}

TEST_F(Looking, AReadOnlyMediumGivesAllThereIs) {
  copy({"", "-wal"});
  const int status = in_child([&] {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
      return kImpossible;
    }
    const std::string path = killed().string();
    struct statvfs info {};
    if (::statvfs(path.c_str(), &info) != 0) return kImpossible;
    // A remount must repeat the flags of the mount.
    constexpr unsigned long kKept = ST_NOSUID | ST_NODEV | ST_NOEXEC;
    const unsigned long flags = MS_BIND | MS_REMOUNT | MS_RDONLY | (info.f_flag & kKept);
    if (::mount(path.c_str(), path.c_str(), nullptr, MS_BIND, nullptr) != 0 ||
        ::mount(nullptr, path.c_str(), nullptr, flags, nullptr) != 0) {
      return kImpossible;
    }
    if (std::ofstream(killed() / "x").is_open()) return 4;
    return read_in_child(killed(), all_);
  });
  if (status == kImpossible) GTEST_SKIP() << "mounting needs root";
  EXPECT_EQ(status, kAllThere);
}

bool may_open_at_most(rlim_t files) {
  const rlimit limit{.rlim_cur = files, .rlim_max = files};
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

TEST_F(Looking, TooFewDescriptorsAreAnErrorAndNeverLessToRead) {
  copy({"", "-wal", "-shm"});
  constexpr int kRefused = 1;
  constexpr int kLess = 2;
  std::set<int> seen;
  for (rlim_t files = 1; files < 32; ++files) {
    seen.insert(in_child([&] {
      if (!may_open_at_most(files)) return kImpossible;
      const std::vector<fs::path> paths{killed()};
      auto reader = Reader::open(paths, {.verify = true});
      if (!reader) return reader.error().code == ErrorCode::kTemporary ? kRefused : kLess;
      auto tables = (*reader)->read({});
      Cells cells;
      for (;;) {
        auto table = (*tables)->next();
        if (!table) return table.error().code == ErrorCode::kTemporary ? kRefused : kLess;
        if (!table->has_value()) break;
        cells.merge(cells_of({std::move(**table)}));
      }
      return cells == all_ && (*reader)->notices().empty() ? kAllThere : kLess;
    }));
  }
  EXPECT_THAT(seen, ElementsAre(kAllThere, kRefused));
}

TEST_F(Looking, ARecoveryThatFailsLeavesNothingBehind) {
  copy({"", "-wal", "-shm"});
  for (const char* suffix : {"", "-wal"}) {
    fs::copy_file(file().string() + suffix,
                  killed() / "metrics" / (std::string("fs0") + (kName + 3) + suffix));
  }
  constexpr int kRefused = 1;
  constexpr int kPart = 2;
  const fs::path out = dir_.path() / "out";
  std::set<int> seen;
  for (rlim_t files = 1; files < 32; ++files) {
    fs::remove_all(out);
    seen.insert(in_child([&] {
      if (!may_open_at_most(files)) return kImpossible;
      ManualClock clock;
      const std::vector<fs::path> paths{killed()};
      if (recover(paths, out, clock)) return kAllThere;
      return fs::exists(out) ? kPart : kRefused;
    }));
  }
  EXPECT_THAT(seen, ElementsAre(kAllThere, kRefused));
}

TEST_F(Looking, AFileThatMayNotBeReadIsNotPassedOver) {
  if (::geteuid() != 0) GTEST_SKIP() << "becoming another user needs root";
  copy({"", "-wal"});
  for (const char* hidden : {"", "-wal"}) {
    ASSERT_EQ(::chmod((file().string() + hidden).c_str(), 0), 0);
    const int status = in_child([&] {
      if (become_nobody() != 0) return kImpossible;
      const std::vector<fs::path> paths{killed()};
      auto reader = Reader::open(paths);
      if (!reader || (*reader)->damaged() != std::vector<std::string>{file().string()}) return 1;
      const std::string notice = (*reader)->notices().front();
      return notice.find("samples of fs1 from 2011-05-09T06:00:00") == std::string::npos ? 2 : 0;
    });
    EXPECT_EQ(status, 0);
    ASSERT_EQ(::chmod((file().string() + hidden).c_str(), 0644), 0);
  }
}

TEST_F(Looking, ADayFileThatWasCopiedFromALiveRecordingSaysThatItsEndIsMissing) {
  copy({""});
  auto reader = open_reader(killed());
  EXPECT_LT(cells_of(read_all(*reader)).size(), all_.size());
  EXPECT_THAT(reader->damaged(), ElementsAre(file().string()));
  EXPECT_THAT(reader->notices(), ElementsAre(HasSubstr("without its write-ahead log")));
}

TEST_F(Looking, ALogThatWasEmptiedOrCutToItsHeaderSaysThatTheEndIsMissing) {
  for (const auto& suffixes : {std::vector<std::string>{"", "-wal"}, {"", "-wal", "-shm"}}) {
    copy(suffixes);
    for (const std::size_t left : {32U, 0U}) {
      fs::resize_file(file().string() + "-wal", left);
      auto reader = open_reader(killed());
      EXPECT_LT(cells_of(read_all(*reader)).size(), all_.size());
      EXPECT_THAT(reader->damaged(), ElementsAre(file().string()));
      EXPECT_THAT(reader->notices(), ElementsAre(HasSubstr("its write-ahead log is empty")));
    }
  }
  ManualClock clock;
  auto next = open_writer(killed(), clock);
  ASSERT_OK(next->append(disk_table("fs1", at(kStart) + seconds{600}, 10)));
  ASSERT_OK(next->close());
  EXPECT_THAT(open_reader(killed())->damaged(), ElementsAre(file().string()))
      << "nor does a recorder hide it";
}

TEST_F(Looking, ALogWithAHoleOfATerabyteIsDamagedAndNotReadToItsEnd) {
  copy({"", "-wal"});
  fs::resize_file(file().string() + "-wal", std::uintmax_t{1} << 40);
  auto reader = open_reader(killed());
  EXPECT_TRUE(same_cells(cells_of(read_all(*reader)), all_));
  EXPECT_THAT(reader->damaged(), ElementsAre(file().string()));
}

TEST_F(Looking, ARecorderThatWasKilledBeforeItsFirstFlushLeavesASoundFile) {
  fs::create_directories(killed() / "metrics");
  auto begun = DayFile::create(file(), {.host = "fs1", .boot = ""}, nullptr);
  EXPECT_THAT(open_reader(killed())->notices(), IsEmpty());
  fs::remove(file().string() + "-shm");
  EXPECT_THAT(open_reader(killed())->notices(), IsEmpty()) << "the log says so by itself";
  fs::remove(file().string() + "-wal");
  EXPECT_THAT(open_reader(killed())->damaged(), ElementsAre(file().string()));
}

TEST_F(Looking, AFileThatWasOpenedAgainAndNotWrittenToYetIsSound) {
  ASSERT_OK(live_->close());
  fs::copy(live(), killed(), fs::copy_options::recursive);
  auto again = DayFile::open_for_writing(file(), nullptr);
  auto reader = open_reader(killed());
  EXPECT_TRUE(same_cells(cells_of(read_all(*reader)), all_));
  EXPECT_THAT(reader->notices(), IsEmpty());
}

TEST_F(Looking, WhoWasKilledBeforeTheFirstFlushOfAnImportMayImportAgain) {
  for (const bool filled : {true, false}) {
    fs::remove_all(killed());
    const auto import = [&] {
      ManualClock clock;
      WriterOptions options;
      options.existing = Existing::kSkipEqual;
      auto writer = open_writer(killed(), clock, options);
      ASSERT_OK(writer->append(disk_table("fs1", at(kStart), 10)));
      ASSERT_OK(writer->close());
    };
    import();
    {
      auto begun = DayFile::open_for_writing(file(), nullptr);
      copy_of(file(), killed() / "kept");
    }
    put_back(killed() / "kept", file());
    if (!filled) fs::resize_file(file().string() + "-shm", 0);
    import();
    auto reader = open_reader(killed());
    EXPECT_TRUE(same_cells(cells_of(read_all(*reader)), cells_of({disk_table("fs1", at(kStart), 10)})))
        << "each sample once";
    EXPECT_EQ(file_names(killed()).size(), 1U);
  }
}

TEST_F(Looking, OnlyTheFileThatAWriterIsJustMakingIsPassedOver) {
  const fs::path made = live() / "metrics" / "fs1-20110509T070000Z.lgd";
  const fs::path emptied = live() / "metrics" / "fs1-20110508T070000Z.lgd";
  write_bytes(made, "");
  write_bytes(emptied, "");
  EXPECT_THAT(open_reader(live())->damaged(), ElementsAre(emptied.string()));
  ASSERT_OK(live_->close());
  EXPECT_THAT(open_reader(live())->damaged(), ElementsAre(emptied.string(), made.string()));
}

TEST_F(Looking, AFileThatWasBeingOpenedAgainWhenItsWriterWasKilledIsSound) {
  ASSERT_OK(live_->close());
  fs::copy(live(), killed(), fs::copy_options::recursive);
  {
    // As far as the mode in the header, not as far as the log.
    auto database = Database::open(file(), OpenMode::kWrite, nullptr);
    ASSERT_OK(database->run("PRAGMA journal_mode=WAL"));
    fs::copy_file(file(), killed() / "alone");
  }
  for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(file().string() + suffix);
  fs::rename(killed() / "alone", file());
  auto reader = open_reader(killed());
  EXPECT_TRUE(same_cells(cells_of(read_all(*reader)), all_));
  EXPECT_THAT(reader->notices(), IsEmpty());
}

TEST_F(Looking, OfTwoLinksToADeviceBothAreLost) {
  fs::create_directories(killed() / "metrics");
  const fs::path first = killed() / "metrics" / "fs1-20110508T070000Z.lgd";
  const fs::path second = killed() / "metrics" / "fs2-20110508T070000Z.lgd";
  fs::create_symlink("/dev/null", first);
  fs::create_symlink("/dev/null", second);
  EXPECT_THAT(open_reader(killed())->damaged(), ElementsAre(first.string(), second.string()));
}

TEST_F(Looking, WhatACrashLeftWithABrokenLogIsNamedBesideAWriterToo) {
  fs::create_directories(killed() / "metrics");
  ManualClock clock;
  const auto writer = open_writer(killed(), clock);
  copy_of(live() / "metrics" / kName, killed() / "kept");
  put_back(killed() / "kept", file());
  EXPECT_THAT(open_reader(killed())->damaged(), IsEmpty());
  std::string log = read_file(file().string() + "-wal").value();
  log[log.size() / 2] = static_cast<char>(log[log.size() / 2] ^ 1);
  write_bytes(file().string() + "-wal", log);
  EXPECT_THAT(open_reader(killed())->damaged(), ElementsAre(file().string()));
}

TEST_F(Looking, AnEmptiedFileBesideItsLogIsLeftAloneAndTheLogIsSaved) {
  copy({"", "-wal", "-shm"});
  write_bytes(file(), "");
  const std::string log = read_file(file().string() + "-wal").value();
  auto reader = open_reader(killed(), {.verify = true});
  ASSERT_OK(reader->inventory());
  EXPECT_THAT(reader->notices(), ElementsAre(HasSubstr("its write-ahead log is not")));
  EXPECT_EQ(read_file(file().string() + "-wal").value(), log);
  for (const bool gone : {false, true}) {
    if (gone) fs::remove(file());
    ManualClock clock;
    const fs::path in = killed();
    const fs::path out = dir_.path() / ("saved" + std::to_string(gone));
    auto recovery = recover(std::span(&in, 1), out, clock);
    ASSERT_OK(recovery);
    EXPECT_EQ(recovery->damaged_files, 1U);
    EXPECT_TRUE(same_cells(read_cells(out), all_));
  }
}

TEST_F(Looking, ALogAloneIsNotPassedOver) {
  copy({"-wal"});
  auto reader = open_reader(killed());
  EXPECT_THAT(reader->damaged(), ElementsAre(file().string()));
  EXPECT_THAT(reader->notices(), ElementsAre(HasSubstr("'laggard info --recover' saves what is in")));
}

TEST_F(Looking, TheNextRecorderTakesTheLogsOfCrashedDaysOver) {
  copy({"", "-wal", "-shm"});
  ManualClock clock;
  auto next = open_writer(killed(), clock);
  const SampleTable tomorrow = disk_table("fs1", at(kStart) + hours{24}, 10);
  ASSERT_OK(next->append(tomorrow));
  EXPECT_FALSE(fs::exists(file().string() + "-wal"));
  ASSERT_OK(next->close());
  Cells both = all_;
  add_cells(tomorrow, both);
  auto reader = open_reader(killed());
  EXPECT_TRUE(same_cells(cells_of(read_all(*reader)), both));
  EXPECT_THAT(reader->notices(), IsEmpty());
}

TEST_F(Looking, ADamagedLogOfACrashedDayIsLeftForSalvage) {
  copy({"", "-wal"});
  std::string log = read_file(file().string() + "-wal").value();
  log[log.size() / 2] ^= 1;
  write_bytes(file().string() + "-wal", log);
  ManualClock clock;
  auto next = open_writer(killed(), clock);
  ASSERT_OK(next->append(disk_table("fs1", at(kStart) + seconds{600}, 10)));
  ASSERT_OK(next->close());
  EXPECT_EQ(read_file(file().string() + "-wal").value(), log);
  EXPECT_EQ(open_reader(killed())->files().size(), 2U) << "another file was begun beside it";
}

}  // namespace
}  // namespace laggard::archive
