// With a program in journalctl's place, since a journal needs systemd to be written.
#include "collect/logs/journal_follower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "testing/fake_journal.h"
#include "testing/import_fixture.h"

namespace laggard::collect {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class JournalFollowerTest : public FolderTest {
 protected:
  void follow(JournalFollower::Options options) {
    if (options.program == "journalctl") options.program = testing_support::write_fake_journalctl(folder_);
    options.say = [this](const std::string& sentence) { said_.push_back(sentence); };
    auto opened = JournalFollower::open(std::move(options));
    ASSERT_TRUE(opened);
    journal_ = std::move(*opened);
  }
  void log(const std::string& messages) { std::ofstream(folder_ / "journal", std::ios::app) << messages; }

  /// The next so many messages; fewer when they do not come within ten seconds.
  std::vector<std::string> messages(std::size_t count) {
    std::vector<std::string> all;
    for (int i = 0; i < 2000 && all.size() < count; ++i) {
      const auto entry = journal_->peek(now_);
      EXPECT_TRUE(entry);
      if (!entry) break;
      if (*entry != nullptr) {
        all.push_back((*entry)->message);
        journal_->take();
      } else {
        std::this_thread::sleep_for(5ms);
        now_ += 50ms;
      }
    }
    return all;
  }

  MonoTime now_{1000s};
  std::unique_ptr<JournalFollower> journal_;
  std::vector<std::string> said_;
};

TEST_F(JournalFollowerTest, EntriesAsTheyComeAndTheCursorOfTheLastOne) {
  log("one\ntwo\n");
  follow({});
  EXPECT_THAT(messages(2), ElementsAre("one", "two"));
  EXPECT_EQ(journal_->cursor(), "2");
  log("three\n");
  EXPECT_THAT(messages(1), ElementsAre("three"));
  follow({.cursor = "1"});
  EXPECT_THAT(messages(2), ElementsAre("two", "three"));
  EXPECT_THAT(said_, IsEmpty());
}

TEST_F(JournalFollowerTest, ItIsStartedAgainBehindTheLastEntry) {
  log("one\ntwo\n");
  follow({.since = from_unix_ns(1'795'202'000'900'000'000)});
  EXPECT_THAT(messages(1), ElementsAre("one"));
  ::kill(journal_->process().value(), SIGKILL);
  log("three\n");
  EXPECT_THAT(messages(2), ElementsAre("two", "three"));
  std::ofstream(folder_ / "end").flush();
  for (int i = 0; i < 2000 && said_.size() < 2; ++i) {
    ASSERT_TRUE(journal_->peek(now_ += 100ms));
    std::this_thread::sleep_for(2ms);
  }
  std::filesystem::remove(folder_ / "end");
  log("four\n");
  EXPECT_THAT(messages(1), ElementsAre("four"));
  ASSERT_EQ(said_.size(), 2U) << "once as long as it does not succeed";
  EXPECT_THAT(said_[0], HasSubstr("ended by signal 9; it is started again where it was"));
  EXPECT_THAT(said_[1], HasSubstr("ended with status 3"));
  const std::string started = read_file(folder_ / "started").value();
  EXPECT_THAT(started,
              HasSubstr("--follow --merge --no-tail --quiet --no-pager --output=export --output-fields="));
  EXPECT_THAT(started, HasSubstr("_HOSTNAME --since=@1795202000\n")) << "whole seconds";
  EXPECT_THAT(started, HasSubstr("_HOSTNAME --after-cursor=3\n"));
}

TEST_F(JournalFollowerTest, WithoutTheProgramItSaysWhatToDo) {
  follow({.program = folder_ / "none"});
  Result<const JournalEntry*> entry = nullptr;
  for (int i = 0; i < 2000 && entry; ++i) {
    entry = journal_->peek(now_);
    std::this_thread::sleep_for(2ms);
  }
  ASSERT_FALSE(entry);
  EXPECT_THAT(entry.error().message(), HasSubstr("none: cannot be started, by which the journal is read"));
}

}  // namespace
}  // namespace laggard::collect
