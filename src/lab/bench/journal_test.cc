#include "lab/bench/journal.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"

namespace laggard::lab::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kHeader =
    "bench\t2\t0123456789abcdef0123456789abcdef\t01234567-89ab-cdef-0123-456789abcdef\t4026531841\n";

class JournalTest : public testing::Test {
 protected:
  JournalTest() { std::filesystem::create_directories(folder_); }
  ~JournalTest() override { std::filesystem::remove_all(folder_); }
  void plant(const std::string& text) { ASSERT_TRUE(write_file(path_, text)); }
  /// The error on opening the present journal.
  [[nodiscard]] std::string refusal() const {
    const auto journal = FileJournal::open(path_);
    return journal ? "" : journal.error().message();
  }
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("laggard-journal-" + std::to_string(::getpid()));
  std::filesystem::path path_ = folder_ / "journal";
  Instance instance_ = new_instance().value();
};

TEST_F(JournalTest, AnotherProcessReadsWhatWasEntered) {
  const Change scheduler{Setting::kScheduler, "loop7", "mq-deadline"};
  const Change control{Setting::kCongestionControl, "", "reno bbr"};
  {
    auto journal = FileJournal::create(path_, instance_);
    ASSERT_TRUE(journal) << journal.error().message();
    ASSERT_TRUE(journal->enter(scheduler));
    ASSERT_TRUE(journal->enter(control));
    // The first value is the one from before.
    ASSERT_TRUE(journal->enter({Setting::kScheduler, "loop7", "bfq"}));
  }
  const auto journal = FileJournal::open(path_);
  ASSERT_TRUE(journal) << journal.error().message();
  ASSERT_TRUE(*journal);
  EXPECT_EQ((*journal)->instance(), instance_);
  EXPECT_THAT((*journal)->changes(), ElementsAre(scheduler, control));
}

TEST_F(JournalTest, IsALock) {
  const auto first = FileJournal::create(path_, instance_);
  ASSERT_TRUE(first);
  EXPECT_THAT(refusal(), HasSubstr("a bench is running"));
  const auto third = FileJournal::create(path_, instance_);
  ASSERT_FALSE(third);
  EXPECT_THAT(third.error().message(), HasSubstr("a bench is running"));
}

TEST_F(JournalTest, RemovedJournalsLeaveNothing) {
  auto journal = FileJournal::create(path_, instance_);
  ASSERT_TRUE(journal);
  journal->remove();
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
  const auto none = FileJournal::open(path_);
  ASSERT_TRUE(none);
  EXPECT_FALSE(*none);
}

TEST_F(JournalTest, AnotherFileThatTookItsNameIsNotRemoved) {
  auto journal = FileJournal::create(path_, instance_);
  ASSERT_TRUE(journal);
  std::filesystem::remove(path_);
  plant("mine\n");
  journal->remove();
  EXPECT_EQ(read_file(path_).value_or(""), "mine\n");
}

TEST_F(JournalTest, AValueThatCouldNotBeRestoredIsNotEntered) {
  auto journal = FileJournal::create(path_, instance_);
  ASSERT_TRUE(journal);
  EXPECT_FALSE(journal->enter({Setting::kRequests, "loop7", "many"}));
  EXPECT_THAT(journal->changes(), IsEmpty());
}

TEST_F(JournalTest, ARefusalNamesTheLine) {
  plant(kHeader + "scheduler\tloop7\tnone\nfolder\t/etc\t\n");
  EXPECT_EQ(refusal(), path_.string() +
                           ":3: is no change that a bench makes; nothing was touched: look what it "
                           "is, and remove it by hand");
}

TEST_F(JournalTest, OneThatOthersCouldHaveWrittenIsRefused) {
  plant(kHeader);
  for (const unsigned mode : {0660U, 0602U, 0666U}) {
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
    EXPECT_THAT(refusal(), HasSubstr("can be written by others")) << mode;
  }
  ASSERT_EQ(::chmod(path_.c_str(), 0600), 0);
  EXPECT_EQ(refusal(), "");
  std::filesystem::create_hard_link(path_, folder_ / "other");
  EXPECT_THAT(refusal(), HasSubstr("has another name besides"));
  std::filesystem::remove(folder_ / "other");
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(path_.c_str(), 12345, 12345), 0);
    EXPECT_THAT(refusal(), HasSubstr("belongs to another user"));
  }
}

TEST_F(JournalTest, WhatIsNoFileIsRefused) {
  std::filesystem::create_symlink("/etc/hostname", path_);
  EXPECT_THAT(refusal(), HasSubstr("is no file"));
  std::filesystem::remove(path_);
  std::filesystem::create_symlink("nowhere", path_);
  EXPECT_THAT(refusal(), HasSubstr("is no file"));
  EXPECT_FALSE(FileJournal::create(path_, instance_));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "nowhere"));
  std::filesystem::remove(path_);
  std::filesystem::create_directory(path_);
  EXPECT_THAT(refusal(), HasSubstr("is no file"));
  std::filesystem::remove(path_);
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_THAT(refusal(), HasSubstr("is no file"));
}

TEST_F(JournalTest, AFolderThatOthersChangeIsNoPlaceForIt) {
  plant(kHeader);
  std::filesystem::permissions(folder_, std::filesystem::perms::all);
  EXPECT_THAT(refusal(), HasSubstr("can be changed by other users"));
  EXPECT_FALSE(FileJournal::create(folder_ / "new", instance_));
  ASSERT_EQ(::chmod(folder_.c_str(), 01777), 0);  // As /tmp: what is there stays whose it is.
  EXPECT_EQ(refusal(), "");
}

TEST(ParseJournal, ALineThatWasCutOffAnnouncedNothing) {
  for (const std::string cut : {"", "m", "requests\tloop7\t12", "rotational", "max-ratio\t"}) {
    const auto journal = parse_journal(kHeader + "scheduler\tloop7\tnone\n" + cut);
    ASSERT_TRUE(journal) << cut;
    EXPECT_THAT(journal->changes, ElementsAre(Change{Setting::kScheduler, "loop7", "none"}));
  }
}

TEST(ParseJournal, EverySettingComesBack) {
  std::string text = kHeader;
  std::vector<Change> changes;
  for (int i = 0; i <= static_cast<int>(Setting::kMemoryController); ++i) {
    Change change{static_cast<Setting>(i), "loop12", "128"};
    if (is_of_machine(change.setting)) change.loop.clear();
    if (change.setting == Setting::kMemoryController) change.old.clear();
    text += to_line(change);
    changes.push_back(std::move(change));
  }
  const auto back = parse_journal(text);
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(back->changes, changes);
  EXPECT_EQ(to_line(back->instance), kHeader);
}

/// What an attacker might write into a journal, each as the line after a valid one.
TEST(ParseJournal, NothingIsObeyedThatABenchDoesNotWrite) {
  const std::string nul(1, '\0');
  const std::vector<std::string> planted{
      "folder\t/home\t",
      "folder\t/run/laggard-bench/../../etc\t",
      "setting\t/etc/passwd\troot::0:0::/:/bin/sh",
      "setting\t/proc/sys/kernel/core_pattern\t|/tmp/x",
      "network\tlaggard-bench-s1\t",
      "network\t../../proc/1/ns/net\t",
      "mount\t/home\t",
      "mount\t/\t",
      "loop\t/var/lib/disk.img\t",
      "memory-group\t/sys/fs/cgroup/memory/system.slice\t",
      "process\t1\t",
      "process\t4242\t17",
      "scheduler\tsda\tnone",
      "scheduler\t../sda\tnone",
      "scheduler\tloop\tnone",
      "scheduler\tloop-1\tnone",
      "scheduler\tloop7/../sda\tnone",
      "scheduler\tloop99999999999\tnone",
      "scheduler\t\tnone",
      "scheduler\tloop7 \tnone",
      "scheduler\tloop8\t../../x",
      "scheduler\tloop8\t",
      "requests\tloop8\t-1",
      "requests\tloop8\t1e9",
      "requests\tloop8\t99999999999",
      "requests\tloop8",
      "requests\tloop8\t1\t2",
      "congestion-control\tloop8\treno",
      "congestion-control\t\t",
      "congestion-control\t\treno  bbr",
      "congestion-control\t\treno;reboot",
      "congestion-control\t\t" + std::string(33, 'a'),
      "congestion-control\t\ta a a a a a a a a a a a a a a a a",
      "memory-controller\t\t-cpu",
      "memory-controller\t/sys/fs/cgroup/x\t",
      "Scheduler\tloop8\tnone",
      " scheduler\tloop8\tnone",
      "scheduler\tloop8\tnone\r",
      "scheduler\tloop8" + nul + "\tnone",
      nul,
      "",
      "scheduler\tloop7\tmq-deadline",  // A second time.
      kHeader.substr(0, kHeader.size() - 1),
      std::string(100'000, 'x'),
  };
  const std::string before = kHeader + "scheduler\tloop7\tnone\n";
  ASSERT_TRUE(parse_journal(before));
  for (const std::string& line : planted) {
    const auto journal = parse_journal(before + line + "\nrotational\tloop7\t0\n");
    ASSERT_FALSE(journal) << line;
    EXPECT_EQ(journal.error().where, "journal:3") << line;
  }
}

TEST(ParseJournal, ATailThatNoWriteLeavesIsNoTail) {
  for (const std::string& tail :
       {std::string("a\0b", 3), std::string("a\rb"), std::string("\x1b[2J"), std::string(5000, 'a')}) {
    EXPECT_FALSE(parse_journal(kHeader + tail));
  }
  EXPECT_FALSE(parse_journal(kHeader + std::string(1U << 20U, '\n')));
}

TEST(ParseJournal, TheFirstLineSaysWhoseItIs) {
  for (const std::string header :
       {"", "\n", "bench\n", "bench\t2\t0123",
        "bench\t3\t0123456789abcdef0123456789abcdef\t01234567-89ab-cdef-"
        "0123-456789abcdef\t4026531841\n",
        "bench\t2\t../../etc/0123456789abcdef0123456\t01234567-89ab-cdef-0123-456789abcdef\t4026531841\n",
        "bench\t2\t0123456789ABCDEF0123456789ABCDEF\t01234567-89ab-cdef-0123-456789abcdef\t4026531841\n",
        "bench\t2\t0123456789abcdef0123456789abcdef\t01234567x89ab-cdef-0123-456789abcdef\t4026531841\n",
        "bench\t2\t0123456789abcdef0123456789abcdef\t01234567-89ab-cdef-0123-456789abcdef\t-1\n",
        "bench\t2\t0123456789abcdef0123456789abcdef\t01234567-89ab-cdef-0123-456789abcdef\t007\n",
        "scheduler\tloop7\tnone\n"}) {
    const auto journal = parse_journal(header);
    ASSERT_FALSE(journal) << header;
    EXPECT_EQ(journal.error().where, "journal:1");
  }
  EXPECT_TRUE(parse_journal(kHeader));
}

TEST(CheckReachable, NotAfterAnotherBootAndNotFromAnotherMountNamespace) {
  const Instance here = new_instance().value();
  EXPECT_TRUE(check_reachable(here, "bench"));
  Instance before = here;
  before.boot = "01234567-89ab-cdef-0123-456789abcdef";
  ASSERT_FALSE(check_reachable(before, "bench"));
  EXPECT_THAT(check_reachable(before, "bench").error().what, HasSubstr("before the machine was booted"));
  Instance gone = here;
  gone.mount_namespace = 1;  // Nobody lives there: its mounts are gone.
  EXPECT_TRUE(check_reachable(gone, "bench"));
}

}  // namespace
}  // namespace laggard::lab::bench
