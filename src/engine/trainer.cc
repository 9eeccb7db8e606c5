#include "engine/trainer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "detect/peer/judge/levels.h"
#include "detect/peer/judge/track_training.h"

namespace laggard::engine {

namespace {

PipelineOptions with_windows(PipelineOptions options, const detect::WindowSpec& windows) {
  options.windows = windows;
  return options;
}

}  // namespace

Trainer::Trainer(const Grouping& grouping, TrainerOptions options)
    : grouping_(grouping),
      options_(std::move(options)),
      pipeline_(grouping, with_windows(options_.pipeline, options_.preset.windows)) {}

void Trainer::learn(std::size_t group, const detect::WindowJudgement& window) {
  ++windows_;
  from_ = std::min(from_.value_or(window.start), window.start);
  to_ = std::max(to_, window.end);
  const std::optional<detect::Load> load = detect::load_of(window, pipeline_.columns(group));
  for (const detect::TrackJudgement& judgement : window.tracks) {
    const MetricSpec& metric = *judgement.metric;
    const std::string name = detect::track_name(metric, judgement.regime);
    const auto spec = [&](bool by_load) {
      return detect::training_spec(options_.preset, options_.pipeline.parameters.policies, metric,
                                   judgement.detector, by_load);
    };
    learn_as(name, spec(false), group, window, judgement);
    if (judgement.regime == detect::Regime::kAny || !load) continue;
    learn_as(detect::track_name(metric, judgement.regime, load), spec(true), group, window, judgement)
        .all_loads = name;
  }
}

Trainer::Track& Trainer::learn_as(const std::string& name, const detect::TrainingSpec& spec,
                                  std::size_t group, const detect::WindowJudgement& window,
                                  const detect::TrackJudgement& judgement) {
  const std::size_t members = grouping_.groups[group].members.size();
  const Key key{group, name, judgement.detector};
  Track& track = tracks_.try_emplace(key, Track{detect::ThresholdTrainer(spec, members)}).first->second;
  ++track.windows;
  track.trainer.add(window.index, detect::shown_distances(pipeline_.columns(group), window, judgement));
  track.spec = spec;
  track.metric = judgement.metric;
  return track;
}

bool Trainer::is_lower(const Key& key, const Track& by_load) const {
  const Key all{std::get<0>(key), by_load.all_loads, std::get<2>(key)};
  return by_load.trainer.result().largest < tracks_.at(all).trainer.result().largest;
}

void Trainer::add(const SampleTable& table) { add(std::span(&table, 1)); }

void Trainer::add(std::span<const SampleTable> tables) {
  pipeline_.add(tables,
                [this](std::size_t group, const detect::WindowJudgement& window) { learn(group, window); });
}

void Trainer::advance(WallTime until) {
  pipeline_.advance(
      until, [this](std::size_t group, const detect::WindowJudgement& window) { learn(group, window); });
}

void Trainer::finish() {
  pipeline_.finish(
      [this](std::size_t group, const detect::WindowJudgement& window) { learn(group, window); });
  for (auto& [key, track] : tracks_) {
    const auto floors = track.trainer.floors();
    track.trainer.end_recording();
    track.largest = floors.empty() ? 0 : *std::max_element(floors.begin(), floors.end());
  }
}

detect::Thresholds Trainer::result() const {
  detect::Thresholds thresholds;
  thresholds.header.preset = options_.preset.name;
  thresholds.header.windows = options_.preset.windows;
  thresholds.header.form = options_.preset.form;
  thresholds.header.factor = options_.preset.factor;
  thresholds.header.from = from_.value_or(WallTime{});
  thresholds.header.to = to_;
  thresholds.header.recordings = options_.recordings;
  const double overlap =
      static_cast<double>(options_.preset.windows.shift) / static_cast<double>(options_.preset.windows.size);
  const detect::Policies& policies = options_.pipeline.parameters.policies;
  for (const auto& [key, track] : tracks_) {
    const detect::TrainedGroup trained = track.trainer.result();
    if (std::isnan(trained.largest)) continue;
    if (!track.all_loads.empty() && !is_lower(key, track)) continue;
    const PeerGroup& group = grouping_.groups[std::get<0>(key)];
    detect::GroupThresholds& out = thresholds.groups.emplace_back();
    out.group = group.name;
    out.metric = std::get<1>(key);
    out.distance = std::get<2>(key);
    out.windows = static_cast<double>(track.windows) * overlap;
    if (track.metric->role == Role::kCongestion) {
      out.others = detect::learnt_threshold(track.spec, policies, *track.metric, track.largest);
      continue;
    }
    out.others = trained.largest;
    const auto taught = options_.pipeline.trained_times.find({out.metric, out.group});
    if (taught != options_.pipeline.trained_times.end()) out.saturated = taught->second.saturated;
    for (std::size_t i = 0; i < group.members.size(); ++i) {
      if (trained.trained[i] != 0) out.components[grouping_[group.members[i]].name] = trained.thresholds[i];
    }
  }
  return thresholds;
}

Trainers::Trainers(const Grouping& grouping, TrainerOptions options) {
  const std::optional<BesideOptions> beside = std::exchange(options.pipeline.beside, std::nullopt);
  trainers_.emplace_back(grouping, options);
  if (!beside) return;
  options.preset = beside->preset;
  options.pipeline.parameters = beside->parameters;
  trainers_.emplace_back(grouping, std::move(options));
}

detect::Thresholds Trainers::result() const {
  detect::Thresholds thresholds = trainers_.front().result();
  if (trainers_.size() == 1) return thresholds;
  detect::Thresholds beside = trainers_.back().result();
  if (!beside.groups.empty()) thresholds.beside.push_back(std::move(beside));
  return thresholds;
}

}  // namespace laggard::engine
