#include "lab/bench/folders.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "base/file.h"

namespace laggard::lab::bench {
namespace {
namespace fs = std::filesystem;
using testing::HasSubstr;

class OutFolder : public testing::Test {
 protected:
  OutFolder() { fs::create_directories(open_ / "run" / "inner"); }
  ~OutFolder() override { fs::remove_all(root_); }
  [[nodiscard]] static std::string refusal(const fs::path& folder) {
    const Status checked = check_out_folder(folder);
    return checked ? "" : checked.error().message();
  }
  fs::path root_ = fs::canonical(fs::temp_directory_path()) / ("laggard-out-" + std::to_string(::getpid()));
  fs::path open_ = root_ / "open";
};

TEST_F(OutFolder, AFolderOfOurOwnInOneForAll) {
  ASSERT_EQ(::chmod(open_.c_str(), 01777), 0);
  EXPECT_EQ(refusal(open_ / "run" / "inner"), "");
  EXPECT_EQ(refusal((open_ / "run" / "inner").native() + "/"), "");
}

TEST_F(OutFolder, NotTheFolderForAllItself) {
  ASSERT_EQ(::chmod(open_.c_str(), 01777), 0);
  EXPECT_THAT(refusal(open_), HasSubstr("can be written by all users"));
  EXPECT_THAT(refusal(open_.native() + "/"), HasSubstr("can be written by all users"));
}

TEST_F(OutFolder, NotWhereAllCanRename) {
  ASSERT_EQ(::chmod(open_.c_str(), 0777), 0);
  EXPECT_THAT(refusal(open_ / "run" / "inner"), HasSubstr("open: can be written by all users"));
}

TEST_F(OutFolder, NotInAnotherUsersFolderOrThroughAnotherUsersLink) {
  if (::geteuid() != 0) GTEST_SKIP() << "giving a folder away needs root";
  ASSERT_EQ(::chmod(open_.c_str(), 01777), 0);
  fs::create_directory_symlink(root_, open_ / "link");
  EXPECT_EQ(refusal(open_ / "link"), "");
  ASSERT_EQ(::lchown((open_ / "link").c_str(), 12345, 12345), 0);
  EXPECT_THAT(refusal(open_ / "link"), HasSubstr("link: belongs to another user"));
  ASSERT_EQ(::chown((open_ / "run").c_str(), 12345, 12345), 0);
  EXPECT_THAT(refusal(open_ / "run" / "inner"), HasSubstr("run: belongs to another user"));
}

namespace fs = std::filesystem;
using testing::HasSubstr;

class RemoveTree : public testing::Test {
 protected:
  RemoveTree() {
    fs::create_directories(root_ / "tree" / "inner");
    fs::create_directories(root_ / "precious" / "inner");
    (void)write_file(root_ / "precious" / "inner" / "file", "x");
    (void)write_file(root_ / "tree" / "inner" / "file", "x");
    folder_ = Fd(::open(root_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  ~RemoveTree() override { fs::remove_all(root_); }
  [[nodiscard]] Status remove() { return remove_tree(folder_.get(), "tree", root_ / "tree"); }
  [[nodiscard]] bool precious() const { return fs::exists(root_ / "precious" / "inner" / "file"); }
  fs::path root_ = fs::temp_directory_path() / ("laggard-tree-" + std::to_string(::getpid()));
  Fd folder_;
};

TEST_F(RemoveTree, RemovesLinksAndNotWhatTheyLeadTo) {
  fs::create_directory_symlink(root_ / "precious", root_ / "tree" / "link");
  fs::create_directory_symlink("../../precious", root_ / "tree" / "inner" / "up");
  ASSERT_TRUE(remove());
  EXPECT_FALSE(fs::exists(root_ / "tree"));
  EXPECT_TRUE(precious());
  EXPECT_TRUE(remove());  // It is gone.
}

TEST_F(RemoveTree, ALinkInItsPlaceIsAllThatGoes) {
  fs::remove_all(root_ / "tree");
  fs::create_directory_symlink("precious", root_ / "tree");
  ASSERT_TRUE(remove());
  EXPECT_TRUE(precious());
}

TEST_F(RemoveTree, DoesNotReachThroughAMount) {
  if (::mount((root_ / "precious").c_str(), (root_ / "tree" / "inner").c_str(), nullptr, MS_BIND, nullptr) !=
      0) {
    GTEST_SKIP() << "mounting needs root";
  }
  const Status removed = remove();
  ::umount((root_ / "tree" / "inner").c_str());
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().where, (root_ / "tree" / "inner").string());
  EXPECT_TRUE(precious());
}

TEST_F(RemoveTree, SomebodyWhoSwapsFoldersForLinksMeanwhileGainsNothing) {
  std::atomic<bool> done{false};
  std::thread other([&] {
    const fs::path inner = root_ / "tree" / "inner";
    std::error_code ignored;
    while (!done) {
      fs::rename(inner, root_ / "aside", ignored);
      fs::create_directory_symlink("../precious/inner", inner, ignored);
      fs::remove(inner, ignored);
      fs::rename(root_ / "aside", inner, ignored);
    }
  });
  for (int i = 0; i < 300; ++i) {
    (void)remove();
    fs::create_directories(root_ / "tree");
    std::error_code ignored;
    fs::create_directory(root_ / "tree" / "inner", ignored);
    EXPECT_TRUE(precious());
  }
  done = true;
  other.join();
  EXPECT_TRUE(precious());
}

}  // namespace
}  // namespace laggard::lab::bench
