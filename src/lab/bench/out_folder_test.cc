#include "lab/bench/out_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

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

}  // namespace
}  // namespace laggard::lab::bench
