#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <filesystem>

#include "archive/stream_folder.h"
#include "base/file.h"
#include "testing/archive.h"

namespace laggard::archive {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the archive's own test support.
using ::testing::HasSubstr;

TEST(HostLock, OfTwoWhoBeginInTheSameInstantExactlyOneWins) {
  for (int round = 0; round < 50; ++round) {
    const TempDir dir;
    std::array<int, 2> start{};
    std::array<int, 2> verdict{};
    std::array<int, 2> hold{};
    for (auto* ends : {&start, &verdict, &hold}) ASSERT_EQ(::pipe2(ends->data(), O_CLOEXEC), 0);
    std::array<pid_t, 2> children{};
    for (pid_t& child : children) {
      child = ::fork();
      ASSERT_GE(child, 0);
      if (child != 0) continue;
      ::close(start[1]);
      ::close(hold[1]);
      char end = 0;
      static_cast<void>(::read(start[0], &end, 1) == 0);
      ManualClock clock;
      auto writer = Writer::open(dir.path(), {}, clock);
      const Status ours = writer ? (*writer)->claim("fs1") : Status{};
      const char said = ours ? 'w' : ours.error().code == ErrorCode::kUnavailable ? 'r' : 'x';
      static_cast<void>(::write(verdict[1], &said, 1) == 1);
      static_cast<void>(::read(hold[0], &end, 1) == 0);
      ::_exit(0);
    }
    ::close(start[1]);  // Both begin now.
    std::string said(2, ' ');
    ASSERT_EQ(::read(verdict[0], said.data(), 1), 1);
    ASSERT_EQ(::read(verdict[0], said.data() + 1, 1), 1);
    ::close(hold[1]);
    for (const pid_t child : children) ::waitpid(child, nullptr, 0);
    for (const int fd : {start[0], verdict[0], verdict[1], hold[0]}) ::close(fd);
    EXPECT_TRUE(said == "wr" || said == "rw") << said;
  }
}

TEST(HostLock, TheRefusalNamesTheHolderAndNotOneWhoWasKilledBefore) {
  const TempDir dir;
  write_bytes(dir.path() / ".fs1.lock", "99999999\n");  // Left by a killed process.
  auto first = lock_files(dir.path(), {"fs1", ""});
  ASSERT_TRUE(first);
  const auto second = lock_files(dir.path(), {"fs1", ""});
  ASSERT_FALSE(second);
  EXPECT_EQ(
      second.error().message(),
      fmt::format(
          "{}: another laggard (process {}) is writing host fs1 here; stop it or write to another recording",
          dir.path().string(), ::getpid()));
}

TEST(HostLock, AMomentOfLookingRefusesNobody) {
  const TempDir dir;
  write_bytes(dir.path() / ".fs1.lock", "");
  for (int i = 0; i < 200; ++i) {
    const Fd looking{::open((dir.path() / ".fs1.lock").c_str(), O_RDONLY | O_CLOEXEC | O_CREAT, 0600)};
    EXPECT_FALSE(are_files_locked(dir.path(), {"fs1", ""}));
    ASSERT_TRUE(lock_files(dir.path(), {"fs1", ""}));
  }
}

/// Makes flock fail with ENOLCK in this process from now on, as on a file system without locks.
bool take_locks_away() {
  std::array<sock_filter, 4> code{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_flock, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOLCK),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  sock_fprog program{code.size(), code.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(HostLock, AFileSystemWithoutLocksIsSaidAndNotIgnored) {
  const TempDir dir;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (!take_locks_away()) ::_exit(77);
    const auto lock = lock_files(dir.path(), {"fs1", ""});
    const bool said = !lock && lock.error().code == ErrorCode::kBadUse &&
                      lock.error().message().find("this file system has no locks") != std::string::npos;
    ::_exit(said ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "system calls cannot be filtered here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(HostLock, AnotherHostMayBeClaimedBesideAndCloseGivesBoth) {
  const TempDir dir;
  ManualClock clock;
  auto first = open_writer(dir.path(), clock);
  auto second = open_writer(dir.path(), clock);
  ASSERT_OK(first->claim("fs1"));
  ASSERT_OK(second->claim("fs2"));
  const Status refused = second->claim("fs1");
  ASSERT_FALSE(refused) << "though nothing was recorded yet";
  EXPECT_THAT(refused.error().message(), HasSubstr("is writing host fs1 here"));
  ASSERT_OK(first->append(disk_table("fs1", "2011-05-09T06:00:00Z"_utc, 1)));
  ASSERT_OK(first->append(disk_table("fs1", "2011-05-10T06:00:00Z"_utc, 1)));
  EXPECT_FALSE(second->claim("fs1")) << "between two files too";
  ASSERT_OK(first->close());
  ASSERT_OK(second->claim("fs1"));
}

TEST(HostLock, IsPassedOnToAnotherHostButTakesNobodysPlace) {
  const TempDir dir;
  auto first = lock_files(dir.path(), {"fs1", ""});
  ASSERT_TRUE(first);
  auto second = lock_files(dir.path(), {"fs2", ""}, std::move(*first));
  ASSERT_TRUE(second);
  EXPECT_FALSE(are_files_locked(dir.path(), {"fs1", ""}));
  EXPECT_TRUE(are_files_locked(dir.path(), {"fs2", ""}));
  const auto theirs = lock_files(dir.path(), {"fs3", ""});
  ASSERT_TRUE(theirs);
  const auto refused = lock_files(dir.path(), {"fs3", ""}, std::move(*second));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  EXPECT_FALSE(are_files_locked(dir.path(), {"fs2", ""})) << "it is given up all the same";
  // A lock whose file somebody has removed cannot be passed on.
  auto removed = lock_files(dir.path(), {"fs4", ""});
  ASSERT_TRUE(removed);
  std::filesystem::remove(dir.path() / ".fs4.lock");
  ASSERT_TRUE(lock_files(dir.path(), {"fs5", ""}, std::move(*removed)));
}

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::TempDir;

class PlantedLock : public ::testing::Test {
 protected:
  PlantedLock() : folder_(dir_.path()), lock_(folder_ / ".fs1.lock") {
    EXPECT_TRUE(write_file(folder_ / "victim", "precious"));
  }

  /// The error for whatever has taken the lock's name; it is neither written through nor removed.
  [[nodiscard]] std::string refusal() const {
    const auto lock = lock_files(folder_, {"fs1", ""});
    EXPECT_FALSE(lock);
    EXPECT_FALSE(are_files_locked(folder_, {"fs1", ""}));
    EXPECT_EQ(*read_file(folder_ / "victim"), "precious");
    EXPECT_NE(fs::symlink_status(lock_).type(), fs::file_type::not_found);
    return lock ? "" : lock.error().what;
  }

  TempDir dir_;
  fs::path folder_;
  fs::path lock_;
};

TEST_F(PlantedLock, NamesItsHolderAndIsGoneWithIt) {
  {
    const auto lock = lock_files(folder_, {"fs1", ""});
    ASSERT_TRUE(lock);
    EXPECT_TRUE(are_files_locked(folder_, {"fs1", ""}));
    const auto second = lock_files(folder_, {"fs1", ""});
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
    EXPECT_THAT(second.error().what, HasSubstr("is writing host fs1 here"));
    EXPECT_EQ(fs::file_size(lock_), 0U) << "nothing is written into a lock";
  }
  EXPECT_FALSE(fs::exists(lock_));
  EXPECT_FALSE(are_files_locked(folder_, {"fs1", ""}));
}

TEST_F(PlantedLock, OneThatAKillLeftBehindIsTaken) {
  ASSERT_TRUE(write_file(lock_, "4711\n"));
  EXPECT_TRUE(lock_files(folder_, {"fs1", ""}));
}

TEST_F(PlantedLock, LinksAreRefused) {
  fs::create_symlink("victim", lock_);
  EXPECT_EQ(refusal(), "stands where the lock should be and is a link; remove it");
}

TEST_F(PlantedLock, LinkToNothingCreatesNothing) {
  fs::create_symlink("nothing", lock_);
  EXPECT_EQ(refusal(), "stands where the lock should be and is a link; remove it");
  EXPECT_FALSE(fs::exists(folder_ / "nothing"));
}

TEST_F(PlantedLock, SecondNamesOfOtherFilesAreRefused) {
  fs::create_hard_link(folder_ / "victim", lock_);
  EXPECT_EQ(refusal(), "stands where the lock should be and is a second name of another file; remove it");
}

TEST_F(PlantedLock, PipesAreRefusedWithoutWaiting) {
  ASSERT_EQ(::mkfifo(lock_.c_str(), 0600), 0);
  EXPECT_EQ(refusal(), "stands where the lock should be and is no file; remove it");
}

TEST_F(PlantedLock, FilesOfOthersAreRefusedByRoot) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root has to beware of them";
  ASSERT_TRUE(write_file(lock_, ""));
  ASSERT_EQ(::chown(lock_.c_str(), 65534, 65534), 0);
  EXPECT_EQ(refusal(), "stands where the lock should be and belongs to user 65534; remove it");
}

}  // namespace
}  // namespace laggard::archive
