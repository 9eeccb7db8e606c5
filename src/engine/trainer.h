#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "detect/peer/compare/preset.h"
#include "detect/peer/compare/thresholds.h"
#include "detect/peer/compare/training.h"
#include "detect/peer/judge/threshold_book.h"
#include "engine/pipeline.h"
#include "model/grouping.h"
#include "model/sample_table.h"

namespace laggard::engine {

struct TrainerOptions {
  detect::Preset preset;
  PipelineOptions pipeline;  ///< Its windows are taken from the preset.
  std::size_t recordings = 1;
};

/// Learns the thresholds of every track from fault-free samples, through the very pipeline that will use
/// them. A gap of 2k-1 windows separates recordings by itself: no span of the filter reaches over it.
class Trainer {
 public:
  /// `grouping` must outlive this.
  Trainer(const Grouping& grouping, TrainerOptions options);

  /// Tables in a TableReader's order.
  void add(const SampleTable& table);
  void add(std::span<const SampleTable> tables);
  /// As Pipeline::add and advance.
  void add(const EventTable& table) { pipeline_.add(table); }
  void advance(WallTime until);
  void finish();

  /// Tracks that never had a score are left out.
  [[nodiscard]] detect::Thresholds result() const;
  [[nodiscard]] std::size_t windows() const { return windows_; }

 private:
  /// Group, name of metric, regime and load, detector.
  using Key = std::tuple<std::size_t, std::string, std::string>;
  struct Track {
    detect::ThresholdTrainer trainer;
    std::size_t windows = 0;
    detect::TrainingSpec spec{};
    const MetricSpec* metric = nullptr;
    double largest = 0;
    std::string all_loads{};  ///< Name of the track that this one is a part of; empty: not by load.
  };

  void learn(std::size_t group, const detect::WindowJudgement& window);
  Track& learn_as(const std::string& name, const detect::TrainingSpec& spec, std::size_t group,
                  const detect::WindowJudgement& window, const detect::TrackJudgement& judgement);
  /// That a load's thresholds are below those of all loads: others are not used, and not worth writing.
  [[nodiscard]] bool is_lower(const Key& key, const Track& by_load) const;

  const Grouping& grouping_;
  TrainerOptions options_;
  Pipeline pipeline_;
  std::map<Key, Track> tracks_;
  std::size_t windows_ = 0;
  std::optional<WallTime> from_;
  WallTime to_;
};

/// A trainer for each length of windows: the preset's, and PipelineOptions::beside.
class Trainers {
 public:
  /// `grouping` must outlive this.
  Trainers(const Grouping& grouping, TrainerOptions options);

  void all(const std::function<void(Trainer&)>& what) { std::ranges::for_each(trainers_, what); }
  /// Of the preset.
  [[nodiscard]] std::size_t windows() const { return trainers_.front().windows(); }
  /// Of a recording that is too short for the windows of one length there is nothing beside.
  [[nodiscard]] detect::Thresholds result() const;

 private:
  std::deque<Trainer> trainers_;
};

}  // namespace laggard::engine
