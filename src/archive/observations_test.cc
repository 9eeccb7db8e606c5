// Events and profiles: what is written comes back, whatever happens in between.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <thread>

#include "archive/format.h"
#include "archive/prune.h"
#include "testing/fault_vfs.h"
#include "testing/observation_archive.h"
#include "testing/property.h"

namespace laggard::archive {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the archive's own test support.
using std::chrono::hours;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

WallTime morning() { return at("2011-05-09T06:00:00Z"); }

/// Tables of a few hosts and kinds over two days, with losses.
struct Story {
  std::vector<EventTable> events;
  std::vector<ProfileTable> profiles;
};

Story random_story(std::mt19937_64& random) {
  Story story;
  WallTime t = at("2011-05-09T23:59:30Z") + seconds{random() % 40};
  const std::size_t n = 1 + random() % 12;
  for (std::size_t i = 0; i < n; ++i) {
    const std::string host = "fs" + std::to_string(random() % 2);
    const std::size_t size = random() % 5 == 0 ? random() % 900 : random() % 30;
    EventTable events = random_events(random, host, t, size, random() % 2 == 0 ? "syscall" : "ping");
    if (random() % 3 == 0) {
      events.add_loss({.from = t, .to = t + seconds{1}, .count = random() % 100, .reason = "ring full"});
    }
    story.events.push_back(std::move(events));
    ProfileTable profile = random_profile(random, host, t, random() % 6);
    if (random() % 3 == 0) profile.add_loss({.from = t, .to = t, .count = 3, .reason = ""});
    story.profiles.push_back(std::move(profile));
    t += seconds{random() % 4};
  }
  return story;
}

void write(const std::filesystem::path& path, const Story& story, std::mt19937_64& random) {
  ManualClock clock;
  auto writer = std::make_unique<ObservationWriter>(path, WriterOptions{}, clock);
  for (std::size_t i = 0; i < story.events.size(); ++i) {
    RC_ASSERT(writer->append(story.events[i]));
    RC_ASSERT(writer->append(story.profiles[i]));
    if (random() % 3 == 0) RC_ASSERT(writer->flush());
    if (random() % 6 != 0) continue;
    RC_ASSERT(writer->close());
    writer = std::make_unique<ObservationWriter>(path, WriterOptions{}, clock);
  }
  RC_ASSERT(writer->close());
}

bool is_empty(const Story& story) {
  return std::ranges::all_of(story.events, &EventTable::empty) &&
         std::ranges::all_of(story.profiles, &ProfileTable::empty);
}

TEST(Observations, WhatIsWrittenComesBack) {
  expect_property("events, profiles and losses of any tables, flushes and restarts", [] {
    std::mt19937_64 random{*rc::gen::arbitrary<std::uint64_t>()};
    const Story story = random_story(random);
    if (is_empty(story)) return;
    const TempDir dir;
    write(dir.path(), story, random);
    auto reader = open_reader(dir.path(), {.verify = true});
    const auto events = rows_of_all<PlainEvent>(story.events);
    const auto got = read_events(*reader);
    RC_ASSERT(got.rows == events.rows);
    RC_ASSERT(got.lost == events.lost);
    const auto profiles = rows_of_all<PlainPeriod>(story.profiles);
    const auto got_profiles = read_profiles(*reader);
    RC_ASSERT(got_profiles.rows == profiles.rows);
    RC_ASSERT(got_profiles.lost == profiles.lost);
    const auto listed = reader->observations();
    RC_ASSERT(listed.has_value());
    std::uint64_t count = 0;
    std::uint64_t lost = 0;
    for (const ObservationStream& stream : *listed) {
      count += stream.count;
      lost += stream.lost;
    }
    RC_ASSERT(count == events.count() + profiles.count());
    RC_ASSERT(lost == events.lost + profiles.lost);
    RC_ASSERT(reader->notices().empty());
  });
}

TEST(Observations, ARangeIsReadAsIfAllWereReadAndCut) {
  expect_property("any range, hosts and kinds", [] {
    std::mt19937_64 random{*rc::gen::arbitrary<std::uint64_t>()};
    const Story story = random_story(random);
    if (is_empty(story)) return;
    const TempDir dir;
    write(dir.path(), story, random);
    auto reader = open_reader(dir.path());
    for (int query = 0; query < 10; ++query) {
      ObservationRequest request;
      const auto moment = [&] {
        return at("2011-05-09T23:59:25Z") + std::chrono::milliseconds{random() % 60'000};
      };
      if (random() % 4 != 0) request.from = moment();
      if (random() % 4 != 0) request.to = moment();
      if (random() % 2 == 0) request.hosts = {"fs1"};
      if (random() % 2 == 0) request.kinds = {"ping", "stacks"};
      const auto wants = [&](const auto& table) {
        return (request.hosts.empty() || table.host() == "fs1") &&
               (request.kinds.empty() || table.kind() != "syscall");
      };
      Read<PlainEvent> events;
      for (const EventTable& table : story.events) {
        if (wants(table)) events.add(cut(table, request.from, request.to));
      }
      events.sort();
      const auto got = read_events(*reader, request);
      RC_ASSERT(got.rows == events.rows);
      RC_ASSERT(got.lost == events.lost);
      Read<PlainPeriod> profiles;
      for (const ProfileTable& table : story.profiles) {
        if (wants(table)) profiles.add(cut(table, request.from, request.to));
      }
      profiles.sort();
      RC_ASSERT(read_profiles(*reader, request).rows == profiles.rows);
    }
  });
}

/// Second `t` of what the writer that is killed writes.
EventTable second_of_story(std::uint32_t t) {
  std::mt19937_64 random{t};
  EventTable table = random_events(random, "fs1", morning() + seconds{t}, 20);
  if (t % 5 == 0)
    table.add_loss({.from = morning(), .to = morning() + seconds{t}, .count = 1, .reason = "x"});
  return table;
}

[[noreturn]] void write_until_killed(const std::filesystem::path& path, std::uint32_t from, int acknowledge) {
  ManualClock clock;
  ObservationWriter writer{path, {}, clock};
  for (std::uint32_t t = from;; ++t) {
    if (!writer.append(second_of_story(t)) || !writer.flush()) break;
    const std::uint32_t safe = t + 1;
    if (::write(acknowledge, &safe, sizeof safe) != sizeof safe) break;
  }
  ::_exit(9);
}

TEST(Observations, KilledAtAnyMomentLosesNothingAcknowledged) {
  const TempDir dir;
  std::mt19937 random{1};
  std::uint32_t safe = 0;
  for (int round = 0; round < 10; ++round) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) write_until_killed(dir.path(), safe, ends[1]);
    ::close(ends[1]);
    const std::uint32_t enough = safe + 1 + static_cast<std::uint32_t>(random() % 40);
    std::uint32_t now = 0;
    while (now < enough && ::read(ends[0], &now, sizeof now) == sizeof now) safe = now;
    std::this_thread::sleep_for(std::chrono::microseconds{random() % 3000});
    ::kill(child, SIGKILL);
    while (::read(ends[0], &now, sizeof now) == sizeof now) safe = now;
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the child stopped by itself";
    ASSERT_GE(safe, enough);
    auto reader = open_reader(dir.path(), {.verify = true});
    const auto got = read_events(*reader);
    std::vector<EventTable> acknowledged;
    for (std::uint32_t t = 0; t < safe; ++t) acknowledged.push_back(second_of_story(t));
    const auto must = rows_of_all<PlainEvent>(acknowledged);
    acknowledged.push_back(second_of_story(safe));
    ASSERT_TRUE(is_part_of(must, got)) << "lost what was acknowledged";
    ASSERT_TRUE(is_part_of(got, rows_of_all<PlainEvent>(acknowledged))) << "read what was never written";
    ASSERT_GE(got.lost, must.lost);
    ASSERT_THAT(reader->notices(), IsEmpty());
    // The child may have written one more second than it could report; the next one begins after it.
    safe = static_cast<std::uint32_t>(got.count() / 20);
  }
}

TEST(Observations, RowsThatAFullDiskCostsAreCountedByTheStream) {
  FaultVfs vfs;
  const TempDir dir;
  ManualClock clock;
  WriterOptions options;
  options.vfs = vfs.name();
  options.max_pending_bytes = 50'000;
  ObservationWriter writer{dir.path(), options, clock};
  std::vector<EventTable> all;
  for (std::uint32_t t = 0; t < 300; ++t) {
    vfs.set_full(t >= 50 && t < 250);
    all.push_back(second_of_story(t));
    const Status added = writer.append(all.back());
    ASSERT_TRUE(added || added.error().code == ErrorCode::kNoSpace) << added.error().message();
    clock.advance(seconds{1});
  }
  ASSERT_OK(writer.close());
  EXPECT_GT(writer.stats().samples_lost, 1000U);
  auto reader = open_reader(dir.path());
  const auto truth = rows_of_all<PlainEvent>(all);
  const auto got = read_events(*reader);
  EXPECT_TRUE(is_part_of(got, truth));
  EXPECT_EQ(got.count() + got.lost, truth.count() + truth.lost) << "what is not there is counted";
  const auto listed = reader->observations();
  ASSERT_OK(listed);
  ASSERT_THAT(*listed, SizeIs(1));
  EXPECT_EQ((*listed)[0].lost, got.lost);
}

TEST(Observations, SmallBlocksBecomeFewAndRowsStayInOrder) {
  const TempDir dir;
  ManualClock clock;
  ObservationWriter writer{dir.path(), {}, clock};
  std::vector<PlainEvent> written;
  for (std::uint32_t t = 0; t < 400; ++t) {
    const EventTable table = second_of_story(t);
    testing_support::add_plain(table, written);
    ASSERT_OK(writer.append(table));
    ASSERT_OK(writer.flush());
  }
  auto beside = open_reader(dir.path())->observations();
  ASSERT_OK(beside);
  EXPECT_LT((*beside)[0].blocks, 2 * kMostSmallBlocks);
  ASSERT_OK(writer.close());
  auto reader = open_reader(dir.path());
  auto listed = reader->observations();
  ASSERT_OK(listed);
  EXPECT_LT((*listed)[0].blocks, 5U);
  auto events = reader->read_events({});
  ASSERT_TRUE(events);
  std::vector<PlainEvent> got;
  for (auto table = (*events)->next(); table && *table; table = (*events)->next()) {
    testing_support::add_plain(**table, got);
  }
  EXPECT_EQ(got, written);
}

/// A table that names 3,000 strings of 4 kB.
EventTable wordy(int number) {
  EventTable table("fs1", "log");
  for (int i = 0; i < 3000; ++i) {
    std::string text = std::to_string(number * 3000 + i);
    text.resize(4000, 'x');
    table.append({.time = morning(), .duration = {}, .subject = kNoWord, .what = table.intern(text).value()});
  }
  return table;
}

TEST(Observations, RecordersOfAHostWriteBesideEachOther) {
  const TempDir dir;
  ManualClock clock;
  std::mt19937_64 random{3};
  std::vector<EventTable> tables;
  {
    ObservationWriter logs{dir.path(), {.recorder = "logs"}, clock};
    ObservationWriter pings{dir.path(), {.recorder = "pings"}, clock};
    ASSERT_OK(logs.claim(ObservationShape::kEvents, "fs1"));
    ASSERT_OK(pings.claim(ObservationShape::kEvents, "fs1"));
    ObservationWriter again{dir.path(), {.recorder = "logs"}, clock};
    const Status refused = again.claim(ObservationShape::kEvents, "fs1");
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message(), HasSubstr("is writing logs of host fs1 here"));
    for (int i = 0; i < 4; ++i) {
      const bool is_log = i % 2 == 0;
      tables.push_back(random_events(random, "fs1", morning(), 20, is_log ? "log" : "ping"));
      ASSERT_OK((is_log ? logs : pings).append(tables.back()));
      ASSERT_OK((is_log ? logs : pings).flush());
      auto reader = Reader::open(std::vector{dir.path()});
      ASSERT_TRUE(reader);
      EXPECT_EQ(read_events(**reader).rows, rows_of_all<PlainEvent>(tables).rows) << "while both write";
    }
    ASSERT_OK(logs.close());
    ASSERT_OK(pings.close());
  }
  auto reader = Reader::open(std::vector{dir.path()});
  ASSERT_TRUE(reader);
  EXPECT_THAT((*reader)->files(), SizeIs(2));
  EXPECT_EQ(read_events(**reader).rows, rows_of_all<PlainEvent>(tables).rows);
  EXPECT_THAT((*reader)->notices(), IsEmpty());
}

TEST(Observations, AFileNamesABoundedNumberOfStrings) {
  const TempDir dir;
  ManualClock clock;
  auto writer = std::make_unique<ObservationWriter>(dir.path(), WriterOptions{}, clock);
  int taken = 0;
  Status added;
  while ((added = writer->append(wordy(taken)))) ++taken;
  EXPECT_EQ(added.error().code, ErrorCode::kBadInput);
  EXPECT_THAT(added.error().message(), HasSubstr("events of kind log of host fs1 name more than 1048576"));
  EXPECT_EQ(static_cast<std::size_t>(taken), kMaxFileWordBytes / 12'000'000);
  EXPECT_TRUE(writer->append(wordy(0))) << "what is known needs no room";
  ASSERT_OK(writer->close());
  // A writer that continues the file knows what is in it.
  writer = std::make_unique<ObservationWriter>(dir.path(), WriterOptions{}, clock);
  ASSERT_OK(writer->append(wordy(0)));
  EXPECT_FALSE(writer->append(wordy(taken)));
  ASSERT_OK(writer->close());
  auto reader = open_reader(dir.path(), {.verify = true});
  const auto listed = reader->observations();
  ASSERT_OK(listed);
  EXPECT_EQ((*listed)[0].count, static_cast<std::uint64_t>(taken + 2) * 3000);
  EXPECT_THAT(reader->notices(), IsEmpty());
}

TEST(Observations, AStreamHasOneWriterForAHostAndStreamsDoNotHinderEachOther) {
  const TempDir dir;
  ManualClock clock;
  auto metrics = open_writer(dir.path(), clock);
  ASSERT_OK(metrics->claim("fs1"));
  ObservationWriter first{dir.path(), {}, clock};
  ASSERT_OK(first.claim(ObservationShape::kEvents, "fs1"));
  ObservationWriter second{dir.path(), {}, clock};
  const Status refused = second.claim(ObservationShape::kEvents, "fs1");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(second.claim(ObservationShape::kProfiles, "fs1"));
}

TEST(Observations, ADayOfEachStreamIsDeletedWithTheHostsOthers) {
  const TempDir dir;
  ManualClock clock;
  {
    auto metrics = open_writer(dir.path(), clock);
    ASSERT_OK(metrics->append(disk_table("fs1", "2011-05-01T06:00:00Z"_utc, 3, 2, hours{24})));
    ASSERT_OK(metrics->close());
    ObservationWriter writer{dir.path(), {}, clock};
    std::mt19937_64 random{1};
    for (int day = 0; day < 3; ++day) {
      const WallTime t = "2011-05-01T07:00:00Z"_utc + hours{24 * day};
      ASSERT_OK(writer.append(random_events(random, "fs1", t, 100)));
      ASSERT_OK(writer.append(random_profile(random, "fs1", t, 10)));
    }
    ASSERT_OK(writer.append(random_events(random, "fs2", "2011-05-01T07:00:00Z"_utc, 100)));
    ASSERT_OK(writer.close());
  }
  auto by_age =
      prune(dir.path(), {.host = "fs1", .keep_age = hours{24}, .max_bytes = {}}, "2011-05-03T12:00:00Z"_utc);
  ASSERT_OK(by_age);
  EXPECT_THAT(by_age->files, SizeIs(3)) << "the first day of three streams";
  auto by_size =
      prune(dir.path(), {.host = "fs1", .keep_age = {}, .max_bytes = 1}, "2011-05-03T12:00:00Z"_utc);
  ASSERT_OK(by_size);
  EXPECT_THAT(by_size->files, SizeIs(3)) << "the last day of each stream stays";
  auto reader = open_reader(dir.path());
  const auto got = read_events(*reader);
  EXPECT_EQ(got.rows.at({"fs1", "syscall"}).size(), 100U);
  EXPECT_EQ(got.rows.at({"fs2", "syscall"}).size(), 100U) << "another host's";
  EXPECT_EQ(read_profiles(*reader).count(), 10U);
}

TEST(Observations, WhatLiesAmongAnotherStreamIsNamedAndNotRead) {
  const TempDir dir;
  ManualClock clock;
  auto metrics = open_writer(dir.path(), clock);
  ASSERT_OK(metrics->append(disk_table("fs1", morning(), 10)));
  ASSERT_OK(metrics->close());
  ObservationWriter writer{dir.path(), {}, clock};
  std::mt19937_64 random{1};
  ASSERT_OK(writer.append(random_events(random, "fs1", morning() + seconds{5}, 50)));
  ASSERT_OK(writer.close());
  const std::filesystem::path events = only_file(dir.path(), "events");
  {
    auto single = open_reader(events);
    EXPECT_EQ(read_events(*single).count(), 50U) << "a file by itself says what it is";
  }
  std::filesystem::rename(only_file(dir.path(), "metrics"),
                          dir.path() / "events" / "fs1-20110509T060000Z.lgd");
  auto reader = open_reader(dir.path());
  EXPECT_THAT(reader->notices(), ::testing::ElementsAre(HasSubstr("holds samples and lies among events")));
  EXPECT_THAT(reader->damaged(), SizeIs(1));
  EXPECT_EQ(read_events(*reader).count(), 50U);
  EXPECT_THAT(read_all(*reader), IsEmpty());
}

/// Lines that begin at some time, a second apart, and how far their log was read.
EventTable marked(std::string_view from, int lines, const std::string& bookmark) {
  EventTable table("fs1", "log");
  for (int i = 0; i < lines; ++i) {
    table.append({.time = at(from) + seconds{i},
                  .duration = {},
                  .subject = kNoWord,
                  .what = table.intern("line").value()});
  }
  table.set_bookmark(bookmark);
  return table;
}

std::vector<std::string> bookmarks_in(const std::filesystem::path& path) {
  ManualClock clock;
  ObservationWriter writer{path, {}, clock};
  EXPECT_TRUE(writer.claim(ObservationShape::kEvents, "fs1"));
  auto found = writer.bookmarks("fs1", "log");
  EXPECT_TRUE(found);
  return found ? *found : std::vector<std::string>{};
}

TEST(Observations, ABookmarkIsStoredWithItsEvents) {
  const TempDir dir;
  ManualClock clock;
  EXPECT_THAT(bookmarks_in(dir.path()), IsEmpty());
  {
    ObservationWriter writer{dir.path(), {}, clock};
    ASSERT_OK(writer.append(marked("2011-05-09T06:00:00Z", 2, "one")));
    ASSERT_OK(writer.append(marked("2011-05-09T07:00:00Z", 2, std::string("t\0o", 3))));
    EventTable pings("fs1", "ping");
    const Word ok = pings.intern("ok").value();
    pings.append({.time = morning(), .duration = {}, .subject = kNoWord, .what = ok});
    ASSERT_OK(writer.append(pings));
    ASSERT_OK(writer.append(marked("2011-05-10T06:00:00Z", 2, "day two")));
    ASSERT_OK(writer.close());
  }
  EXPECT_THAT(bookmarks_in(dir.path()), ::testing::UnorderedElementsAre(std::string("t\0o", 3), "day two"));
  {
    ObservationWriter writer{dir.path(), {}, clock};
    EventTable plain = marked("2011-05-10T07:00:00Z", 2, "");
    ASSERT_OK(writer.append(plain));
    ASSERT_OK(writer.close());
  }
  EXPECT_THAT(bookmarks_in(dir.path()), SizeIs(2)) << "events without one leave it as it is";
  auto reader = open_reader(dir.path());
  EXPECT_EQ(read_events(*reader).count(), 9U);
  EXPECT_THAT(reader->notices(), IsEmpty());
}

TEST(Observations, KilledAtAnyMomentTheBookmarkIsThatOfTheEvents) {
  for (int kill_after_ms = 1; kill_after_ms < 40; kill_after_ms += 3) {
    const TempDir dir;
    const pid_t child = ::fork();
    if (child == 0) {
      ManualClock clock;
      ObservationWriter writer{dir.path(), {}, clock};
      for (int batch = 1;; ++batch) {
        const EventTable table = marked("2011-05-09T06:00:00Z", 3, std::to_string(batch));
        if (!writer.append(table) || (batch % 2 == 0 && !writer.flush())) ::_exit(1);
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(kill_after_ms));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const auto found = bookmarks_in(dir.path());
    if (found.empty()) continue;
    ASSERT_EQ(found.size(), 1U);
    auto reader = open_reader(dir.path());
    EXPECT_EQ(std::to_string(read_events(*reader).count() / 3), found[0]);
  }
}

TEST(Observations, WhatABlockCouldNotHoldIsRefused) {
  const TempDir dir;
  ManualClock clock;
  ObservationWriter writer{dir.path(), {}, clock};
  EXPECT_EQ(writer.append(EventTable("", "log")).error().code, ErrorCode::kBadInput);
  EXPECT_EQ(writer.append(EventTable("fs1", "")).error().code, ErrorCode::kBadInput);
  EXPECT_EQ(writer.append(ProfileTable("fs1", std::string(5000, 'x'))).error().code, ErrorCode::kBadInput);
  EXPECT_TRUE(writer.append(EventTable("fs1", "log"))) << "nothing is nothing to write";
  ASSERT_OK(writer.close());
}

}  // namespace
}  // namespace laggard::archive
