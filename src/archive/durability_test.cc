#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <thread>

#include "testing/archive.h"
#include "testing/fault_vfs.h"

namespace laggard::archive {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the archive's own test support.
using std::chrono::seconds;

/// The first n of the samples that every test here writes.
Cells story(std::size_t n) { return n == 0 ? Cells{} : cells_of({disk_table("fs1", at(kStart), n)}); }

/// Checks that there is nothing but what was written, and all of the first `acknowledged` samples.
::testing::AssertionResult holds(const Cells& got, std::size_t acknowledged, std::size_t written) {
  const Cells all = story(written);
  for (const auto& [key, value] : got) {
    const auto found = all.find(key);
    if (found == all.end() || found->second != value) return ::testing::AssertionFailure() << "a wrong value";
  }
  for (const auto& [key, value] : story(acknowledged)) {
    if (!got.contains(key)) {
      return ::testing::AssertionFailure()
             << "lost an acknowledged cell at " << to_iso8601(from_unix_ns(std::get<4>(key)));
    }
  }
  return ::testing::AssertionSuccess();
}

/// Appends and flushes until it is killed; reports on the pipe how many samples are safe.
[[noreturn]] void write_until_killed(const std::filesystem::path& path, std::uint32_t from, int acknowledge) {
  ManualClock clock;
  auto writer = Writer::open(path, {}, clock);
  for (std::uint32_t t = from; writer; ++t) {
    if (!(*writer)->append(disk_table("fs1", at(kStart) + seconds{t}, 1)) || !(*writer)->flush()) break;
    const std::uint32_t safe = t + 1;
    if (::write(acknowledge, &safe, sizeof safe) != sizeof safe) break;
  }
  ::_exit(9);
}

TEST(Durability, KilledAtAnyMomentLosesNothingAcknowledged) {
  const TempDir dir;
  std::mt19937 random{1};
  std::uint32_t safe = 0;
  for (int round = 0; round < 12; ++round) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) write_until_killed(dir.path(), safe, ends[1]);
    ::close(ends[1]);
    // Some samples, then any moment of the next.
    const std::uint32_t enough = safe + 1 + static_cast<std::uint32_t>(random() % 40);
    std::uint32_t now = 0;
    while (now < enough && ::read(ends[0], &now, sizeof now) == sizeof now) safe = now;
    std::this_thread::sleep_for(std::chrono::microseconds{random() % 3000});
    ::kill(child, SIGKILL);
    while (::read(ends[0], &now, sizeof now) == sizeof now) safe = now;
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the child stopped by itself";
    ASSERT_GE(safe, enough);
    // The child may have written one more sample than it could report; the next one begins after it.
    const Cells got = read_cells(dir.path());
    ASSERT_TRUE(holds(got, safe, safe + 1));
    safe = static_cast<std::uint32_t>(got.size() / 6);
  }
  EXPECT_EQ(file_names(dir.path()).size(), 1U + 3U)
      << "one file all along, with its journals and the dead lock";
}

/// Writes the samples with a flush after every third until the power fails. \return samples {safe, written}.
std::pair<std::size_t, std::size_t> write_until_dark(const std::filesystem::path& path, const FaultVfs& vfs,
                                                     std::size_t from) {
  ManualClock clock;
  WriterOptions options;
  options.vfs = vfs.name();
  std::size_t safe = from;
  std::size_t written = from;
  auto writer = Writer::open(path, options, clock);
  EXPECT_TRUE(writer);
  while (!vfs.dead() && written < from + 1200) {
    const Status added = (*writer)->append(disk_table("fs1", at(kStart) + seconds{written}, 1));
    ++written;
    if (added && written % 3 == 0 && (*writer)->flush()) safe = written;
    if (written % 200 != 0) continue;
    // A restarted recorder: the file is repaired and continued.
    if ((*writer)->close()) safe = written;
    writer = Writer::open(path, options, clock);
    if (!writer) break;
  }
  return {safe, written};
}

TEST(Durability, APowerCutLosesAtMostTheLastFlushAndNeverLies) {
  FaultVfs vfs;
  std::mt19937_64 random{20110509};
  for (int round = 0; round < 25; ++round) {
    const TempDir dir;
    std::size_t safe = 0;
    std::size_t written = 0;
    for (int cut = 0; cut < 3; ++cut) {
      // Early cuts hit the making of the file, late ones checkpoints and the merging of blocks.
      vfs.cut_after(1 + random() % (cut == 0 ? 60 : 4000));
      std::tie(safe, written) = write_until_dark(dir.path(), vfs, written);
      vfs.kill();
      vfs.power_up(random);
      std::vector<std::filesystem::path> paths{dir.path()};
      auto reader = Reader::open(paths, {.verify = true, .vfs = vfs.name()});
      if (!reader) {
        ASSERT_EQ(reader.error().code, ErrorCode::kNotFound) << reader.error().message();
        ASSERT_EQ(safe, 0U);
        written = 0;
        continue;
      }
      auto inventory = (*reader)->inventory();
      ASSERT_OK(inventory);
      // A flush that was interrupted cannot be told from one whose end was damaged later, nor a file that was
      // just being made from one that was emptied. That what was safe can be read is checked below.
      for (const std::string& notice : inventory->notices) {
        ASSERT_TRUE(notice.find("ends in the middle of a flush") != std::string::npos ||
                    notice.find("left by a recorder that was stopped as it began") != std::string::npos ||
                    notice.find("is gone, and what lay beside it is not") != std::string::npos)
            << "round " << round << ": " << notice;
      }
      const Cells got = cells_of(read_all(**reader));
      ASSERT_TRUE(holds(got, safe, written)) << "round " << round << ", cut " << cut;
      written = got.size() / 6;
    }
  }
}

TEST(Durability, AFullDiskIsSurvivedAndTheGapCounted) {
  FaultVfs vfs;
  const TempDir dir;
  ManualClock clock;
  WriterOptions options;
  options.vfs = vfs.name();
  options.max_pending_bytes = 20'000;  // About 110 of these samples.
  auto writer = open_writer(dir.path(), clock, options);
  std::size_t refused = 0;
  Cells expected;
  for (int t = 0; t < 600; ++t) {
    vfs.set_full(t >= 100 && t < 500);
    const SampleTable table = disk_table("fs1", at(kStart) + seconds{t}, 1);
    const Status added = writer->append(table);
    if (!added) {
      EXPECT_EQ(added.error().code, ErrorCode::kNoSpace) << added.error().message();
      ++refused;
    }
    add_cells(table, expected);
    clock.advance(seconds{1});
  }
  ASSERT_OK(writer->close());
  EXPECT_GT(refused, 20U) << "every attempt to flush says so";
  const std::uint64_t lost = writer->stats().samples_lost;
  EXPECT_GT(lost, 200U);
  EXPECT_LT(lost, 330U) << "what fits into memory is kept";

  auto reader = open_reader(dir.path());
  const Cells got = cells_of(read_all(*reader));
  EXPECT_EQ(got.size(), (600 - lost) * 6);
  for (const auto& [key, value] : got) ASSERT_EQ(expected.at(key), value);
  auto inventory = reader->inventory();
  ASSERT_OK(inventory);
  ASSERT_EQ(inventory->gaps.size(), 1U);
  EXPECT_EQ(inventory->gaps[0].reason, "disk full");
  EXPECT_EQ((inventory->gaps[0].to - inventory->gaps[0].from) / seconds{1},
            static_cast<std::int64_t>(lost) + 1);
}

TEST(Durability, ADiskThatIsFullFromTheStartIsWaitedFor) {
  FaultVfs vfs;
  const TempDir dir;
  ManualClock clock;
  WriterOptions options;
  options.vfs = vfs.name();
  auto writer = open_writer(dir.path(), clock, options);
  vfs.set_full(true);
  for (int t = 0; t < 100; ++t) {
    vfs.set_full(t < 50);
    static_cast<void>(writer->append(disk_table("fs1", at(kStart) + seconds{t}, 1)));
    clock.advance(seconds{1});
  }
  ASSERT_OK(writer->close());
  EXPECT_TRUE(same_cells(read_cells(dir.path()), story(100)));
}

TEST(Durability, ARealFileSystemThatIsFullAndEmptiedAgain) {
  const TempDir dir;
  const TinyDisk disk{dir.path() / "disk", "size=1m"};
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small file system needs root";
  ManualClock clock;
  auto writer = open_writer(disk.path() / "rec", clock);
  const std::filesystem::path ballast = disk.path() / "ballast";
  std::size_t refused = 0;
  for (int t = 0; t < 300; ++t) {
    if (t == 100) std::ofstream(ballast, std::ios::binary) << std::string(std::size_t{2} << 20, 'x');
    if (t == 200) std::filesystem::remove(ballast);
    const Status added = writer->append(disk_table("fs1", at(kStart) + seconds{t}, 1));
    if (!added) {
      ASSERT_EQ(added.error().code, ErrorCode::kNoSpace) << added.error().message();
      ++refused;
    }
    clock.advance(seconds{1});
  }
  ASSERT_OK(writer->close());
  EXPECT_GT(refused, 3U) << "the disk was really full";
  EXPECT_TRUE(same_cells(read_cells(disk.path() / "rec"), story(300))) << "what waited in memory was written";
}

TEST(Durability, ReadersBesideAWriterSeeTrueStatesThatOnlyGrow) {
  const TempDir dir;
  constexpr std::size_t kSamples = 3000;
  const SampleTable truth = disk_table("fs1", at(kStart), kSamples);
  std::jthread writing{[&] {
    ManualClock clock;
    auto writer = open_writer(dir.path(), clock);
    for (std::size_t t = 0; t < kSamples; t += 5) {
      EXPECT_TRUE(writer->append(disk_table("fs1", at(kStart) + seconds{t}, 5)));
      EXPECT_TRUE(writer->flush());
    }
    EXPECT_TRUE(writer->close());
  }};
  std::size_t seen = 0;
  for (int round = 0; round < 100'000 && seen < truth.present_cells(); ++round) {
    const std::vector<std::filesystem::path> paths{dir.path()};
    auto reader = Reader::open(paths, {.verify = true});
    if (!reader) {
      ASSERT_EQ(reader.error().code, ErrorCode::kNotFound) << reader.error().message();
      ASSERT_EQ(seen, 0U);
      continue;
    }
    auto inventory = (*reader)->inventory();
    ASSERT_OK(inventory);
    const std::size_t found = count_true_cells(read_all(**reader), truth);
    ASSERT_THAT((*reader)->notices(), ::testing::IsEmpty());
    ASSERT_GE(found, seen);
    seen = found;
  }
  EXPECT_EQ(seen, truth.present_cells());
}

}  // namespace
}  // namespace laggard::archive
