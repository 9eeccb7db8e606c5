#include "engine/trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "testing/script/script.h"

namespace laggard::engine {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

script::System healthy(std::uint64_t seed = 3) {
  script::System system;
  system.servers = 5;
  system.clients = 3;
  system.reads = 80;
  system.length = 600;
  system.seed = seed;
  return system;
}

/// The distances that the trainer sees: track, member and window index.
struct SeenDistances {
  std::map<std::string, std::vector<std::map<std::int64_t, double>>> tracks;
  std::map<std::string, std::string> groups;
};

SeenDistances look(script::Recording& recording) {
  SeenDistances seen;
  PipelineOptions options = recording.pipeline;
  options.windows = recording.preset.windows;
  Pipeline pipeline(recording.grouping, options);
  const auto sink = [&](std::size_t group, const detect::WindowJudgement& window) {
    for (const detect::TrackJudgement& track : window.tracks) {
      const std::string name =
          recording.grouping.groups[group].name + "|" + detect::track_name(*track.metric, track.regime);
      auto& members = seen.tracks[name];
      members.resize(track.distance.size());
      for (std::size_t i = 0; i < members.size(); ++i) members[i][window.index] = track.distance[i];
    }
  };
  script::read(recording, [&](const SampleTable& table) { pipeline.add(table, sink); });
  pipeline.finish(sink);
  return seen;
}

/// Faulty in k = 3 of 5 windows at this threshold?
bool ever_faulty(const std::map<std::int64_t, double>& distance, double threshold) {
  for (const auto& [index, value] : distance) {
    int anomalous = 0;
    for (std::int64_t w = index - 4; w <= index; ++w) {
      const auto there = distance.find(w);
      anomalous += there != distance.end() && there->second > threshold ? 1 : 0;
    }
    if (anomalous >= 3) return true;
  }
  return false;
}

/// F §10.1 as it is told: raise the threshold from 0.1 by 0.1 until nothing is faulty; double it.
double search(const std::map<std::int64_t, double>& distance) {
  int tenths = 1;
  while (ever_faulty(distance, tenths / 10.0)) ++tenths;
  return 2 * (tenths / 10.0);
}

TEST(Trainer, FindsWhatRaisingTheThresholdStepByStepFinds) {
  const auto recording = script::record(healthy(), "lab");
  const detect::Thresholds thresholds = script::train(*recording);
  const SeenDistances seen = look(*recording);
  std::size_t compared = 0;
  for (const PeerGroup& group : recording->grouping.groups) {
    for (const detect::GroupThresholds& trained : thresholds.groups) {
      if (trained.group != group.name || trained.distance == "cwnd") continue;
      const auto& members = seen.tracks.at(group.name + "|" + trained.metric);
      for (std::size_t i = 0; i < members.size(); ++i) {
        if (members[i].size() < 3) continue;
        EXPECT_NEAR(trained.of(recording->grouping[group.members[i]].name), search(members[i]), 1e-9)
            << trained.group << " " << trained.metric << " " << i;
        ++compared;
      }
      EXPECT_DOUBLE_EQ(trained.windows, static_cast<double>(members[0].size()) / 2) << "half of each is new";
    }
  }
  EXPECT_GT(compared, 20U);
}

TEST(Trainer, CongestionIsTheFractionThatWasSeenTimesTheFactor) {
  const auto recording = script::record(healthy(), "lab");
  const detect::Thresholds thresholds = script::train(*recording);
  const SeenDistances seen = look(*recording);
  for (const detect::GroupThresholds& trained : thresholds.groups) {
    if (trained.distance != "cwnd") continue;
    double largest = 0;
    for (const auto& member : seen.tracks.at(trained.group + "|cwnd")) {
      for (const auto& [index, distance] : member) {
        if (ever_faulty(member, distance * (1 - 1e-12))) largest = std::max(largest, distance);
      }
    }
    EXPECT_NEAR(trained.others, 2 * largest, 1e-9);
    EXPECT_THAT(trained.components, IsEmpty());
  }
}

TEST(Trainer, WhatItLearntFromRaisesNoAlarm) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
    const auto recording = script::record(healthy(seed), "lab");
    const detect::Thresholds thresholds = script::train(*recording);
    EXPECT_THAT(script::findings(script::diagnose(*recording, thresholds)), IsEmpty()) << seed;
  }
}

TEST(Trainer, AServerThatWasAwayInTrainingTeachesNothingByIt) {
  script::System away = healthy();
  away.faults.push_back({"reboot", "s2", "", 150, 450, 1});
  const detect::Thresholds with = script::train(*script::record(away, "lab"));
  const detect::Thresholds without = script::train(*script::record(healthy(), "lab"));
  for (const detect::GroupThresholds& group : with.groups) {
    const detect::GroupThresholds* same = without.find(group.distance, group.metric, group.group);
    ASSERT_NE(same, nullptr);
    for (const auto& [component, threshold] : group.components) {
      EXPECT_LT(threshold, 3 * same->others + 1) << group.metric << " of " << component;
    }
  }
}

TEST(Trainer, SaysUnderWhichConstantsAndFromWhen) {
  const auto recording = script::record(healthy(), "lab");
  const detect::Thresholds thresholds = script::train(*recording);
  EXPECT_EQ(thresholds.header.preset, "lab");
  EXPECT_EQ(thresholds.header.windows, recording->preset.windows);
  EXPECT_GE(thresholds.header.from, script::Simulator::start());
  EXPECT_LE(thresholds.header.to, script::Simulator::start() + std::chrono::seconds(601));
  const auto text = detect::write_thresholds(thresholds);
  ASSERT_TRUE(text.has_value());
  EXPECT_EQ(*detect::read_thresholds(*text, "t.toml"), thresholds) << "as a file too";
}

TEST(Trainer, OtherPresetsRefuseWhatItLearnt) {
  const detect::Thresholds thresholds = script::train(*script::record(healthy(), "lab"));
  detect::PlannedUse use{"quick", detect::find_preset("quick")->windows, {"cdf"}};
  const Status refused = detect::check_use(thresholds, use, "t.toml");
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message(),
              HasSubstr("t.toml: trained with the preset lab, but this run has quick"));
  use = {"lab", thresholds.header.windows, {"cdf"}};
  EXPECT_TRUE(detect::check_use(thresholds, use, "t.toml").has_value());
  use.distances = {"wasserstein"};
  EXPECT_THAT(detect::check_use(thresholds, use, "t.toml").error().message(), HasSubstr("wasserstein"));
}

TEST(Trainer, NothingComesOfARecordingShorterThanAWindow) {
  script::System brief = healthy();
  brief.length = 40;
  EXPECT_THAT(script::train(*script::record(brief, "lab")).groups, IsEmpty());
}

}  // namespace
}  // namespace laggard::engine
