// A recording that grows while it is watched ends with the verdict of the finished one, however it grew and
// however often the watch was killed.
#include "cmd/watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "archive/prune.h"
#include "base/state_codec.h"
#include "cmd/watch_state.h"
#include "testing/archive.h"
#include "testing/cli.h"
#include "testing/replay.h"
#include "testing/script/script.h"

namespace laggard::cmd {
namespace {

using archive::testing::ManualClock;
using archive::testing::open_writer;
using archive::testing::Replay;
using archive::testing::TempDir;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::filesystem::path kExampleOfWatch = LAGGARD_SOURCE_DIR "/examples/ddr-disk-busy-s2";

std::string line(const Incident& incident) {
  std::string text = incident.id + " " + std::string(to_name(incident.state)) + " " + incident.blame.name +
                     " " + incident.cause + " " + to_iso8601(incident.since) + " " +
                     (incident.until ? to_iso8601(*incident.until) : "open") + " p" +
                     std::to_string(incident.persistence);
  for (const std::string& component : incident.components) text += " " + component;
  return text;
}

class WatchTest : public ::testing::Test {
 protected:
  [[nodiscard]] Watch::Options options(const std::string& preset = "lab") const {
    Watch::Options options;
    options.diagnose = testing_support::quiet_diagnosis({recording()}, preset);
    return options;
  }
  [[nodiscard]] std::filesystem::path recording() const { return dir_.path() / "rec"; }

  [[nodiscard]] std::unique_ptr<Watch> watch(const Watch::Options& how) {
    return std::make_unique<Watch>(
        how, WatchListener{.change =
                               [this](const Change& change) {
                                 changes_.push_back(change);
                                 return Status{};
                               },
                           .note = [this](const std::string& note) { notes_.push_back(note); }});
  }
  /// What the changes leave of each incident, by id.
  [[nodiscard]] std::map<std::string, std::string> final_incidents() const {
    std::map<std::string, std::string> last;
    for (const Change& change : changes_) {
      if (is_gone(change.kind)) {
        last.erase(change.incident.id);
      } else {
        last[change.incident.id] = line(change.incident);
      }
    }
    return last;
  }
  [[nodiscard]] std::map<std::string, std::string> verdict(const std::string& preset = "lab") const {
    auto diagnosis = diagnose(options(preset).diagnose);
    EXPECT_TRUE(diagnosis) << diagnosis.error().message();
    std::map<std::string, std::string> incidents;
    for (const Incident& incident : diagnosis->incidents) {
      const bool told =
          incident.status == IncidentStatus::kOpen || incident.status == IncidentStatus::kClosed;
      if (told) incidents[incident.id] = line(incident);
    }
    return incidents;
  }

  /// The finished recording of a system, to be replayed.
  [[nodiscard]] std::filesystem::path record_whole(const script::System& system,
                                                   std::string_view preset) const {
    const auto recorded = script::record(system, preset);
    const std::filesystem::path whole = dir_.path() / "whole";
    ManualClock clock;
    const auto writer = open_writer(whole, clock);
    script::read(*recorded, [&](const SampleTable& table) { EXPECT_TRUE(writer->append(table)); });
    EXPECT_TRUE(writer->close());
    return whole;
  }

  TempDir dir_;
  std::vector<Change> changes_;
  std::vector<std::string> notes_;
};

TEST_F(WatchTest, EndsWithTheVerdictOfTheFinishedRecording) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    std::mt19937_64 random(seed);
    std::filesystem::remove_all(recording());
    changes_.clear();
    Replay replay(kExampleOfWatch, recording());
    const auto watching = watch(options());
    for (WallTime now = replay.first(); now < replay.last(); now += std::chrono::seconds(1 + random() % 40)) {
      replay.record_all(now, std::chrono::seconds(12), random);
      const auto polled = watching->poll();
      ASSERT_TRUE(polled) << polled.error().message();
    }
    for (const std::string& host : replay.hosts()) replay.record(host, replay.last() + Duration{1});
    replay.close();
    ASSERT_TRUE(watching->finish());
    ASSERT_THAT(verdict(), Not(IsEmpty()));
    EXPECT_EQ(final_incidents(), verdict()) << "seed " << seed;
    EXPECT_GT(changes_.size(), verdict().size()) << "it was told while it went on, not at the end";
    for (std::size_t i = 0; i < changes_.size(); ++i) EXPECT_EQ(changes_[i].number, i + 1);
  }
}

TEST_F(WatchTest, KilledAtAnyMomentItTellsTheSameNumberedChanges) {
  std::vector<std::vector<std::string>> told;
  for (const bool killed : {false, true}) {
    std::mt19937_64 growth(5);
    std::mt19937_64 kills(11);
    std::filesystem::remove_all(recording());
    changes_.clear();
    const std::filesystem::path state = dir_.path() / "state.json";
    std::filesystem::remove(state);
    Replay replay(kExampleOfWatch, recording());
    auto watching = watch(options());
    for (WallTime now = replay.first(); now < replay.last(); now += std::chrono::seconds(20)) {
      replay.record_all(now, std::chrono::seconds(5), growth);
      ASSERT_TRUE(watching->poll());
      // The state is kept after most deliveries; a kill in between delivers again.
      if (kills() % 3 != 0) {
        ASSERT_TRUE(write_watch_state(state, watching->state()));
      }
      if (!killed || kills() % 4 != 0) continue;
      watching = watch(options());
      auto kept = read_watch_state(state);
      ASSERT_TRUE(kept) << kept.error().message();
      if (*kept) watching->restore(std::move(**kept));
    }
    for (const std::string& host : replay.hosts()) replay.record(host, replay.last() + Duration{1});
    replay.close();
    ASSERT_TRUE(watching->finish());
    std::map<std::uint64_t, std::string> by_number;
    for (const Change& change : changes_) {
      const std::string content = save_state({"change"}, change);
      const auto [same, added] = by_number.try_emplace(change.number, content);
      EXPECT_EQ(same->second, content) << "a number always carries the same";
    }
    auto& lines = told.emplace_back();
    for (const auto& [number, content] : by_number) lines.push_back(std::to_string(number) + " " + content);
    EXPECT_EQ(by_number.rbegin()->first, by_number.size()) << "none is missing";
  }
  EXPECT_EQ(told[0], told[1]);
}

/// Recorders are stopped and started again, or have more hosts than they keep files open.
TEST_F(WatchTest, FilesThatAreFinishedContinuedAndPrunedBetweenLooksChangeNothing) {
  script::System system;
  system.interval = 15;
  system.length = 6 * 3600;
  system.faults = {{"slow", "s3", "", 2 * 3600, 5 * 3600, 12}};
  const std::filesystem::path whole = record_whole(system, "production");
  for (const std::size_t open_files : {16U, 2U}) {
    std::filesystem::remove_all(recording());
    changes_.clear();
    auto replay = std::make_unique<Replay>(whole, recording(), open_files);
    const auto watching = watch(options("production"));
    std::mt19937_64 random(7);
    for (WallTime now = replay->first(); now < replay->last(); now += std::chrono::minutes(10)) {
      replay->record_all(now, std::chrono::seconds(5), random);
      ASSERT_TRUE(watching->poll());
      if (random() % 4 == 0) replay->restart(recording(), open_files);
      ASSERT_TRUE(watching->poll());
    }
    for (const std::string& host : replay->hosts()) replay->record(host, replay->last() + Duration{1});
    replay->close();
    ASSERT_TRUE(watching->finish());
    ASSERT_THAT(verdict("production"), Not(IsEmpty()));
    EXPECT_EQ(final_incidents(), verdict("production"));
    ASSERT_TRUE(archive::prune(recording(), {.host = {}, .keep_age = Duration{1}, .max_bytes = {}},
                               replay->last() + std::chrono::hours(48)));
    EXPECT_EQ(watching->poll().value_or(true), false) << "nothing new is there, and less of what is old";
  }
}

TEST_F(WatchTest, AHostThatFallsSilentIsNotWaitedForAndSaidSo) {
  Replay replay(kExampleOfWatch, recording());
  const auto watching = watch(options());
  const WallTime middle = replay.first() + (replay.last() - replay.first()) / 2;
  std::mt19937_64 random(3);
  replay.record_all(middle, Duration{}, random);
  ASSERT_TRUE(watching->poll());
  EXPECT_THAT(notes_, Not(Contains(HasSubstr("recorded nothing since"))));
  for (const std::string& host : replay.hosts()) {
    if (host != replay.hosts().front()) replay.record(host, middle + std::chrono::minutes(2));
  }
  replay.flush();
  ASSERT_TRUE(watching->poll());
  EXPECT_THAT(notes_, Contains(HasSubstr(replay.hosts().front() + " has recorded nothing since")));
  EXPECT_GT(*watching->complete_until(), middle + std::chrono::seconds(90)) << "the others went on";
  replay.record_all(middle + std::chrono::minutes(3), Duration{}, random);
  ASSERT_TRUE(watching->poll());
  EXPECT_THAT(notes_, Contains(HasSubstr("came late and is not judged")));
}

TEST_F(WatchTest, HostsThatComeLaterAreComparedWithoutARestart) {
  Replay replay(kExampleOfWatch, recording());
  const auto watching = watch(options());
  EXPECT_EQ(watching->poll().value_or(true), false) << "nothing is there yet";
  const WallTime middle = replay.first() + (replay.last() - replay.first()) / 3;
  const std::vector<std::string> hosts = replay.hosts();
  for (std::size_t h = 0; h + 1 < hosts.size(); ++h) replay.record(hosts[h], middle);
  replay.flush();
  ASSERT_TRUE(watching->poll());
  for (const std::string& host : hosts) replay.record(host, replay.last() + Duration{1});
  replay.close();
  ASSERT_TRUE(watching->poll());
  EXPECT_THAT(notes_, Contains(HasSubstr("hosts or devices have come")));
  ASSERT_TRUE(watching->finish());
  EXPECT_EQ(final_incidents(), verdict());
}

TEST_F(WatchTest, WaitsUntilItKnowsHowOftenIsRecorded) {
  script::System system;
  system.interval = 15;
  system.length = 600;
  const std::filesystem::path whole = record_whole(system, "production");
  Replay replay(whole, recording());
  const auto watching = watch(options("auto"));
  for (const std::string& host : replay.hosts())
    replay.record(host, replay.first() + std::chrono::seconds(1));
  replay.flush();
  EXPECT_EQ(watching->poll().value_or(true), false);
  EXPECT_THAT(notes_, IsEmpty()) << "one sample of each says nothing";
  for (const std::string& host : replay.hosts())
    replay.record(host, replay.first() + std::chrono::seconds(40));
  replay.flush();
  ASSERT_TRUE(watching->poll());
  EXPECT_THAT(notes_, ElementsAre("preset production for samples every 15s"));
}

/// Of thousands of disks one comes under load at every look.
TEST_F(WatchTest, DisksThatComeUnderLoadOneByOneAreNotARegroupingEach) {
  script::System system;
  system.disks = 4;
  system.length = 900;
  system.faults = {{"slow", "s3", "d1", 600, 800, 12}};
  for (std::size_t i = 0; i < 27; ++i) {
    system.faults.push_back({"silent", "s" + std::to_string(i / 3 + 1), "d" + std::to_string(i % 3 + 2), 0,
                             50 + 20 * static_cast<double>(i), 1});
  }
  Replay replay(record_whole(system, "quick"), recording());
  const auto watching = watch(options("quick"));
  std::mt19937_64 random(1);
  for (WallTime now = replay.first(); now < replay.last(); now += std::chrono::seconds(10)) {
    replay.record_all(now, std::chrono::seconds(5), random);
    ASSERT_TRUE(watching->poll());
  }
  const auto regroupings = std::ranges::count_if(
      notes_, [](const std::string& note) { return note.find("have come") != std::string::npos; });
  EXPECT_GE(regroupings, 2);
  EXPECT_LE(regroupings, 6);
  EXPECT_THAT(changes_, Not(IsEmpty()));
}

/// Which hosts are servers shows when their disks come under load.
TEST_F(WatchTest, BeginsBeforeTheLoadDoes) {
  script::System system;
  system.length = 400;
  system.faults = {{"slow", "s3", "", 180, 320, 12}};
  for (std::size_t server = 1; server <= system.servers; ++server) {
    system.faults.push_back({"silent", "s" + std::to_string(server), "", 0, 60, 1});
  }
  Replay replay(record_whole(system, "quick"), recording());
  const auto watching = watch(options("quick"));
  std::mt19937_64 random(1);
  for (WallTime now = replay.first(); now < replay.last(); now += std::chrono::seconds(20)) {
    replay.record_all(now, std::chrono::seconds(5), random);
    ASSERT_TRUE(watching->poll());
  }
  for (const std::string& host : replay.hosts()) replay.record(host, replay.last() + Duration{1});
  replay.close();
  ASSERT_TRUE(watching->finish());
  EXPECT_THAT(verdict("quick"), Not(IsEmpty()));
  EXPECT_EQ(final_incidents(), verdict("quick"));
}

/// Of hours of recording, what is closed is not judged again when a server comes, and what follows is found
/// all the same, after a restart, too.
TEST_F(WatchTest, WhatIsClosedIsNotJudgedAgain) {
  script::System system;
  system.servers = 9;
  system.length = 10'000;
  system.faults = {{"slow", "s2", "", 600, 900, 12}, {"slow", "s3", "", 9700, 9950, 12}};
  const auto recorded = script::record(system, "quick");
  const Inventory inventory = recorded->source.inventory().value();
  ManualClock clock;
  const auto writer = open_writer(recording(), clock);
  const auto write = [&](double from, double to, bool last_server) {
    for (const DeviceInfo& device : inventory.devices) {
      if (last_server || device.host != "s9") {
        ASSERT_TRUE(writer->describe(device));
      }
    }
    script::read(*recorded, [&](const SampleTable& table) {
      const double at = to_seconds(table.times().front() - script::Simulator::start());
      const bool wanted = at >= from && at < to && (last_server || table.host() != "s9");
      if (wanted) {
        ASSERT_TRUE(writer->append(table));
      }
    });
    ASSERT_TRUE(writer->flush());
  };
  auto watching = watch(options("quick"));
  write(0, 9600, false);
  ASSERT_TRUE(watching->poll());
  ASSERT_THAT(changes_, Not(IsEmpty()));
  write(9600, 9800, true);
  ASSERT_TRUE(watching->poll());
  EXPECT_THAT(notes_, Contains(HasSubstr("hosts or devices have come")));
  // And goes on from there after a restart.
  const WatchState state = watching->state();
  ASSERT_TRUE(state.engine.has_value());
  watching = watch(options("quick"));
  watching->restore(state);
  write(9800, 10'000, true);
  ASSERT_TRUE(writer->close());
  ASSERT_TRUE(watching->poll());
  ASSERT_TRUE(watching->finish());
  EXPECT_THAT(notes_, Not(Contains(HasSubstr("judged again"))));
  std::map<std::string, std::size_t> opened;
  for (const Change& change : changes_) {
    if (change.kind == ChangeKind::kOpened) ++opened[change.incident.blame.name];
  }
  EXPECT_EQ(opened["s2"], 1U) << "what is closed is not told again";
  EXPECT_EQ(opened["s3"], 1U);
}

TEST(WatchState, RefusesWhatIsNone) {
  const TempDir dir;
  const std::filesystem::path file = dir.path() / "state";
  EXPECT_EQ(read_watch_state(file).value(), std::nullopt);
  for (const char* text : {"", "{}", "a text that is longer than a checksum"}) {
    archive::testing::write_bytes(file, text);
    const auto state = read_watch_state(file);
    ASSERT_FALSE(state) << text;
    EXPECT_THAT(state.error().message(), HasSubstr("is no state of laggard watch"));
  }
}

}  // namespace
}  // namespace laggard::cmd
