#include "archive/lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"
#include "testing/archive.h"

namespace laggard::archive {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::TempDir;

class PlantedLock : public ::testing::Test {
 protected:
  PlantedLock() : folder_(dir_.path()), lock_(folder_ / ".fs1.lock") {
    EXPECT_TRUE(write_file(folder_ / "victim", "precious"));
  }

  /// What is said of whatever stands in the lock's place; it is neither written through nor removed.
  [[nodiscard]] std::string refusal() const {
    const auto lock = lock_host(folder_, "fs1");
    EXPECT_FALSE(lock);
    EXPECT_FALSE(is_host_locked(folder_, "fs1"));
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
    const auto lock = lock_host(folder_, "fs1");
    ASSERT_TRUE(lock);
    EXPECT_TRUE(is_host_locked(folder_, "fs1"));
    const auto second = lock_host(folder_, "fs1");
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
    EXPECT_THAT(second.error().what, HasSubstr("is writing host fs1 here"));
    EXPECT_EQ(fs::file_size(lock_), 0U) << "nothing is written into a lock";
  }
  EXPECT_FALSE(fs::exists(lock_));
  EXPECT_FALSE(is_host_locked(folder_, "fs1"));
}

TEST_F(PlantedLock, OneThatAKillLeftBehindIsTaken) {
  ASSERT_TRUE(write_file(lock_, "4711\n"));
  EXPECT_TRUE(lock_host(folder_, "fs1"));
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
