#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <random>
#include <thread>

#include "base/file.h"
#include "testing/archive.h"
#include "testing/fault_vfs.h"

// A recorder survives everything that keeps it from writing for a while: its samples wait in memory, and what
// memory cannot hold becomes a gap with a reason.

namespace laggard::archive {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the archive's own test support.
using std::chrono::hours;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

/// The last second of the day's file, so that the next second needs another one.
constexpr const char* kBeforeMidnight = "2011-05-09T00:00:04Z";

SampleTable second_of(const char* start, std::size_t t) {
  return disk_table("fs1", at(start) + seconds{t}, 1);
}

/// Records a sample and flushes. \return whether it is on the disk. Errors that a recorder does not survive
/// fail the test.
bool record_second(Writer& writer, const char* start, std::size_t t) {
  const Status added = writer.append(second_of(start, t));
  EXPECT_TRUE(added || added.error().code == ErrorCode::kNoSpace) << added.error().message();
  const Status flushed = writer.flush();
  EXPECT_TRUE(flushed || flushed.error().code == ErrorCode::kNoSpace) << flushed.error().message();
  return flushed.has_value();
}

TEST(FullDisk, WithoutInodesAtMidnightTheRecorderGoesOn) {
  const TempDir dir;
  const TinyDisk disk{dir.path() / "disk", "size=4m,nr_inodes=12"};
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small file system needs root";
  const fs::path recording = disk.path() / "rec";
  ManualClock clock;
  auto writer = open_writer(recording, clock);
  ASSERT_TRUE(record_second(*writer, kBeforeMidnight, 0));
  std::vector<fs::path> ballast;
  for (;;) {
    const fs::path next = disk.path() / ("ballast-" + std::to_string(ballast.size()));
    if (!Fd(::open(next.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)).valid()) break;
    ballast.push_back(next);
  }
  for (std::size_t t = 1; t < 20; ++t) EXPECT_FALSE(record_second(*writer, kBeforeMidnight, t));
  // Room for the file, not for its log; for the log, not for its index.
  for (std::size_t t = 20; t < 23; ++t) {
    fs::remove(ballast.back());
    ballast.pop_back();
    record_second(*writer, kBeforeMidnight, t);
  }
  for (const fs::path& file : ballast) fs::remove(file);
  ASSERT_TRUE(record_second(*writer, kBeforeMidnight, 23));
  ASSERT_OK(writer->close());
  EXPECT_TRUE(same_cells(read_cells(recording), cells_of({disk_table("fs1", at(kBeforeMidnight), 24)})));
}

TEST(FullDisk, AFileSystemThatIsReadOnlyForAWhileIsOutlived) {
  const TempDir dir;
  const TinyDisk disk{dir.path() / "disk", "size=4m"};
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small file system needs root";
  ManualClock clock;
  auto writer = open_writer(disk.path() / "rec", clock);
  ASSERT_TRUE(disk.set_read_only(true));
  for (std::size_t t = 0; t < 20; ++t) EXPECT_FALSE(record_second(*writer, kStart, t));
  ASSERT_TRUE(disk.set_read_only(false));
  ASSERT_TRUE(record_second(*writer, kStart, 20));
  ASSERT_OK(writer->close());
  EXPECT_TRUE(same_cells(read_cells(disk.path() / "rec"), cells_of({disk_table("fs1", at(kStart), 21)})));
}

/// Runs in a child, since limits stay with the process. \return what `what` returned, 255 after a signal.
int limited(const std::function<int()>& what) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(what());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

bool set_limit(__rlimit_resource what, rlim_t most) {
  rlimit limit{};
  if (::getrlimit(what, &limit) != 0) return false;
  limit.rlim_cur = most;
  return ::setrlimit(what, &limit) == 0;
}

TEST(FullDisk, ALimitOfTheFilesSizeIsAFullDisk) {
  const TempDir dir;
  ASSERT_EQ(limited([&] {
              ::signal(SIGXFSZ, SIG_IGN);  // As the program does, see ProgramTest.
              ManualClock clock;
              auto writer = open_writer(dir.path(), clock);
              if (!set_limit(RLIMIT_FSIZE, 100'000)) return 1;
              std::size_t refused = 0;
              for (std::size_t t = 0; t < 600; ++t) refused += record_second(*writer, kStart, t) ? 0U : 1U;
              if (refused == 0 || !set_limit(RLIMIT_FSIZE, RLIM_INFINITY)) return 2;
              return record_second(*writer, kStart, 600) && writer->close() && !::testing::Test::HasFailure()
                         ? 0
                         : 3;
            }),
            0);
  EXPECT_TRUE(same_cells(read_cells(dir.path()), cells_of({disk_table("fs1", at(kStart), 601)})));
}

TEST(FullDisk, WithoutDescriptorsAtMidnightTheRecorderGoesOn) {
  const TempDir dir;
  ASSERT_EQ(limited([&] {
              ManualClock clock;
              auto writer = open_writer(dir.path(), clock);
              if (!record_second(*writer, kBeforeMidnight, 0)) return 1;
              if (!set_limit(RLIMIT_NOFILE, 0)) return 1;  // Descriptors that are open stay open.
              for (std::size_t t = 1; t < 10; ++t) {
                if (record_second(*writer, kBeforeMidnight, t)) return 2;
              }
              if (!set_limit(RLIMIT_NOFILE, 256)) return 1;
              return record_second(*writer, kBeforeMidnight, 10) && writer->close() &&
                             !::testing::Test::HasFailure()
                         ? 0
                         : 3;
            }),
            0);
  EXPECT_TRUE(same_cells(read_cells(dir.path()), cells_of({disk_table("fs1", at(kBeforeMidnight), 11)})));
}

TEST(FullDisk, EveryErrorThatMayPassIsOutlivedAtAnyMoment) {
  const std::vector<std::pair<int, int>> refusals{
      {SQLITE_IOERR_WRITE, EDQUOT}, {SQLITE_IOERR_WRITE, EFBIG},  {SQLITE_IOERR_WRITE, EROFS},
      {SQLITE_IOERR_WRITE, EIO},    {SQLITE_IOERR_WRITE, ESTALE}, {SQLITE_CANTOPEN, EMFILE},
      {SQLITE_CANTOPEN, ENFILE},    {SQLITE_CANTOPEN, ENOENT},    {SQLITE_NOMEM, ENOMEM},
      {SQLITE_IOERR_NOMEM, ENOMEM}, {SQLITE_READONLY, EROFS},     {SQLITE_FULL, ENOSPC}};
  for (const auto& [status, error] : refusals) {
    for (const char* start : {kStart, kBeforeMidnight}) {
      FaultVfs vfs;
      const TempDir dir;
      ManualClock clock;
      WriterOptions options;
      options.vfs = vfs.name();
      auto writer = open_writer(dir.path(), clock, options);
      std::size_t refused = 0;
      for (std::size_t t = 0; t < 40; ++t) {
        const bool now = t % 10 == 1 || t % 10 == 2;
        vfs.refuse(now ? status : SQLITE_OK, error);
        refused += record_second(*writer, start, t) ? 0U : 1U;
      }
      vfs.refuse(SQLITE_OK, 0);
      ASSERT_OK(writer->close());
      EXPECT_EQ(refused, 8U) << status << " " << error;
      EXPECT_TRUE(same_cells(read_cells(dir.path()), cells_of({disk_table("fs1", at(start), 40)})))
          << status << " " << error;
    }
  }
}

TEST(FullDisk, AnImportEndsWhereARecorderWaits) {
  FaultVfs vfs;
  const TempDir dir;
  ManualClock clock;
  WriterOptions options;
  options.vfs = vfs.name();
  options.existing = Existing::kSkipEqual;
  auto writer = open_writer(dir.path(), clock, options);
  vfs.refuse(SQLITE_IOERR_WRITE, EROFS);
  const Status added = writer->append(second_of(kStart, 0));
  ASSERT_FALSE(added);
  EXPECT_NE(added.error().code, ErrorCode::kNoSpace);
  vfs.refuse(SQLITE_OK, 0);
}

TEST(FullDisk, DaysThatMemoryCouldNotHoldAreAGapInTheNextFile) {
  FaultVfs vfs;
  const TempDir dir;
  ManualClock clock;
  WriterOptions options;
  options.vfs = vfs.name();
  options.max_pending_bytes = 1000;  // Some five of these samples.
  auto writer = open_writer(dir.path(), clock, options);
  const auto record_hour = [&](std::size_t hour) {
    static_cast<void>(writer->append(disk_table("fs1", at(kStart) + hours{hour}, 1)).has_value());
    static_cast<void>(writer->flush().has_value());
  };
  for (std::size_t hour = 0; hour < 24 * 5; ++hour) {
    vfs.set_full(hour >= 10 && hour < 24 * 4);
    record_hour(hour);
  }
  ASSERT_OK(writer->close());
  const std::uint64_t lost = writer->stats().samples_lost;
  EXPECT_GT(lost, 60U);
  EXPECT_EQ(read_cells(dir.path()).size(), (24 * 5 - lost) * 6);
  auto inventory = open_reader(dir.path())->inventory();
  ASSERT_OK(inventory);
  ASSERT_EQ(inventory->gaps.size(), 1U);
  EXPECT_EQ(inventory->gaps[0].reason, "disk full");
  EXPECT_EQ((inventory->gaps[0].to - inventory->gaps[0].from) / hours{1},
            static_cast<std::int64_t>(lost) + 1);
}

TEST(FullDisk, KilledAtAnyMomentOfMidnightLosesNothingAcknowledged) {
  const TempDir dir;
  std::mt19937 random{7};
  std::uint32_t day = 0;
  for (int round = 0; round < 12; ++round) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ManualClock clock;
      auto writer = Writer::open(dir.path(), {}, clock);
      for (std::uint32_t d = day; writer;
           ++d) {  // Every sample is of another day: a new file, and one that is finished.
        if (!(*writer)->append(disk_table("fs1", at(kStart) + d * hours{24}, 1)) || !(*writer)->flush())
          break;
        if (::write(ends[1], &d, sizeof d) != sizeof d) break;
      }
      ::_exit(9);
    }
    ::close(ends[1]);
    std::uint32_t last = 0;
    const std::uint32_t enough = day + 2 + static_cast<std::uint32_t>(random() % 5);
    while (last < enough && ::read(ends[0], &last, sizeof last) == sizeof last) continue;
    std::this_thread::sleep_for(std::chrono::microseconds{random() % 4000});
    ::kill(child, SIGKILL);
    while (::read(ends[0], &last, sizeof last) == sizeof last) continue;
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the child stopped by itself";
    const Cells got = read_cells(dir.path());
    for (std::uint32_t d = 0; d <= last; ++d) {
      ASSERT_TRUE(
          got.contains({"fs1", DeviceKind::kDisk, "sda", "rd_ios", to_unix_ns(at(kStart) + d * hours{24})}))
          << "day " << d << " was acknowledged";
    }
    day = static_cast<std::uint32_t>(got.size() / 6);
  }
}

}  // namespace
}  // namespace laggard::archive
