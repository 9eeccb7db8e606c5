#include "detect/peer/judge/latency_history.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/missing.h"
#include "stats/missing_values.h"

namespace laggard::detect {

namespace {

constexpr std::size_t kLeastTogether = 3;

/// A minute of a group's latencies.
class Minute {
 public:
  explicit Minute(std::size_t members) : sum_(members, 0), weight_(members, 0) {}

  void add(std::size_t member, double value, double weight) {
    sum_[member] += weight * value;
    weight_[member] += weight;
  }
  /// Adds who was there, and who was slow, and begins the next one.
  void end(double slow, std::span<double> minutes, std::span<double> slow_minutes) {
    stats::divide_by(sum_, weight_);
    present_.clear();
    std::ranges::copy_if(sum_, std::back_inserter(present_), [](double mean) { return !std::isnan(mean); });
    if (present_.size() >= kLeastTogether) {
      const double limit = std::exp(slow) * stats::median_of(present_);
      for (std::size_t i = 0; i < sum_.size(); ++i) {
        minutes[i] += std::isnan(sum_[i]) ? 0 : 1;
        slow_minutes[i] += sum_[i] > limit ? 1 : 0;
      }
    }
    std::ranges::fill(sum_, 0);
    std::ranges::fill(weight_, 0);
  }

 private:
  std::vector<double> sum_;
  std::vector<double> weight_;
  std::vector<double> present_;
};

}  // namespace

std::size_t LatencyHistory::held() const {
  std::size_t numbers = 0;
  for (const Cell& cell : cells_) numbers += cell.values.size();
  return numbers;
}

void LatencyHistory::push(WallTime t, std::span<const std::span<const double>> columns) {
  const std::span<const double> values = columns[column_];
  Cell& now = cells_.emplace_back();
  now.time = t;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(values[i] > 0)) continue;
    const double weight = weighed_by_ ? columns[*weighed_by_][i] : 1;
    if (!(weight > 0)) continue;
    now.members.push_back(static_cast<std::uint32_t>(i));
    now.values.push_back(values[i]);
    if (weighed_by_) now.weights.push_back(weight);
  }
  now.members.shrink_to_fit();
  now.values.shrink_to_fit();
  now.weights.shrink_to_fit();
  if (cells_.size() > most_cells_) cells_.pop_front();
}

std::vector<double> LatencyHistory::means(WallTime start, WallTime end, std::size_t members,
                                          std::size_t least) const {
  std::vector<double> sum(members, 0);
  std::vector<double> weight(members, 0);
  std::vector<std::size_t> count(members, 0);
  for (const Cell& cell : cells_) {
    if (cell.time < start || cell.time >= end) continue;
    for (std::size_t at = 0; at < cell.members.size(); ++at) {
      const std::uint32_t i = cell.members[at];
      sum[i] += cell.weight(at) * cell.values[at];
      weight[i] += cell.weight(at);
      ++count[i];
    }
  }
  for (std::size_t i = 0; i < members; ++i) sum[i] = count[i] >= least ? sum[i] / weight[i] : kMissing;
  return sum;
}

std::vector<double> LatencyHistory::slow_minutes(WallTime start, WallTime end, std::size_t members,
                                                 Duration length, double slow) const {
  std::vector<double> minutes(members, 0);
  std::vector<double> slow_ones(members, 0);
  Minute minute(members);
  std::optional<WallTime> now;
  for (const Cell& cell : cells_) {
    if (cell.time < start || cell.time >= end || cell.members.empty()) continue;
    const WallTime of = floor_to(cell.time, length);
    if (now && of != *now) minute.end(slow, minutes, slow_ones);
    now = of;
    for (std::size_t at = 0; at < cell.members.size(); ++at) {
      minute.add(cell.members[at], cell.values[at], cell.weight(at));
    }
  }
  if (now) minute.end(slow, minutes, slow_ones);
  stats::divide_by(slow_ones, minutes);
  return slow_ones;
}

}  // namespace laggard::detect
