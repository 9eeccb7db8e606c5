#include "detect/peer/judge/score_history.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace laggard::detect {

namespace {

void raise(float& kept, float score) {
  if (!std::isnan(score) && (std::isnan(kept) || score > kept)) kept = score;
}

}  // namespace

ScoreHistory::ScoreHistory(std::size_t members, Duration window_step)
    : members_(members), step_(window_step) {}

void ScoreHistory::add(WallTime start, std::span<const double> scores) {
  const WallTime cell = floor_to(start, step_);
  if (columns_.empty() || columns_.back().start < cell) {
    if (columns_.size() == kMostColumns) {
      halve();
      add(start, scores);
      return;
    }
    columns_.push_back({cell, std::vector<float>(members_, std::numeric_limits<float>::quiet_NaN())});
  }
  for (std::size_t i = 0; i < members_; ++i) raise(columns_.back().scores[i], static_cast<float>(scores[i]));
}

void ScoreHistory::halve() {
  step_ *= 2;
  std::vector<Column> merged;
  for (Column& column : columns_) {
    const WallTime cell = floor_to(column.start, step_);
    if (merged.empty() || merged.back().start < cell) {
      merged.push_back({cell, std::move(column.scores)});
      continue;
    }
    for (std::size_t i = 0; i < members_; ++i) raise(merged.back().scores[i], column.scores[i]);
  }
  columns_ = std::move(merged);
}

ScoreMap ScoreHistory::to_map(std::string group, std::vector<std::string> components) const {
  ScoreMap map;
  map.group = std::move(group);
  map.components = std::move(components);
  map.window_length = step_;
  map.scores.resize(members_);
  for (const Column& column : columns_) {
    map.windows.push_back(column.start);
    for (std::size_t i = 0; i < members_; ++i) map.scores[i].push_back(column.scores[i]);
  }
  return map;
}

}  // namespace laggard::detect
