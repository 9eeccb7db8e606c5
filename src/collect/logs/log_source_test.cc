#include "collect/logs/log_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "collect/import/logs/import.h"
#include "testing/fake_machine.h"
#include "testing/import_fixture.h"
#include "testing/log_rows.h"

namespace laggard::collect {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing_support::rows_of;
using testing_support::RowSink;
using testing_support::texts_of;

class LogSourceTest : public FolderTest {
 protected:
  LogSourceTest() {
    clock_.set_wall(parse_time("2026-11-26T12:00:00Z").value());
    std::filesystem::create_directories(folder_ / "root");
  }

  void open(const std::vector<std::string>& files, const std::vector<std::string>& bookmarks = {}) {
    EventSourceSetup setup{
        .root = folder_ / "root",
        .host = "fs1.example.com",
        .options = {{"begin", {begin_}}, {"tz", {"+00:00"}}},
        .say = [this](const std::string& sentence) { said_.push_back(sentence); },
        .bookmarks = [bookmarks](const std::string&) { return Result<std::vector<std::string>>(bookmarks); }};
    for (const std::string& file : files) setup.options["file"].push_back(folder_ / file);
    auto opened = LogSource::open(setup);
    ASSERT_TRUE(opened) << opened.error().message();
    source_ = std::move(*opened);
  }
  /// What there is after another second, in one batch.
  ObservationBatch read(std::size_t most = 10'000) {
    ObservationBatch batch{"fs1", "log"};
    clock_.advance(1s);
    EXPECT_TRUE(source_->read(clock_, batch, most));
    return batch;
  }
  void append(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary | std::ios::app) << text;
    std::filesystem::last_write_time(folder_ / name, written_ += 10ms);
  }

  std::filesystem::file_time_type written_ = std::filesystem::file_time_type::clock::now() - 1h;
  FakeClock clock_;
  std::string begin_ = "start";
  std::unique_ptr<EventSource> source_;
  std::vector<std::string> said_;
};

const std::string kHead = "2026-11-26T11:00:00Z fs1 app: ";

TEST_F(LogSourceTest, WhatIsRecordedIsWhatAnImportMakesOfTheSameLog) {
  const auto log =
      write("messages",
            "\xEF\xBB\xBF"
            "Nov 20 19:21:34 fs1 kernel: sd 2:0:0:0: [sdb] tag#12 FAILED Result: hostbyte=DID_OK\r\n"
            "Call Trace:\n\n   \n"
            "<11>Nov 20 19:21:35 fs1.example.com sshd(pam_unix)[19937]: <d> 007 0xdeadbeef\n"
            "2026-11-20T19:21:35.25Z fs1 ceph-osd[3]: two\n"
            R"({"__REALTIME_TIMESTAMP":"1795202496000000","_HOSTNAME":"fs1","MESSAGE":"three"})"
            "\n"
            "[2026-11-20 19:21:37.5] E [a.c:1:f] 0-v: four\n"
            "<165>1 2026-11-20T19:21:38Z fs1 evntslog - ID47 [a b=\"c\"] five\n"
            "2026-11-20_19:21:39.123+0100: [E] six\n" +
                kHead + std::string(10'000'000, 'x') + "\n" + std::string(5000, '\0') + "\n" + kHead +
                "\x1b[2J\x1b]0;title\a\xff" + std::string(3, '\0') + "\n" + kHead + "no end");
  append("messages", "\n");
  RowSink imported;
  QuietObserver observer;
  const std::vector<std::filesystem::path> files{log};
  ASSERT_TRUE(import_logs(files, {.host = "fs1", .zone = Duration{}, .year = {}}, imported, observer));
  open({"messages"});
  std::vector<std::string> rows;
  for (ObservationBatch batch = read(); batch.events.size() > 0; batch = read()) {
    for (std::string& row : rows_of(batch.events)) rows.push_back(std::move(row));
  }
  for (std::string& row : imported.rows) {  // The recorder's own host has the name that it is recorded by.
    if (const auto at = row.find("fs1.example.com"); at != std::string::npos) row.replace(at, 15, "fs1");
  }
  std::ranges::sort(rows);
  std::ranges::sort(imported.rows);
  EXPECT_EQ(rows, imported.rows);
  EXPECT_THAT(rows, SizeIs(10));
  ObservationBatch last = read();
  source_->finish(clock_, last);
  EXPECT_THAT(said_, ElementsAre("2 lines passed over: no time, or no form that is known"));
}

TEST_F(LogSourceTest, ABatchIsOfOneDay) {
  append("messages",
         "2026-11-25T23:59:59Z fs1 app: one\n2026-11-26T00:00:04Z fs1 app: two\n" + kHead + "three\n");
  open({"messages"});
  ObservationBatch batch = read();
  EXPECT_THAT(texts_of(batch.events), ElementsAre("one", "two")) << "days turn at 00:00:05";
  EXPECT_TRUE(batch.is_full);
  batch = read();
  EXPECT_THAT(texts_of(batch.events), ElementsAre("three"));
  EXPECT_FALSE(batch.is_full);
}

TEST_F(LogSourceTest, ABurstIsTakenInPiecesAndOneLogDoesNotKeepAnotherWaiting) {
  for (int i = 0; i < 100; ++i) append("a", kHead + "a\n");
  append("b", kHead + "b\n");
  open({"a", "b"});
  EXPECT_THAT(read(10).events.size(), 10U);
  EXPECT_THAT(texts_of(read(10).events), ::testing::Contains("b"));
}

TEST_F(LogSourceTest, LinesOfOtherHostsAreTheirsToRecord) {
  append("messages",
         "2026-11-26T11:00:00Z fs2 app: one\n2026-11-26T11:00:00Z fs1.example.com app: two\n"
         "2026-11-26T11:00:00Z localhost app: three\n2026-11-26T11:00:00Z fs3 app: four\n");
  open({"messages"});
  ObservationBatch batch = read();
  EXPECT_THAT(texts_of(batch.events), ElementsAre("two", "three"));
  source_->finish(clock_, batch);
  EXPECT_THAT(said_, ElementsAre(HasSubstr("lines of other hosts, such as fs2, are passed over"),
                                 "2 lines of other hosts passed over"));
}

TEST_F(LogSourceTest, FromNowOnIsNotBeforeAndABookmarkGoesFirst) {
  append("messages", kHead + "old\n");
  begin_ = "now";
  open({"messages"});
  EXPECT_THAT(texts_of(read().events), IsEmpty());
  append("messages", kHead + "one\n");
  const ObservationBatch batch = read();
  EXPECT_THAT(texts_of(batch.events), ElementsAre("one"));
  append("messages", kHead + "two\n");
  open({"messages"}, {"damaged", batch.events.bookmark()});
  EXPECT_THAT(texts_of(read().events), ElementsAre("two"));
}

/// Logs are written, rotated and truncated at random, while recorders are killed at random: of what a killed
/// one had read, what was stored stays, with its bookmark, and the rest is gone.
TEST_F(LogSourceTest, WhateverHappensEachLineIsRecordedOnce) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    const std::string log = "log" + std::to_string(seed);
    std::vector<std::string> written;
    std::vector<std::string> stored;
    std::vector<std::string> bookmarks;
    written.push_back(std::string(50, 'h') + " first");
    append(log, kHead + written.back() + "\n");
    open({log});
    int rotations = 0;
    const auto store = [&] {
      const ObservationBatch batch = read(1 + random() % 20);
      if (!bookmarks.empty() && random() % 3 == 0) return open({log}, bookmarks);  // Killed.
      for (std::string& text : texts_of(batch.events)) stored.push_back(std::move(text));
      if (batch.events.size() > 0) bookmarks.push_back(batch.events.bookmark());
    };
    const auto rotate = [&](bool by_copy) {
      if (!std::filesystem::exists(folder_ / log)) return;
      for (int old = rotations++; old > 0; --old) {
        std::filesystem::rename(folder_ / (log + "." + std::to_string(old)),
                                folder_ / (log + "." + std::to_string(old + 1)));
      }
      if (!by_copy) return std::filesystem::rename(folder_ / log, folder_ / (log + ".1"));
      std::filesystem::copy_file(folder_ / log, folder_ / (log + ".1"));
      std::filesystem::last_write_time(folder_ / (log + ".1"), written_);
      std::filesystem::resize_file(folder_ / log, 0);
    };
    store();  // Before that, a recorder knows of no file but the one that it finds.
    for (int step = 0; step < 60; ++step) {
      const auto what = random() % 10;
      if (what < 6) {
        const std::string text = std::string(50, 'h') + " " + std::to_string(written.size());
        written.push_back(text);
        append(log, kHead + text + "\n");
      } else if (what < 9) {
        store();
      } else {
        rotate(false);
      }
    }
    rotate(true);
    written.push_back(std::string(50, 'h') + " last");
    append(log, kHead + written.back() + "\n");
    open({log}, bookmarks);
    for (int i = 0; i < 200 && stored.size() < written.size(); ++i) store();
    ASSERT_EQ(stored.size(), written.size()) << "seed " << seed;
    EXPECT_TRUE(stored == written) << "seed " << seed;
    for (int old = 1; old <= rotations; ++old)
      std::filesystem::remove(folder_ / (log + "." + std::to_string(old)));
  }
}

TEST_F(LogSourceTest, MistakesOfTheCommandLine) {
  const auto mistake = [&](std::map<std::string, std::vector<std::string>, std::less<>> options) {
    options.try_emplace("begin", std::vector<std::string>{"now"});
    const auto opened = LogSource::open({.host = "fs1", .options = std::move(options)});
    return opened ? "" : opened.error().message();
  };
  EXPECT_EQ(mistake({}), "");
  EXPECT_THAT(mistake({{"begin", {"then"}}}), HasSubstr("--begin: then is neither start nor now"));
  EXPECT_THAT(mistake({{"journal", {"no"}}}), HasSubstr("--file: is missing"));
  EXPECT_THAT(mistake({{"file", {"a", "b", "a"}}}), HasSubstr("--file: a is given twice"));
  EXPECT_THAT(mistake({{"tz", {"CET"}}}), HasSubstr("CET"));
}

}  // namespace
}  // namespace laggard::collect
