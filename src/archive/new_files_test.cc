#include "archive/new_files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <set>

#include "archive/file_name.h"
#include "archive/format.h"
#include "archive/stream_folder.h"
#include "base/file.h"
#include "testing/archive.h"

namespace laggard::archive {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ManualClock;
using testing::read_cells;
using ::testing::SizeIs;
using testing::TempDir;
using testing::write_bytes;

SampleTable one_sample(const std::string& host, std::int64_t second, std::uint64_t value) {
  SampleTable table(host, DeviceKind::kDisk, {{"ios", CounterForm::kCumulative}}, {"sda"},
                    {from_unix_ns(second * 1'000'000'000)});
  table.set(0, 0, 0, value);
  return table;
}

std::unique_ptr<Writer> import_into(const TempDir& folder, Clock& clock) {
  WriterOptions options;
  options.existing = Existing::kSkipEqual;
  auto writer = Writer::open(folder.path(), options, clock);
  EXPECT_TRUE(writer) << writer.error().message();
  return std::move(*writer);
}

struct Names {
  std::set<std::string> files;
  std::set<std::string> hidden;
};

Names names_in(const TempDir& folder) {
  Names names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() / kStreamFolder)) {
    const std::string name = entry.path().filename();
    if (path_of_hidden(name)) names.hidden.insert(name);
    if (parse_file_name(name)) names.files.insert(name);
  }
  return names;
}

std::size_t devices_in(const TempDir& folder) {
  const std::vector paths{folder.path()};
  auto reader = Reader::open(paths);
  if (!reader) return 0;
  auto inventory = (*reader)->inventory();
  EXPECT_TRUE(inventory && inventory->notices.empty());
  return inventory ? inventory->devices.size() : 0;
}

constexpr std::int64_t kFirstSecond = 1795202494;

TEST(NewFiles, AppearTogetherAndWhole) {
  const TempDir folder;
  ManualClock clock;
  auto writer = import_into(folder, clock);
  for (int h = 0; h < 40; ++h)
    ASSERT_TRUE(writer->append(one_sample("h" + std::to_string(h), kFirstSecond, 7)));
  EXPECT_THAT(names_in(folder).files, IsEmpty()) << "nothing is on the disk yet, so nothing may be seen";
  ASSERT_TRUE(writer->flush());
  EXPECT_THAT(names_in(folder).files, SizeIs(40));
  // Samples that arrive later for files that have their names already, and for days that have no file.
  for (int h = 0; h < 40; ++h) {
    ASSERT_TRUE(writer->append(one_sample("h" + std::to_string(h), kFirstSecond + 1, 8)));
    ASSERT_TRUE(writer->append(one_sample("h" + std::to_string(h), kFirstSecond + 86400, 9)));
    ASSERT_TRUE(writer->append(one_sample("h" + std::to_string(h), kFirstSecond + 86401, 9)));
  }
  ASSERT_TRUE(writer->close());
  EXPECT_EQ(writer->stats().cells_added, 160U);
  EXPECT_THAT(names_in(folder).files, SizeIs(80));
  EXPECT_THAT(names_in(folder).hidden, IsEmpty());
  EXPECT_EQ(devices_in(folder), 40U);
}

/// Days of one host whose files are closed, and needed again before they have their names.
TEST(NewFiles, AreFoundAgainBeforeTheyHaveTheirNames) {
  const TempDir folder;
  ManualClock clock;
  auto writer = import_into(folder, clock);
  for (int round = 0; round < 3; ++round) {
    for (std::int64_t day = 0; day < 30; ++day)
      ASSERT_TRUE(writer->append(one_sample("h", kFirstSecond + day * 86400 + round, 5)));
  }
  ASSERT_TRUE(writer->close());
  EXPECT_EQ(writer->stats().cells_added, 90U);
  EXPECT_THAT(names_in(folder).files, SizeIs(30));
  auto again = import_into(folder, clock);
  for (std::int64_t day = 0; day < 30; ++day)
    ASSERT_TRUE(again->append(one_sample("h", kFirstSecond + day * 86400, 5)));
  ASSERT_TRUE(again->close());
  EXPECT_EQ(again->stats().cells_added, 0U);
  EXPECT_EQ(again->stats().cells_already_there, 30U);
}

TEST(NewFiles, TwoBootsThatBeginInOneSecondAreTwoFiles) {
  const TempDir folder;
  ManualClock clock;
  auto writer = import_into(folder, clock);
  for (const std::string boot : {"first", "second"}) {
    SampleTable table = one_sample("h", kFirstSecond, 1);
    table.set_boot(boot);
    ASSERT_TRUE(writer->append(table));
  }
  ASSERT_TRUE(writer->close());
  EXPECT_THAT(names_in(folder).files, SizeIs(2));
}

/// Killed at any moment: visible files are whole, and the next import cleans up after the dead one.
TEST(NewFiles, OfAKilledImportAreRemovedByTheNext) {
  const TempDir folder;
  ManualClock clock;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto writer = import_into(folder, clock);
    for (int h = 0; h < 300; ++h)
      static_cast<void>(writer->append(one_sample("h" + std::to_string(h), kFirstSecond, 7)));
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(devices_in(folder), NewFiles::kMost) << "those that were published by themselves";
  EXPECT_FALSE(names_in(folder).hidden.empty());
  auto writer = import_into(folder, clock);
  EXPECT_THAT(names_in(folder).hidden, IsEmpty());
  for (int h = 0; h < 300; ++h)
    ASSERT_TRUE(writer->append(one_sample("h" + std::to_string(h), kFirstSecond, 7)));
  ASSERT_TRUE(writer->close());
  EXPECT_EQ(writer->stats().cells_already_there, NewFiles::kMost);
  EXPECT_EQ(devices_in(folder), 300U);
}

/// Files of a running import are not stale.
TEST(NewFiles, OfAnotherImportAreLeftAlone) {
  const TempDir folder;
  ManualClock clock;
  auto one = import_into(folder, clock);
  ASSERT_TRUE(one->append(one_sample("a", kFirstSecond, 1)));
  auto other = import_into(folder, clock);
  EXPECT_FALSE(other->append(one_sample("a", kFirstSecond, 1))) << "the host is taken";
  ASSERT_TRUE(other->append(one_sample("b", kFirstSecond, 1)));
  ASSERT_TRUE(other->close());
  ASSERT_TRUE(one->close());
  EXPECT_EQ(devices_in(folder), 2U);
}

TEST(NewFiles, LeftByADeadProcessAreRemovedByARecorderToo) {
  const TempDir folder;
  std::filesystem::create_directories(folder.path() / kStreamFolder);
  const std::filesystem::path left = hidden_path(folder.path() / kStreamFolder / "h-20261120T192134Z.lgd");
  write_bytes(left, "half a file");
  write_bytes(folder.path() / kStreamFolder / ".notes.new", "not ours");
  ManualClock clock;
  {
    const auto theirs = lock_files(folder.path() / kStreamFolder, {"h", ""});
    ASSERT_TRUE(theirs);
    ASSERT_TRUE(Writer::open(folder.path(), {}, clock));
    EXPECT_TRUE(std::filesystem::exists(left)) << "somebody is at work on that host";
  }
  ASSERT_TRUE(Writer::open(folder.path(), {}, clock));
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / kStreamFolder / ".notes.new"));
}

/// Files that never got their names are not reported as imported.
TEST(NewFiles, ThatSomebodyRemovesAreAnErrorAndNotCounted) {
  const TempDir folder;
  ManualClock clock;
  auto writer = import_into(folder, clock);
  // More files than may be open at a time: the first wait for their names.
  for (int h = 10; h < 50; ++h)
    ASSERT_TRUE(writer->append(one_sample("h" + std::to_string(h), kFirstSecond, 7)));
  const std::filesystem::path removed = folder.path() / kStreamFolder / ".h10-20261120T192134Z.lgd.new";
  const std::filesystem::path replaced = folder.path() / kStreamFolder / ".h11-20261120T192134Z.lgd.new";
  ASSERT_TRUE(std::filesystem::remove(removed));
  ASSERT_TRUE(std::filesystem::remove(replaced));
  write_bytes(replaced, "something else");
  const Status closed = writer->close();
  ASSERT_FALSE(closed);
  EXPECT_THAT(closed.error().message(), HasSubstr("-20261120T192134Z.lgd: the file was removed or replaced"));
  EXPECT_EQ(writer->stats().cells_added, 38U);
  EXPECT_EQ(devices_in(folder), 38U);
}

/// A file that is still being written is copied while it is open, under the name that it was to get.
TEST(NewFiles, ThatAreRemovedWhileTheyAreOpenAreSaved) {
  const TempDir folder;
  ManualClock clock;
  auto writer = import_into(folder, clock);
  // A whole block, which goes to the file at once.
  for (int t = 0; t < 1100; ++t) ASSERT_TRUE(writer->append(one_sample("h", kFirstSecond + t, 7)));
  const std::filesystem::path hidden = folder.path() / kStreamFolder / ".h-20261120T192134Z.lgd.new";
  ASSERT_TRUE(std::filesystem::remove(hidden));
  ASSERT_TRUE(writer->close());
  EXPECT_EQ(writer->stats().cells_added, 1100U);
  EXPECT_THAT(names_in(folder).hidden, IsEmpty());
  EXPECT_EQ(read_cells(folder.path()).size(), 1100U);
}

TEST(NewFiles, TakeNobodysPlace) {
  const TempDir folder;
  ManualClock clock;
  auto writer = import_into(folder, clock);
  ASSERT_TRUE(writer->append(one_sample("h", kFirstSecond, 7)));
  const std::filesystem::path there = folder.path() / kStreamFolder / "h-20261120T192134Z.lgd";
  write_bytes(there, "planted");
  ASSERT_TRUE(writer->close());
  EXPECT_EQ(read_file(there).value_or(""), "planted");
  EXPECT_THAT(names_in(folder).files, SizeIs(2));
}

/// A log that lies where a new file's would be must not be applied to it.
TEST(NewFiles, AreNotLaidUnderALogThatLiesThere) {
  const TempDir folder;
  std::filesystem::create_directories(folder.path() / kStreamFolder);
  write_bytes(folder.path() / kStreamFolder / "h-20261120T192134Z.lgd-wal", "somebody's log");
  ManualClock clock;
  auto writer = import_into(folder, clock);
  ASSERT_TRUE(writer->append(one_sample("h", kFirstSecond, 7)));
  ASSERT_TRUE(writer->close());
  EXPECT_EQ(devices_in(folder), 1U);
}

/// A file that may not grow, as on a disk that fills up: what was committed is kept and counted, the rest is
/// an error, and nothing is left incomplete.
TEST(NewFiles, KeepWhatWasCommittedWhenTheyCannotGrow) {
  const TempDir folder;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{.rlim_cur = 64 << 10, .rlim_max = 64 << 10};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ManualClock clock;
    auto writer = import_into(folder, clock);
    std::uint64_t value = 1;
    for (std::int64_t block = 0; block < 30; ++block) {
      std::vector<WallTime> times;
      for (int t = 0; t < 1024; ++t)
        times.push_back(from_unix_ns((kFirstSecond + block * 1024 + t) * 1'000'000'000));
      SampleTable table("h", DeviceKind::kDisk, {{"ios", CounterForm::kCumulative}}, {"sda"}, times);
      for (std::size_t t = 0; t < 1024; ++t) {
        value = value * 6364136223846793005U + 1442695040888963407U;
        table.set(0, 0, t, value);
      }
      static_cast<void>(writer->append(table).has_value());
    }
    const bool full = !writer->close().has_value();
    const bool counted = read_cells(folder.path()).size() == writer->stats().cells_added;
    ::_exit(!full ? 1 : !counted ? 2 : writer->stats().cells_added < 1024 ? 3 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_THAT(names_in(folder).hidden, IsEmpty());
  EXPECT_EQ(devices_in(folder), 1U);
}

TEST(NewFiles, OfMoreHostsThanLocksAreHeldAreAllThere) {
  const TempDir folder;
  ManualClock clock;
  auto writer = import_into(folder, clock);
  for (int h = 0; h < 700; ++h)
    ASSERT_TRUE(writer->append(one_sample("h" + std::to_string(h), kFirstSecond, 7)));
  EXPECT_TRUE(are_files_locked(folder.path() / kStreamFolder, {"h699", ""}));
  ASSERT_TRUE(writer->close());
  EXPECT_EQ(devices_in(folder), 700U);
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() / kStreamFolder)) {
    EXPECT_TRUE(parse_file_name(entry.path().filename().string())) << entry.path();
  }
}

}  // namespace
}  // namespace laggard::archive
