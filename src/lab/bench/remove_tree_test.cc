#include "lab/bench/remove_tree.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "base/file.h"

namespace laggard::lab::bench {
namespace {

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
