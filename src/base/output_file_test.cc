#include "base/output_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/file.h"

// An output exists whole or not at all: with many writers, with writers that are killed or run out of space,
// and beside files that somebody has planted.

namespace laggard {
namespace {
namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uid_t kNobody = 65534;

class Output : public testing::Test {
 protected:
  Output() {
    std::string name = testing::TempDir() + "laggard-output-XXXXXX";
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  ~Output() override { fs::remove_all(folder_); }

  [[nodiscard]] struct stat status_of(const std::string& name) const {
    struct stat status {};
    EXPECT_EQ(::lstat((folder_ / name).c_str(), &status), 0) << name;
    return status;
  }
  [[nodiscard]] mode_t mode_of(const std::string& name) const { return status_of(name).st_mode & 07777; }
  /// Hidden files in the folder.
  [[nodiscard]] std::vector<std::string> temporaries() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (entry.path().filename().native().starts_with(".laggard-")) names.push_back(entry.path().filename());
    }
    return names;
  }

  fs::path folder_;
};

/// Another process; it is killed and reaped at the latest when this object is destroyed.
class Process {
 public:
  explicit Process(const std::function<int()>& work) : id_(::fork()) {
    if (id_ == 0) ::_exit(work());
  }
  Process(Process&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Process& operator=(Process&&) = delete;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() {
    if (id_ > 0) kill_now();
  }
  void kill_now() {
    ::kill(id_, SIGKILL);
    wait();
  }
  /// Its exit status; -1 when a signal ended it.
  int wait() {
    int status = 0;
    ::waitpid(std::exchange(id_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t id_;
};

/// Large enough to be written in many steps.
std::string page(char letter) { return "<" + std::string(300'000, letter) + ">"; }

bool is_page(const std::string& text) {
  return text.size() == page('a').size() && text == page(text[1]) && text[1] >= 'a' && text[1] <= 'z';
}

Status write_in_pieces(const fs::path& path, const std::string& text) {
  auto file = OutputFile::create(path);
  if (!file) return forward(file);
  for (std::size_t at = 0; at < text.size(); at += 10'000) {
    if (Status written = file->write(std::string_view(text).substr(at, 10'000)); !written) return written;
  }
  return file->commit();
}

TEST_F(Output, IsOldUntilItIsCommitted) {
  ASSERT_TRUE(write_file(folder_ / "page", "old"));
  {
    auto file = OutputFile::create(folder_ / "page");
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->write("new"));
    EXPECT_EQ(*read_file(folder_ / "page"), "old");
    ASSERT_TRUE(file->write(" text"));
    ASSERT_TRUE(file->commit());
    EXPECT_EQ(*read_file(folder_ / "page"), "new text");
  }
  EXPECT_EQ(*read_file(folder_ / "page"), "new text");
  EXPECT_THAT(temporaries(), IsEmpty());
}

TEST_F(Output, WithoutCommitNothingIsLeft) {
  ASSERT_TRUE(write_file(folder_ / "page", "old"));
  {
    auto file = OutputFile::create(folder_ / "page");
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->write("half of"));
    OutputFile moved(std::move(*file));
    EXPECT_EQ(temporaries().size(), 1U);
  }
  EXPECT_EQ(*read_file(folder_ / "page"), "old");
  EXPECT_THAT(temporaries(), IsEmpty());
}

TEST_F(Output, OfManyProcessesAtTheSameTimeIsAlwaysOfOne) {
  constexpr std::size_t kProcesses = 24;
  std::vector<Process> writers;
  for (std::size_t i = 0; i < kProcesses; ++i) {
    writers.emplace_back([this, letter = static_cast<char>('a' + i)] {
      for (int round = 0; round < 3; ++round) {
        if (!write_in_pieces(folder_ / "page", page(letter))) return 1;
        const auto text = read_file(folder_ / "page");
        if (!text || !is_page(*text)) return 2;
      }
      return 0;
    });
  }
  for (Process& writer : writers) EXPECT_EQ(writer.wait(), 0);
  EXPECT_TRUE(is_page(*read_file(folder_ / "page")));
  EXPECT_THAT(temporaries(), IsEmpty());
}

TEST_F(Output, OfAKilledProcessIsOldOrNew) {
  ASSERT_TRUE(write_file(folder_ / "page", page('a')));
  for (int round = 0; round < 100; ++round) {
    Process writer([this] {
      for (char letter = 'b';; letter = letter == 'z' ? 'a' : static_cast<char>(letter + 1)) {
        if (!write_in_pieces(folder_ / "page", page(letter))) return 1;
      }
    });
    ::usleep(static_cast<useconds_t>(200 + 97 * (round % 41)));
    writer.kill_now();
    const auto text = read_file(folder_ / "page");
    ASSERT_TRUE(text && is_page(*text)) << round;
  }
  for (const auto& entry : fs::directory_iterator(folder_)) {
    const std::string name = entry.path().filename();
    EXPECT_TRUE(name == "page" || (name.starts_with(".laggard-") && name.ends_with(".new"))) << name;
  }
}

/// Makes a file look as if it had been written so long ago.
void make_older(const fs::path& file, long seconds) {
  const std::array<timespec, 2> times{{{::time(nullptr) - seconds, 0}, {::time(nullptr) - seconds, 0}}};
  ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times.data(), AT_SYMLINK_NOFOLLOW), 0);
}

TEST_F(Output, OfTheDeadIsRemovedByTheNextWriter) {
  Process writer([this] {
    auto file = OutputFile::create(folder_ / "page");
    ::raise(SIGKILL);
    return file.has_value() ? 0 : 1;
  });
  writer.wait();
  ASSERT_EQ(temporaries().size(), 1U);
  ASSERT_TRUE(write_file(folder_ / "other", "text"));
  ASSERT_EQ(temporaries().size(), 1U) << "it may be of another machine, whose locks are not seen here";
  make_older(folder_ / temporaries().front(), 3600);
  ASSERT_TRUE(write_file(folder_ / "other", "text"));
  EXPECT_THAT(temporaries(), IsEmpty());
}

TEST_F(Output, OfTheLivingIsNeverRemoved) {
  auto file = OutputFile::create(folder_ / "page");
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->write("slow"));
  make_older(folder_ / temporaries().at(0), 36'000);
  ASSERT_TRUE(write_file(folder_ / "other", "text"));
  ASSERT_EQ(temporaries().size(), 1U);
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(*read_file(folder_ / "page"), "slow");
}

TEST_F(Output, PlantedLinksAreNotFollowed) {
  ASSERT_TRUE(write_file(folder_ / "victim", "precious"));
  for (const char* name : {"page.new", ".laggard-0123456789abcdef.new", ".page.new"})
    fs::create_symlink("victim", folder_ / name);
  make_older(folder_ / ".laggard-0123456789abcdef.new", 3600);
  ASSERT_TRUE(write_file(folder_ / "page", "text"));
  EXPECT_EQ(*read_file(folder_ / "victim"), "precious");
  EXPECT_EQ(*read_file(folder_ / "page"), "text");
  EXPECT_TRUE(fs::is_symlink(folder_ / "page.new"));
}

TEST_F(Output, WithoutRoomLeavesWhatWasThere) {
  ASSERT_TRUE(write_file(folder_ / "page", "old"));
  Process writer([this] {
    const rlimit small{100'000, 100'000};
    ::signal(SIGXFSZ, SIG_IGN);
    ::setrlimit(RLIMIT_FSIZE, &small);
    const Status written = write_in_pieces(folder_ / "page", page('a'));
    return !written && written.error().message().find("File too large") != std::string::npos ? 0 : 1;
  });
  EXPECT_EQ(writer.wait(), 0);
  EXPECT_EQ(*read_file(folder_ / "page"), "old");
  EXPECT_THAT(temporaries(), IsEmpty());
}

TEST_F(Output, FullDeviceIsAnError) {
  const Status written = write_file("/dev/full", "text");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message(), "/dev/full: cannot write: No space left on device");
  EXPECT_EQ(written.error().code, ErrorCode::kNoSpace);
}

TEST_F(Output, ModeIsKept) {
  for (const mode_t mode : {0600U, 0640U, 0660U, 0755U}) {
    ASSERT_TRUE(write_file(folder_ / "page", "old"));
    ASSERT_EQ(::chmod((folder_ / "page").c_str(), mode), 0);
    ASSERT_TRUE(write_file(folder_ / "page", "new"));
    EXPECT_EQ(mode_of("page"), mode);
  }
}

TEST_F(Output, NobodyReadsHalfOfAPrivateFile) {
  ASSERT_TRUE(write_file(folder_ / "page", "old"));
  ASSERT_EQ(::chmod((folder_ / "page").c_str(), 0600), 0);
  auto file = OutputFile::create(folder_ / "page");
  ASSERT_TRUE(file);
  EXPECT_EQ(mode_of(temporaries().at(0)), 0600U);
}

TEST_F(Output, NewFileHeedsTheUmask) {
  for (const auto& [mask, mode] : {std::pair<mode_t, mode_t>{077, 0600}, {002, 0664}, {022, 0644}}) {
    Process writer([this, mask = mask, name = std::to_string(mode)] {
      ::umask(mask);
      return write_file(folder_ / name, "text") ? 0 : 1;
    });
    EXPECT_EQ(writer.wait(), 0);
    EXPECT_EQ(mode_of(std::to_string(mode)), mode);
  }
}

TEST_F(Output, OwnerIsKeptByRoot) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may give files away";
  ASSERT_TRUE(write_file(folder_ / "page", "old"));
  ASSERT_EQ(::chown((folder_ / "page").c_str(), kNobody, 12), 0);
  ASSERT_EQ(::chmod((folder_ / "page").c_str(), 0640), 0);
  ASSERT_TRUE(write_file(folder_ / "page", "new"));
  EXPECT_EQ(status_of("page").st_uid, kNobody);
  EXPECT_EQ(status_of("page").st_gid, 12U);
  EXPECT_EQ(mode_of("page"), 0640U);
}

TEST_F(Output, ForeignGroupGetsNoMoreThanEverybody) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may be somebody else";
  ASSERT_TRUE(write_file(folder_ / "page", "old"));
  ASSERT_EQ(::chmod((folder_ / "page").c_str(), 0662), 0);
  ASSERT_EQ(::chmod(folder_.c_str(), 0777), 0);
  Process writer([this] {
    if (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) return 2;
    return write_file(folder_ / "page", "new") ? 0 : 1;
  });
  EXPECT_EQ(writer.wait(), 0);
  EXPECT_EQ(*read_file(folder_ / "page"), "new");
  EXPECT_EQ(mode_of("page"), 0622U);
}

TEST_F(Output, ExtendedAttributesAreKept) {
  ASSERT_TRUE(write_file(folder_ / "page", "old"));
  if (::setxattr((folder_ / "page").c_str(), "user.ticket", "4711", 4, 0) != 0)
    GTEST_SKIP() << "this file system has no extended attributes";
  ASSERT_TRUE(write_file(folder_ / "page", "new"));
  std::array<char, 8> value{};
  EXPECT_EQ(::getxattr((folder_ / "page").c_str(), "user.ticket", value.data(), value.size()), 4);
}

TEST_F(Output, WhatMayNotBeWrittenIsNotReplaced) {
  ASSERT_TRUE(write_file(folder_ / "kept", "old"));
  ASSERT_EQ(::chmod((folder_ / "kept").c_str(), 0444), 0);
  ASSERT_EQ(::chmod(folder_.c_str(), 0777), 0);
  Process writer([this] {
    if (::geteuid() == 0 && ::setuid(kNobody) != 0) return 2;
    const Status written = write_file(folder_ / "kept", "new");
    return !written && written.error().what == "cannot overwrite: Permission denied" ? 0 : 1;
  });
  EXPECT_EQ(writer.wait(), 0);
  EXPECT_EQ(*read_file(folder_ / "kept"), "old");
}

TEST_F(Output, FolderWhereNothingCanBeCreatedIsNamed) {
  ASSERT_TRUE(write_file(folder_ / "page", "old"));
  ASSERT_EQ(::chmod((folder_ / "page").c_str(), 0666), 0);
  ASSERT_EQ(::chmod(folder_.c_str(), 0555), 0);
  Process writer([this] {
    if (::geteuid() == 0 && ::setuid(kNobody) != 0) return 2;
    const Status written = write_file(folder_ / "page", "new");
    const std::string said = "no file can be created in the folder " + folder_.string();
    return !written && written.error().what == said + ": Permission denied" ? 0 : 1;
  });
  EXPECT_EQ(writer.wait(), 0);
  EXPECT_EQ(*read_file(folder_ / "page"), "old");
  ASSERT_EQ(::chmod(folder_.c_str(), 0755), 0);
}

TEST_F(Output, GoesThroughChainsOfLinks) {
  fs::create_directory(folder_ / "days");
  fs::create_symlink("days/monday", folder_ / "latest");
  fs::create_symlink(folder_ / "latest", folder_ / "page");
  for (const char* text : {"created behind them", "replaced behind them"}) {
    ASSERT_TRUE(write_file(folder_ / "page", text));
    EXPECT_EQ(*read_file(folder_ / "days/monday"), text);
    EXPECT_TRUE(fs::is_symlink(folder_ / "latest"));
    EXPECT_TRUE(fs::is_symlink(folder_ / "page"));
  }
}

TEST_F(Output, EndlessLinksAreRefused) {
  fs::create_symlink("b", folder_ / "a");
  fs::create_symlink("a", folder_ / "b");
  const Status written = write_file(folder_ / "a", "text");
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message(), HasSubstr("Too many levels of symbolic links"));
}

TEST_F(Output, MissingFolderIsNamed) {
  const Status written = write_file(folder_ / "nowhere/page", "text");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().what,
            "there is no folder " + (folder_ / "nowhere").string() + "; make it, or write elsewhere");
}

TEST_F(Output, NameOfAFolderIsRefused) {
  for (const fs::path& path : {folder_, folder_ / "", folder_ / "nowhere/"}) {
    const Status written = write_file(path, "text");
    ASSERT_FALSE(written) << path;
    EXPECT_EQ(written.error().what, "is a folder; name a file") << path;
  }
}

// As with `> report 2>&1`: what was written before stays, and what comes next follows.
TEST_F(Output, OwnDescriptorIsWrittenOnWhereItStands) {
  const Fd file(::open((folder_ / "log").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_TRUE(file.valid());
  ASSERT_TRUE(write_all(file.get(), "before ", "log"));
  ASSERT_TRUE(write_file("/dev/fd/" + std::to_string(file.get()), "between "));
  ASSERT_TRUE(write_file("/proc/self/fd/" + std::to_string(file.get()), "and "));
  ASSERT_TRUE(write_all(file.get(), "after", "log"));
  EXPECT_EQ(*read_file(folder_ / "log"), "before between and after");
}

TEST_F(Output, LongestNameHasRoomForItsTemporary) {
  const std::string name(255, 'n');
  ASSERT_TRUE(write_file(folder_ / name, "text"));
  EXPECT_EQ(*read_file(folder_ / name), "text");
}

}  // namespace
}  // namespace laggard
