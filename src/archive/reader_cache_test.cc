// A reader that goes on from what earlier ones have learnt sees what one sees that has to look at everything.
#include "archive/reader_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "archive/prune.h"
#include "archive/reader.h"
#include "testing/archive.h"
#include "testing/fault_vfs.h"

namespace laggard::archive {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the archive's own test support.
using std::chrono::hours;
using std::chrono::seconds;
using ::testing::IsEmpty;
using ::testing::Not;

/// All that an inventory says.
std::string in_words(const Inventory& inventory) {
  std::string text;
  for (const DeviceInfo& device : inventory.devices) {
    text +=
        fmt::format("{} {} {} {} to {}: {} samples, {} active, every {} ns;", device.host,
                    to_name(device.kind), device.device, to_iso8601(device.first), to_iso8601(device.last),
                    device.samples, device.active_samples, device.interval.value_or(Duration{}).count());
    for (const TableCounter& counter : device.counters) text += " " + counter.name;
    for (const auto& [key, value] : device.facts) text += " " + key + "=" + value;
    text += "\n";
  }
  for (const Gap& gap : inventory.gaps)
    text += fmt::format("gap {} {} {} {}\n", gap.host, to_iso8601(gap.from), to_iso8601(gap.to), gap.reason);
  for (const ClockStep& step : inventory.clock_steps)
    text += fmt::format("step {} {} {}\n", step.host, to_iso8601(step.before), to_iso8601(step.after));
  for (const std::string& notice : inventory.notices) text += notice + "\n";
  for (const std::string& file : inventory.damaged) text += "damaged " + file + "\n";
  return text;
}

/// Some hosts, each with a writer that comes and goes.
class Site {
 public:
  explicit Site(std::filesystem::path path) : path_(std::move(path)) {}

  void record(const std::string& host, std::size_t samples) {
    Host& one = host_of(host);
    ASSERT_OK(one.writer->append(disk_table(host, one.next, samples, one.disks)));
    ASSERT_OK(one.writer->flush());
    one.next += static_cast<std::int64_t>(samples) * seconds{1};
  }
  void add_disk(const std::string& host) { ++host_of(host).disks; }
  void describe(const std::string& host, const std::string& value) {
    DeviceInfo info;
    info.host = host;
    info.device = "sda";
    info.facts = {{"wwn", value}};
    ASSERT_OK(host_of(host).writer->describe(info));
  }
  void skip(const std::string& host, Duration time) { host_of(host).next += time; }
  void note_gap(const std::string& host, Duration time) {
    Host& one = host_of(host);
    ASSERT_OK(
        one.writer->note_gap({.host = host, .from = one.next, .to = one.next + time, .reason = "suspended"}));
    one.next += time;
  }
  void set_clock_back(const std::string& host) { host_of(host).next -= seconds{100}; }
  void close(const std::string& host) {
    const std::unique_ptr<Writer> writer = std::exchange(hosts_[host].writer, nullptr);
    if (writer != nullptr) ASSERT_OK(writer->close());
  }

 private:
  struct Host {
    std::unique_ptr<Writer> writer;
    WallTime next = at(kStart);
    std::size_t disks = 2;
  };
  Host& host_of(const std::string& host) {
    Host& one = hosts_[host];
    if (one.writer == nullptr) one.writer = open_writer(path_, clock_);
    return one;
  }

  std::filesystem::path path_;
  ManualClock clock_;
  std::map<std::string, Host> hosts_;
};

/// Something that happens to a host between two looks.
using Event = std::function<void(Site&, const std::string&, std::mt19937_64&)>;
const std::vector<Event>& events() {
  static const std::vector<Event> all{
      [](Site& site, const std::string& host, auto& random) { site.record(host, 1 + random() % 5); },
      [](Site& site, const std::string& host, auto& random) { site.record(host, 1 + random() % 5); },
      [](Site& site, const std::string& host, auto& random) { site.record(host, 300 + random() % 900); },
      [](Site& site, const std::string& host, auto& random) {
        site.skip(host, seconds{random() % 4000});
        site.record(host, 3);
      },
      [](Site& site, const std::string& host, auto&) {
        site.skip(host, hours{24});
        site.record(host, 40);
      },
      [](Site& site, const std::string& host, auto& random) {
        site.describe(host, std::to_string(random()));
        site.record(host, 2);
      },
      [](Site& site, const std::string& host, auto&) {
        site.note_gap(host, seconds{50});
        site.record(host, 2);
      },
      [](Site& site, const std::string& host, auto&) {
        site.add_disk(host);
        site.record(host, 2);
      },
      [](Site& site, const std::string& host, auto&) {
        site.set_clock_back(host);
        site.record(host, 5);
      },
      [](Site& site, const std::string& host, auto&) { site.close(host); }};
  return all;
}

void expect_the_same(const std::filesystem::path& recording, ReaderCache& cache, std::size_t most_open,
                     std::mt19937_64& random) {
  const std::unique_ptr<Reader> fresh = open_reader(recording);
  const std::unique_ptr<Reader> going_on =
      open_reader(recording, {.max_open_files = most_open, .cache = &cache});
  const auto all = fresh->inventory();
  const auto some = going_on->inventory();
  ASSERT_OK(all);
  ASSERT_OK(some);
  ASSERT_EQ(in_words(*some), in_words(*all));
  const auto same_span = [](const TimeSpan& a, const TimeSpan& b) {
    return a.from == b.from && a.to == b.to;
  };
  EXPECT_TRUE(std::ranges::equal(going_on->disorder(), fresh->disorder(), same_span));
  EXPECT_EQ(going_on->files(), fresh->files());
  ReadRequest request;
  if (!all->devices.empty() && random() % 4 != 0) {
    const DeviceInfo& device = all->devices[random() % all->devices.size()];
    request.from = device.last - seconds{static_cast<std::int64_t>(random() % 200)};
  }
  EXPECT_TRUE(same_cells(cells_of(read_all(*going_on, request)), cells_of(read_all(*fresh, request))));
}

TEST(ReaderCache, WhateverHappensBetweenLooksTheNextOneSeesWhatIsThere) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    const TempDir dir;
    std::mt19937_64 random(seed);
    Site site(dir.path());
    ReaderCache cache;
    site.record("fs1", 3);
    for (std::uint64_t look = 0; look < 50; ++look) {
      for (std::size_t n = random() % 3; n > 0; --n) {
        const std::string host = "fs" + std::to_string(1 + random() % (1 + look / 15));
        events()[random() % events().size()](site, host, random);
        ASSERT_FALSE(::testing::Test::HasFatalFailure());
      }
      if (random() % 10 == 0) {
        ASSERT_OK(prune(dir.path(), {.host = {}, .keep_age = {}, .max_bytes = 60'000}, at(kStart)));
      }
      expect_the_same(dir.path(), cache, seed % 2 == 0 ? 1 : 0, random);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(ReaderCache, OneWriterOfManyHostsClosesAndOpensTheirFiles) {
  const TempDir dir;
  ManualClock clock;
  const auto writer = open_writer(dir.path(), clock, {.max_open_files = 2});
  std::mt19937_64 random(1);
  ReaderCache cache;
  for (std::int64_t t = 0; t < 12; ++t) {
    for (int h = 0; h < 5; ++h) {
      ASSERT_OK(writer->append(disk_table("fs" + std::to_string(h), at(kStart) + seconds{t * 30}, 30)));
    }
    ASSERT_OK(writer->flush());
    expect_the_same(dir.path(), cache, 0, random);
  }
}

class LookedAtAgain : public ::testing::Test {
 protected:
  /// Three days of which two are finished.
  void SetUp() override {
    writer_ = open_writer(dir_.path(), clock_);
    record("2011-05-07T06:00:00Z"_utc, 50);
    record("2011-05-08T06:00:00Z"_utc, 50);
    record("2011-05-09T06:00:00Z"_utc, 50);
  }
  void record(WallTime from, std::size_t samples) {
    ASSERT_OK(writer_->append(disk_table("fs1", from, samples)));
    ASSERT_OK(writer_->flush());
  }
  /// Looks, reads what is new and says how often a file was opened for that.
  std::size_t opened_in_a_look(WallTime from) {
    const FaultVfs disk;
    const std::unique_ptr<Reader> reader = open_reader(dir_.path(), {.vfs = disk.name(), .cache = &cache_});
    EXPECT_TRUE(reader->inventory());
    ReadRequest request;
    request.from = from;
    EXPECT_THAT(read_all(*reader, request), Not(IsEmpty()));
    return disk.databases_opened();
  }
  [[nodiscard]] std::filesystem::path log() const {
    return dir_.path() / "metrics" / "fs1-20110509T060000Z.lgd-wal";
  }

  TempDir dir_;
  ManualClock clock_;
  std::unique_ptr<Writer> writer_;
  ReaderCache cache_;
};

TEST_F(LookedAtAgain, OnlyWhatHasChangedIsOpenedAndOnlyOnce) {
  EXPECT_EQ(opened_in_a_look("2011-05-09T06:00:00Z"_utc), 3U);
  record("2011-05-09T06:00:50Z"_utc, 50);
  EXPECT_EQ(opened_in_a_look("2011-05-09T06:00:50Z"_utc), 1U);
  ASSERT_OK(writer_->close());
  EXPECT_EQ(opened_in_a_look("2011-05-09T06:00:50Z"_utc), 1U);
  EXPECT_EQ(opened_in_a_look("2011-05-09T06:00:50Z"_utc), 1U) << "only to read it";
}

TEST_F(LookedAtAgain, BetweenLooksTheWriterMayFinishItsFile) {
  opened_in_a_look("2011-05-09T06:00:00Z"_utc);
  ASSERT_TRUE(std::filesystem::exists(log()));
  ASSERT_OK(writer_->close());
  EXPECT_FALSE(std::filesystem::exists(log())) << "no reader was in the way";
}

TEST_F(LookedAtAgain, AFinishedFileThatIsSpoiltLaterIsReported) {
  opened_in_a_look("2011-05-09T06:00:00Z"_utc);
  const std::filesystem::path file = dir_.path() / "metrics" / "fs1-20110507T060000Z.lgd";
  std::string bytes = read_file(file).value();
  for (std::size_t i = 1024; i < bytes.size(); ++i) bytes[i] = static_cast<char>(bytes[i] ^ 0x55);
  write_bytes(file, bytes);
  for (int look = 0; look < 2; ++look) {
    const std::unique_ptr<Reader> reader = open_reader(dir_.path(), {.cache = &cache_});
    ASSERT_OK(reader->inventory());
    EXPECT_THAT(reader->damaged(), ::testing::ElementsAre(file.string()));
  }
}

TEST_F(LookedAtAgain, ALogThatACrashHasBrokenIsReported) {
  for (std::int64_t t = 0; t < 20; ++t) record("2011-05-09T06:00:50Z"_utc + seconds{t}, 1);
  opened_in_a_look("2011-05-09T06:00:00Z"_utc);
  // The writer is stopped in the middle of what it does and never goes on, while it holds the host's lock.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // The clock of files is coarse.
  std::string bytes = read_file(log()).value();
  ASSERT_GT(bytes.size(), 9000U);
  bytes[40] = static_cast<char>(bytes[40] ^ 0x55);
  const std::size_t size = bytes.size();
  std::fstream out{log(), std::ios::in | std::ios::out | std::ios::binary};
  out.write(bytes.data(), static_cast<std::streamsize>(size));
  out.close();
  std::vector<std::string> damaged;
  for (int look = 0; look < 2; ++look) {
    const std::unique_ptr<Reader> reader = open_reader(dir_.path(), {.cache = &cache_});
    damaged = reader->damaged();
  }
  const std::unique_ptr<Reader> fresh = open_reader(dir_.path());
  EXPECT_THAT(fresh->damaged(), Not(IsEmpty()));
  EXPECT_EQ(damaged, fresh->damaged()) << "as soon as the log does not grow any more";
}

}  // namespace
}  // namespace laggard::archive
