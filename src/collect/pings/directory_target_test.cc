#include "collect/pings/directory_target.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <string>

#include "testing/fake_machine.h"

namespace laggard::collect {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr auto kCreate = PingOperation::kCreateWrite;
constexpr auto kWrite = PingOperation::kWriteExisting;
constexpr auto kRemove = PingOperation::kRemoveExisting;

class Directory : public testing::Test {
 protected:
  Directory() { machine_.folder("pings"); }
  [[nodiscard]] std::filesystem::path path() const { return machine_.path() / "pings"; }
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path())) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }
  void leave(const std::string& name, std::string_view text = kPingText) const {
    std::ofstream(path() / name) << text;
  }

  [[nodiscard]] PingResult run(PingOperation operation) { return target_.run(operation, {}); }

  FakeRoot machine_;
  PingOwner us_ = this_owner("/", "c1");
  DirectoryTarget target_{path(), {.owner = us_}};
};

TEST_F(Directory, EachOperationDoesWhatItsNameSaysAndNothingIsLeft) {
  EXPECT_EQ(run(kCreate).error, 0);
  EXPECT_THAT(files(), SizeIs(1));
  EXPECT_EQ(run(kRemove).error, 0);
  EXPECT_THAT(files(), IsEmpty()) << "RmEx removes what CrWr made";
  for (int i = 0; i < 3; ++i) EXPECT_EQ(run(kWrite).error, 0);
  ASSERT_THAT(files(), SizeIs(1)) << "WrEx writes to one file again and again";
  std::string text(kPingText.size(), ' ');
  std::ifstream(path() / files()[0]).read(text.data(), static_cast<std::streamsize>(text.size()));
  EXPECT_EQ(text, kPingText);
  const PingResult removed = run(kRemove);
  EXPECT_EQ(removed.error, 0) << "it makes itself something to remove";
  EXPECT_GT(removed.latency.count(), 0);
  EXPECT_EQ(run(kCreate).error, 0);
  EXPECT_THAT(files(), SizeIs(2));
  target_.remove_own();
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(Directory, FilesDoNotPileUpWhereNothingRemovesThem) {
  for (std::size_t i = 0; i < DirectoryTarget::kMostFiles; ++i) EXPECT_FALSE(run(kCreate).skipped);
  EXPECT_TRUE(run(kCreate).skipped);
  EXPECT_THAT(files(), SizeIs(DirectoryTarget::kMostFiles));
}

TEST_F(Directory, OneThatVanishesIsAnErrorUntilItComesBack) {
  EXPECT_EQ(run(kWrite).error, 0);
  std::filesystem::remove_all(path());
  for (const PingOperation operation : kPingOperations) EXPECT_EQ(run(operation).error, ENOENT);
  std::filesystem::create_directory(path());
  EXPECT_EQ(run(kWrite).error, ENOENT) << "its file is gone";
  for (const PingOperation operation : kPingOperations) EXPECT_EQ(run(operation).error, 0);
}

TEST_F(Directory, AFileThatStandsInTheWayIsNotFollowed) {
  EXPECT_EQ(run(kWrite).error, 0);
  const std::filesystem::path file = path() / files()[0];
  std::filesystem::remove(file);
  std::ofstream(machine_.path() / "precious") << "precious";
  std::filesystem::create_symlink(machine_.path() / "precious", file);
  EXPECT_EQ(run(kWrite).error, ELOOP);
  std::string text;
  std::ifstream(machine_.path() / "precious") >> text;
  EXPECT_EQ(text, "precious");
}

/// A small file system of its own; none without root.
class MountedDirectory : public Directory {
 protected:
  void SetUp() override {
    if (::mount("none", path().c_str(), "tmpfs", 0, "size=64k") != 0) GTEST_SKIP() << "mounting needs root";
  }
  void TearDown() override { ::umount2(path().c_str(), MNT_DETACH); }
};

TEST_F(MountedDirectory, FullReadOnlyAndGone) {
  EXPECT_EQ(run(kWrite).error, 0);
  {
    std::ofstream big(path() / "big");
    big << std::string(1 << 17, 'x') << std::flush;
  }
  EXPECT_EQ(run(kCreate).error, ENOSPC);
  EXPECT_TRUE(run(kRemove).skipped) << "there is nothing to remove, nor room to make it";
  EXPECT_THAT(files(), SizeIs(2)) << "the file that could not be written is not left";
  std::filesystem::remove(path() / "big");
  EXPECT_EQ(run(kCreate).error, 0);
  ASSERT_EQ(::mount("none", path().c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr), 0);
  for (const PingOperation operation : kPingOperations) EXPECT_EQ(run(operation).error, EROFS);
  ASSERT_EQ(::mount("none", path().c_str(), nullptr, MS_REMOUNT, nullptr), 0);
  for (const PingOperation operation : kPingOperations) EXPECT_EQ(run(operation).error, 0);
  struct stat here {};
  struct stat machine {};
  ASSERT_EQ(::umount2(path().c_str(), MNT_DETACH), 0);
  ASSERT_EQ(::stat(path().c_str(), &here) + ::stat("/", &machine), 0);
  if (here.st_dev != machine.st_dev) GTEST_SKIP() << "temporary files are on a mount of their own";
  EXPECT_EQ(run(kCreate).error, ENODEV) << "what lies beneath a mount is not its target";
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(Directory, RemovesWhatIsProvablyOfKilledRecordersAndNothingElse) {
  PingOwner dead = us_;
  dead.started += 1;  // The number of the process is in use, by another one.
  PingOwner contained = dead;
  contained.pid_namespace += 1;
  PingOwner of_other_host = dead;
  of_other_host.host += 1;
  PingOwner rebooted = dead;
  rebooted.boot = std::string(32, 'a');
  leave(ping_file_name(dead, 1));
  leave(ping_file_name(dead, 2), "");
  leave(ping_file_name(rebooted, 4));
  std::filesystem::last_write_time(path() / ping_file_name(rebooted, 4),
                                   std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));
  const std::vector<std::string> stay{ping_file_name(dead, 3) + "~", ping_file_name(us_, 1000),
                                      ping_file_name(contained, 1),  ping_file_name(of_other_host, 1),
                                      ping_file_name(rebooted, 5),   ".laggard-ping-notes"};
  for (const std::string& name : stay) leave(name);
  leave(ping_file_name(dead, 6), "my own words");
  std::filesystem::create_directory(path() / ping_file_name(dead, 7));
  target_.remove_abandoned();
  std::vector<std::string> expected = stay;
  expected.push_back(ping_file_name(dead, 6));
  expected.push_back(ping_file_name(dead, 7));
  EXPECT_THAT(files(), testing::UnorderedElementsAreArray(expected));
}

TEST_F(Directory, FilesOfAProcessAreFoundByTheirNames) {
  PingOwner other = us_;
  other.started += 1;
  leave(ping_file_name(us_, 1));
  leave(ping_file_name(us_, 2), "");
  leave(ping_file_name(other, 1));
  leave("notes");
  remove_pings_of(path(), us_);
  EXPECT_THAT(files(), testing::UnorderedElementsAre(ping_file_name(other, 1), "notes"));
}

TEST_F(Directory, AProcessThatHasEndedIsNoMoreThoughNobodyHasWaitedForIt) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::uint64_t started = this_owner("/", "c1").started;
    ::_exit(::write(ends[1], &started, sizeof started) == ssize_t{sizeof started} ? 0 : 1);
  }
  PingOwner ended = us_;
  ended.process = static_cast<std::uint64_t>(child);
  ASSERT_EQ(::read(ends[0], &ended.started, sizeof ended.started), ssize_t{sizeof ended.started});
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  leave(ping_file_name(ended, 1));
  target_.remove_abandoned();
  EXPECT_THAT(files(), IsEmpty());
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(PingFiles, NamesAreReadBackToTheLastCharacter) {
  const PingOwner owner = this_owner("/", "c1");
  EXPECT_GT(owner.started, 0U);
  EXPECT_GT(owner.pid_namespace, 0U);
  const std::string name = ping_file_name(owner, 255);
  PingOwner read;
  ASSERT_TRUE(parse_ping_file_name(name, read));
  EXPECT_EQ(read, owner);
  for (std::size_t cut = 0; cut < name.size(); ++cut) {
    EXPECT_FALSE(parse_ping_file_name(name.substr(0, cut), read) &&
                 ping_file_name(read, 255).size() > name.size())
        << cut;
    std::string other = name;
    other[cut] = '!';
    EXPECT_FALSE(parse_ping_file_name(other, read)) << other;
  }
}

}  // namespace
}  // namespace laggard::collect
