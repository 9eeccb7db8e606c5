#include "detect/peer/compare/training.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <map>
#include <random>

#include "detect/peer/compare/definition.h"
#include "testing/property.h"

namespace laggard::detect {
namespace {

/// Window -> score of one component.
using ScoresByWindow = std::map<std::int64_t, double>;

/// Is the component ever faulty (or, unfiltered, ever anomalous) at this threshold?
bool ever_flagged(const std::vector<ScoresByWindow>& recordings, const TrainingSpec& spec, double threshold) {
  const std::size_t k = spec.form == TrainingForm::kFiltered ? spec.k : 1;
  for (const ScoresByWindow& recording : recordings) {
    const auto shown = static_cast<std::size_t>(std::count_if(
        recording.begin(), recording.end(), [](const auto& w) { return !std::isnan(w.second); }));
    for (const auto& [window, score] : recording) {
      if (shown < spec.k && score > threshold) return true;
      std::size_t anomalous = 0;
      for (std::int64_t w = window - 2 * static_cast<std::int64_t>(k) + 2; w <= window; ++w) {
        const auto found = recording.find(w);
        anomalous += found != recording.end() && found->second > threshold ? 1U : 0U;
      }
      if (anomalous >= k) return true;
    }
  }
  return false;
}

/// F §10.1: from 0.1 upwards in steps of 0.1 until nothing is left.
double search(const std::vector<ScoresByWindow>& recordings, const TrainingSpec& spec) {
  int g = 1;
  while (ever_flagged(recordings, spec, g / 10.0)) ++g;
  return spec.factor * (g / 10.0);
}

ScoresByWindow draw_recording(std::mt19937_64& random) {
  ScoresByWindow recording;
  auto window = static_cast<std::int64_t>(random() % 100) - 50;
  const std::size_t windows = random() % 4 == 0 ? random() % 4 : random() % 40;
  const double silence = random() % 5 == 0 ? 0.9 : 0.1;
  for (std::size_t w = 0; w < windows; ++w) {
    window += random() % 10 == 0 ? static_cast<std::int64_t>(1 + random() % 20) : 1;
    const bool silent = static_cast<double>(random() % 1000) < 1000 * silence;
    // Sixtieths and tenths, so that scores fall on the grid itself.
    recording[window] =
        silent ? kMissing : static_cast<double>(random() % 300) / (random() % 2 == 0 ? 60 : 10);
  }
  return recording;
}

/// Gives the trainer what a comparer may give it: any number up to the floor for what need not be exact.
void train_on(ThresholdTrainer& trainer, const ScoresByWindow& recording) {
  for (const auto& [window, score] : recording) {
    const double floor = trainer.floors()[0];
    trainer.add(window, std::vector<double>{score <= floor ? score + (floor - score) * 0.5 : score});
  }
  trainer.end_recording();
}

TEST(Training, ClosedFormIsTheSearch) {
  expect_property("both forms, several recordings, gaps", [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (int repeat = 0; repeat < 20; ++repeat) {
      const TrainingSpec spec{.form = random() % 2 == 0 ? TrainingForm::kFiltered : TrainingForm::kSingle,
                              .k = 1 + random() % 4,
                              .step = 0.1,
                              .factor = random() % 2 == 0 ? 2.0 : 1.0};
      ThresholdTrainer trainer(spec, 1);
      std::vector<ScoresByWindow> recordings(1 + random() % 4);
      bool any = false;
      for (ScoresByWindow& recording : recordings) {
        recording = draw_recording(random);
        train_on(trainer, recording);
        any = any || std::any_of(recording.begin(), recording.end(),
                                 [](const auto& window) { return !std::isnan(window.second); });
      }
      const TrainedGroup group = trainer.result();
      RC_ASSERT((group.trained[0] != 0) == any);
      if (any) RC_ASSERT(group.thresholds[0] == search(recordings, spec));
    }
  });
}

TEST(Training, TheUntrainedGetTheGroupsMaximum) {
  ThresholdTrainer trainer({}, 3);
  for (int w = 0; w < 6; ++w) trainer.add(w, std::vector<double>{1.0, kMissing, 2.31});
  trainer.end_recording();
  const TrainedGroup group = trainer.result();
  EXPECT_EQ(group.thresholds, (std::vector<double>{2.0, 4.8, 4.8}));
  EXPECT_EQ(group.trained, (std::vector<std::uint8_t>{1, 0, 1}));
  EXPECT_EQ(group.largest, 4.8);
}

TEST(Training, ADistanceWithACeilingIsDoubledHalfWayAtMost) {
  TrainingSpec spec;
  spec.ceiling = 3;
  ThresholdTrainer trainer(spec, 3);
  for (int w = 0; w < 6; ++w) trainer.add(w, std::vector<double>{0.5, 2.0, 3.0});
  trainer.end_recording();
  EXPECT_EQ(trainer.result().thresholds, (std::vector<double>{1.0, 2.5, 3.0}))
      << "who reached the ceiling when healthy can never exceed it";
}

TEST(Training, NothingLearntIsNoThreshold) {
  ThresholdTrainer trainer({}, 2);
  trainer.end_recording();
  EXPECT_TRUE(std::isnan(trainer.result().largest));
  EXPECT_TRUE(std::isnan(trainer.result().thresholds[0]));
}

/// Two bad windows at the end of one recording and one at the start of the next are no three of five.
TEST(Training, SpansDoNotCrossRecordings) {
  ThresholdTrainer trainer({}, 1);
  for (int w = 0; w < 8; ++w) trainer.add(w, std::vector<double>{w >= 6 ? 9.0 : 0.0});
  trainer.end_recording();
  for (int w = 8; w < 16; ++w) trainer.add(w, std::vector<double>{w == 8 ? 9.0 : 0.0});
  trainer.end_recording();
  EXPECT_EQ(trainer.result().thresholds[0], 0.2);
}

TEST(Training, GridIsDecimal) {
  EXPECT_EQ(grid_value(3, 0.1), 0.3);
  EXPECT_EQ(grid_value(24, 0.1), 2.4);
  EXPECT_EQ(grid_value(3, 0.3), 3 * 0.3);
  EXPECT_EQ(round_up_to_grid(0, 0.1), 0.1);
  EXPECT_EQ(round_up_to_grid(1.1, 0.1), 1.1);
  EXPECT_EQ(round_up_to_grid(std::nextafter(1.1, 2), 0.1), 1.2);
  EXPECT_EQ(round_up_to_grid(1e300, 0.1), 1e300);
}

/// Trained on a recording, a detector is silent on it, and would not be one step lower.
TEST(Training, LearnsFromWindows) {
  std::mt19937_64 random(3);
  constexpr std::size_t kGroup = 40;
  constexpr std::size_t kSize = 30;
  const auto comparer = make_comparer(Distance::kCdf, {});
  ThresholdTrainer trainer({.form = TrainingForm::kSingle, .factor = 1}, kGroup);
  std::vector<std::vector<double>> columns;
  SortedWindow sorted;
  const auto at = [&columns](std::int64_t w) {
    return Window{.start = {},
                  .interval = std::chrono::seconds(1),
                  .index = w,
                  .components = kGroup,
                  .size = kSize,
                  .values = columns[static_cast<std::size_t>(w)]};
  };
  for (std::int64_t w = 0; w < 30; ++w) {
    columns.push_back(definition::columns_of(definition::draw_samples(random, kGroup, kSize)));
    sorted.assign(at(w));
    learn(trainer, *comparer, sorted);
  }
  trainer.end_recording();
  const TrainedGroup group = trainer.result();
  std::vector<double> largest(kGroup, 0.0);
  std::vector<double> s(kGroup);
  for (std::int64_t w = 0; w < 30; ++w) {
    sorted.assign(at(w));
    comparer->load(sorted);
    comparer->scores(s);
    for (std::size_t i = 0; i < kGroup; ++i) {
      if (sorted.present(i) > 0) largest[i] = std::max(largest[i], s[i]);
    }
  }
  for (std::size_t i = 0; i < kGroup; ++i) EXPECT_EQ(group.thresholds[i], round_up_to_grid(largest[i], 0.1));
}

}  // namespace
}  // namespace laggard::detect
