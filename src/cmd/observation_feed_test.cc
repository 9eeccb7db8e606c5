// Events beside the samples of a recording: a diagnosis, a resumed one and a watch say the same of them.
#include "cmd/observation_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <thread>
#include <vector>

#include "archive/reader.h"
#include "archive/writer.h"
#include "cmd/watch.h"
#include "report/json.h"
#include "testing/archive.h"
#include "testing/cli.h"
#include "testing/error_detector.h"
#include "testing/shards.h"

namespace laggard::cmd {
namespace {

using namespace std::chrono_literals;
using archive::testing::ManualClock;
using archive::testing::TempDir;
using laggard::testing_support::ErrorDetector;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::array<DetectorSpec, 1> kErrorTable{ErrorDetector::spec()};

class EventsOfRecordings : public ::testing::Test {
 protected:
  EventsOfRecordings() : recording_(dir_.path() / "rec") {
    std::filesystem::copy(testing_support::kExample, recording_, std::filesystem::copy_options::recursive);
    const std::vector<std::filesystem::path> paths{recording_};
    const Inventory inventory = (*archive::Reader::open(paths))->inventory().value();
    begin_ = std::ranges::min_element(inventory.devices, {}, &DeviceInfo::first)->first;
  }

  /// One every two seconds.
  void tell(const char* host, Duration from, Duration to) {
    EventTable table(host, "error");
    for (Duration at = from; at < to; at += 2s) {
      table.append({begin_ + at, {}, kNoWord, table.intern("I/O error").value()});
    }
    archive::ObservationWriter writer(recording_, {}, clock_);
    ASSERT_TRUE(writer.append(table));
    ASSERT_TRUE(writer.close());
  }

  [[nodiscard]] DiagnoseOptions options() const {
    DiagnoseOptions options = testing_support::quiet_diagnosis({recording_});
    options.analysis.detectors = kErrorTable;
    return options;
  }
  [[nodiscard]] static std::vector<std::string> blamed_for_errors(const std::vector<Incident>& incidents) {
    std::vector<std::string> names;
    for (const Incident& incident : incidents) {
      if (std::ranges::find(incident.evidence, "errors", &Evidence::source) != incident.evidence.end()) {
        names.push_back(incident.blame.name);
      }
    }
    std::ranges::sort(names);
    return names;
  }

  TempDir dir_;
  std::filesystem::path recording_;
  ManualClock clock_;
  WallTime begin_;
};

TEST_F(EventsOfRecordings, AreJudgedBesideTheSamples) {
  tell("s2", 60s, 120s);
  tell("s6", 20s, 90s);
  auto diagnosis = diagnose(options());
  ASSERT_TRUE(diagnosis) << diagnosis.error().message();
  EXPECT_THAT(blamed_for_errors(diagnosis->incidents), ElementsAre("s2", "s6"));
  const auto sick = std::ranges::find(diagnosis->incidents, "disk-busy", &Incident::cause);
  ASSERT_NE(sick, diagnosis->incidents.end());
  EXPECT_EQ(sick->blame.name, "s2");
  EXPECT_THAT(report::to_json(*diagnosis), HasSubstr("\"shape\": \"lines\""));
}

TEST_F(EventsOfRecordings, RanksAndACheckpointSayTheSame) {
  tell("s2", 60s, 120s);
  tell("s6", 20s, 90s);
  const std::string expected = report::to_json(diagnose(options()).value());
  DiagnoseOptions resumed = options();
  resumed.resume = (dir_.path() / "checkpoint").string();
  for (const std::size_t count : {3U, 1U}) {  // The second time all of it is in the checkpoint.
    testing_support::PostOffice post;
    std::vector<std::jthread> others;
    for (std::size_t rank = 1; rank < count; ++rank) {
      others.emplace_back([&, rank] {
        testing_support::ThreadRanks ranks(post, rank, count);
        help_diagnose(resumed, ranks);
      });
    }
    testing_support::ThreadRanks ranks(post, 0, count);
    auto diagnosis = diagnose(resumed, ranks);
    ASSERT_TRUE(diagnosis) << diagnosis.error().message();
    EXPECT_EQ(report::to_json(*diagnosis), expected) << count;
  }
}

TEST_F(EventsOfRecordings, NeedNoSamples) {
  std::filesystem::remove_all(recording_ / "metrics");
  tell("mds1", 60s, 300s);
  auto diagnosis = diagnose(options());
  ASSERT_TRUE(diagnosis) << diagnosis.error().message();
  EXPECT_THAT(blamed_for_errors(diagnosis->incidents), ElementsAre("mds1"));
}

TEST_F(EventsOfRecordings, AWatchSaysTheSameAndCountsWhatComesLate) {
  tell("s2", 60s, 120s);
  tell("s6", 20s, 90s);
  std::vector<Incident> told;
  std::vector<std::string> notes;
  Watch watch({.diagnose = options()}, {.change =
                                            [&](const Change& change) {
                                              std::erase_if(told, [&](const Incident& incident) {
                                                return incident.id == change.incident.id;
                                              });
                                              told.push_back(change.incident);
                                              return Status{};
                                            },
                                        .note = [&](const std::string& note) { notes.push_back(note); }});
  ASSERT_TRUE(watch.poll());
  tell("s7", 10s, 50s);
  ASSERT_TRUE(watch.poll());
  ASSERT_TRUE(watch.finish());
  EXPECT_THAT(blamed_for_errors(told), ElementsAre("s2", "s6"));
  EXPECT_THAT(notes, Contains(HasSubstr("20 observations (error) of s7 came late")));
}

}  // namespace
}  // namespace laggard::cmd
