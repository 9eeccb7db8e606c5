#include "base/file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>

namespace laggard {
namespace {

using testing::HasSubstr;

class File : public testing::Test {
 protected:
  File() {
    std::string name = testing::TempDir() + "laggard-file-XXXXXX";
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  ~File() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

TEST_F(File, IsReplacedWholeAndNothingIsLeftBeside) {
  ASSERT_TRUE(write_file(folder_ / "verdict", "a longer text"));
  ASSERT_TRUE(write_file(folder_ / "verdict", "short"));
  EXPECT_EQ(*read_file(folder_ / "verdict"), "short");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(File, LinkStaysALink) {
  ASSERT_TRUE(write_file(folder_ / "monday", "old"));
  std::filesystem::create_symlink("monday", folder_ / "latest");
  ASSERT_TRUE(write_file(folder_ / "latest", "new"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "latest"));
  EXPECT_EQ(*read_file(folder_ / "monday"), "new");
}

TEST_F(File, LinkToNothingGetsItsFile) {
  std::filesystem::create_symlink("gone", folder_ / "latest");
  ASSERT_TRUE(write_file(folder_ / "latest", "new"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "latest"));
  EXPECT_EQ(*read_file(folder_ / "gone"), "new");
}

// As root, renaming would replace /dev/null by a regular file for every program on the machine.
TEST_F(File, DeviceIsWrittenInto) {
  const std::filesystem::path pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const Fd reader(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  ASSERT_TRUE(reader.valid());
  std::filesystem::create_symlink("pipe", folder_ / "linked");
  for (const char* name : {"pipe", "linked"}) {
    ASSERT_TRUE(write_file(folder_ / name, "text"));
    EXPECT_TRUE(std::filesystem::is_fifo(folder_ / name)) << name;
    std::array<char, 8> got{};
    EXPECT_EQ(*read_some(reader.get(), got, "pipe"), 4U);
  }
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "linked"));
}

// /proc/self/fd has links to pipes whose names are no paths.
TEST_F(File, DescriptorIsWrittenInto) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  const Fd reader(ends[0]);
  const Fd writer(ends[1]);
  ASSERT_TRUE(write_file("/proc/self/fd/" + std::to_string(writer.get()), "text"));
  std::array<char, 8> got{};
  EXPECT_EQ(*read_some(reader.get(), got, "pipe"), 4U);
}

TEST_F(File, WhatHasNoEndIsRefused) {
  const auto endless = read_file("/dev/zero");
  ASSERT_FALSE(endless);
  EXPECT_THAT(endless.error().message(), HasSubstr("/dev/zero: has more than 256 MB"));
}

TEST_F(File, PipeIsReadOrRefused) {
  const std::filesystem::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] {
    std::ofstream to(pipe);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    to << "written late";
  });
  EXPECT_EQ(read_file(pipe).value(), "written late");
  writer.join();
  const auto nobody = read_file(pipe);
  ASSERT_FALSE(nobody);
  EXPECT_THAT(nobody.error().message(), HasSubstr("is a pipe to which nobody writes"));
}

TEST_F(File, FolderIsRefused) {
  const Status written = write_file(folder_, "text");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().what, "is a folder; name a file");
  EXPECT_TRUE(std::filesystem::is_directory(folder_));
}

}  // namespace
}  // namespace laggard
