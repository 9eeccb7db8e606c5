// What becomes of a log while it is followed: rotation, truncation, lines that are written in pieces.
#include "collect/logs/followed_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "testing/import_fixture.h"

namespace laggard::collect {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FollowedLogTest : public FolderTest {
 protected:
  FollowedLogTest() { follow({.path = path(), .from_start = true}); }

  [[nodiscard]] std::string path(const std::string& name = "messages") const { return folder_ / name; }
  void follow(FollowedLog::Options options) {
    options.say = [this](const std::string& sentence) { said_.push_back(sentence); };
    log_.emplace(std::move(options));
  }
  /// As a recorder that is started where this one is now.
  void start_again() {
    std::vector<FilePosition> positions;
    log_->add_positions(positions);
    follow({.path = path(), .positions = positions});
  }
  void append(const std::string& text, const std::string& name = "messages") {
    std::ofstream(path(name), std::ios::binary | std::ios::app) << text;
    // Rotated files are told apart by when they were written, and a test writes within a tick of the kernel.
    std::filesystem::last_write_time(path(name), written_ += 1s);
  }
  void rotate(const std::string& from, const std::string& to) {
    std::filesystem::rename(path(from), path(to));
  }

  /// All lines that are there after so much time.
  std::vector<std::string> lines(Duration later = 1s) {
    now_ += later;
    log_->look(now_);
    std::vector<std::string> all;
    for (std::string_view line; log_->peek(line); log_->take()) all.emplace_back(line);
    return all;
  }

  MonoTime now_{1000s};
  std::filesystem::file_time_type written_ = std::filesystem::file_time_type::clock::now() - 1h;
  std::optional<FollowedLog> log_;
  std::vector<std::string> said_;
};

TEST_F(FollowedLogTest, ALineIsThereOnceItsEndIs) {
  append("one\r\n\ntw");
  EXPECT_THAT(lines(), ElementsAre("one", ""));
  EXPECT_THAT(lines(), IsEmpty());
  append("o\nthree\n");
  EXPECT_THAT(lines(), ElementsAre("two", "three"));
  EXPECT_THAT(said_, IsEmpty());
}

TEST_F(FollowedLogTest, ALogThatComesLaterIsReadFromItsStart) {
  follow({.path = path()});
  EXPECT_THAT(lines(), IsEmpty());
  append("one\n");
  EXPECT_THAT(lines(), ElementsAre("one"));
  EXPECT_THAT(said_, ElementsAre(HasSubstr("is not there")));
}

TEST_F(FollowedLogTest, FromNowOnMeansTheLineThatIsBeingWrittenToo) {
  append("old\nne");
  follow({.path = path()});
  EXPECT_THAT(lines(), IsEmpty());
  append("w\n");
  EXPECT_THAT(lines(), ElementsAre("new"));
}

TEST_F(FollowedLogTest, ARenamedLogIsReadAsLongAsItIsWrittenTo) {
  append("one\n");
  EXPECT_THAT(lines(), ElementsAre("one"));
  append("two\n");
  rotate("messages", "messages.1");
  append("four\n");
  append("three\n", "messages.1");
  EXPECT_THAT(lines(), ElementsAre("two", "three", "four"));
  append("five\nsi", "messages.1");
  EXPECT_THAT(lines(20s), ElementsAre("five"));
  EXPECT_THAT(lines(20s), IsEmpty());
  EXPECT_THAT(lines(20s), ElementsAre("si")) << "nobody writes the rest any more";
  append("seven\n", "messages.1");
  append("eight\n");
  EXPECT_THAT(lines(), ElementsAre("eight"));
}

TEST_F(FollowedLogTest, RenamedWithoutANewOneItIsStillTheLog) {
  append("one\n");
  EXPECT_THAT(lines(), ElementsAre("one"));
  rotate("messages", "messages.1");
  EXPECT_THAT(lines(1h), IsEmpty());
  append("two\n", "messages.1");
  EXPECT_THAT(lines(), ElementsAre("two"));
  std::filesystem::remove(path("messages.1"));
  EXPECT_THAT(lines(1h), IsEmpty());
  EXPECT_THAT(lines(1h), IsEmpty());
  append("three\n");
  EXPECT_THAT(lines(), ElementsAre("three"));
}

TEST_F(FollowedLogTest, CopiedAndTruncatedItBeginsAnew) {
  const std::string long_line(100, 'x');
  append(long_line + "\n");
  EXPECT_THAT(lines(), ElementsAre(long_line));
  append("two\n");
  std::filesystem::copy_file(path(), path("messages.1"));
  std::filesystem::resize_file(path(), 0);
  append("three\n");
  EXPECT_THAT(lines(), ElementsAre("two", "three")) << "what it had not read is in the copy";
  EXPECT_THAT(said_, ElementsAre(HasSubstr("was truncated; it is read from its new beginning")));
}

TEST_F(FollowedLogTest, OneThatHasOutgrownItsOldLengthIsFoundOut) {
  append("one\n");
  EXPECT_THAT(lines(), ElementsAre("one"));
  std::filesystem::resize_file(path(), 0);
  append("two\nthree\n");
  EXPECT_THAT(lines(), ElementsAre("two", "three"));
}

TEST_F(FollowedLogTest, AProgramThatWritesOnBehindAHole) {
  append(std::string(100'000, 'x') + "\n");
  EXPECT_EQ(lines().size(), 1U);
  std::filesystem::resize_file(path(), 0);
  std::filesystem::resize_file(path(), 99'000);
  append("two\nthree\n");
  const auto found = lines();
  ASSERT_EQ(found.size(), 2U) << "the page in which it writes begins with zeros";
  EXPECT_TRUE(found[0].ends_with("two"));
  EXPECT_LT(found[0].size(), 70'000U);
  EXPECT_EQ(found[1], "three");
}

TEST_F(FollowedLogTest, OfALongLineNoMoreThanItsBeginningIsKept) {
  append("a" + std::string(10'000'000, 'x') + "\nnext\nun");
  auto found = lines();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0], "a" + std::string(LogFile::kMostLine - 1, 'x'));
  EXPECT_EQ(found[1], "next");
  start_again();
  append("finished\n");
  EXPECT_THAT(lines(), ElementsAre("unfinished"));
}

TEST_F(FollowedLogTest, AnotherRecorderGoesOnWhereThisOneWas) {
  append("one\ntwo\nthr");
  EXPECT_THAT(lines(), ElementsAre("one", "two"));
  start_again();
  EXPECT_THAT(lines(), IsEmpty());
  append("ee\n");
  start_again();
  EXPECT_THAT(lines(), ElementsAre("three"));
  // Rotated twice meanwhile.
  append("four\n");
  rotate("messages", "messages.2");
  append("five\n", "messages.1");
  append("six\n");
  append("not its\n", "messages.err");
  start_again();
  EXPECT_THAT(lines(), ElementsAre("four", "five", "six"));
  EXPECT_THAT(said_, IsEmpty());
}

TEST_F(FollowedLogTest, WhatIsGoneMeanwhileIsSaid) {
  append("one\n");
  EXPECT_THAT(lines(), ElementsAre("one"));
  append("two\n");
  std::filesystem::remove(path());
  start_again();
  append("new\n", "other");
  rotate("other", "messages");
  EXPECT_THAT(lines(), ElementsAre("new"));
  EXPECT_THAT(said_, ElementsAre(HasSubstr("read up to byte 4 is gone")));
}

TEST_F(FollowedLogTest, WhatIsNoFileIsSaidOnce) {
  std::filesystem::create_directory(path());
  EXPECT_THAT(lines(), IsEmpty());
  EXPECT_THAT(lines(), IsEmpty());
  EXPECT_THAT(said_, ElementsAre(HasSubstr("is no regular file")));
}

}  // namespace
}  // namespace laggard::collect
