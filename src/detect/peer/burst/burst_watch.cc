#include "detect/peer/burst/burst_watch.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/clones.h"
#include "base/missing.h"
#include "stats/missing_values.h"

namespace laggard::detect {

namespace {

/// Of two there is no telling who is off.
constexpr std::size_t kLeastMembers = 3;
constexpr Duration kLongestCell = std::chrono::seconds(5);

LAGGARD_CLONES bool any_reaches(const double* x, double least, std::size_t n) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; ++i) count += x[i] >= least ? 1U : 0U;
  return count > 0;
}

/// The member with the largest value in a row, and the largest of the others.
struct Largest {
  std::size_t member = 0;
  double value = kMissing;
  double next = 0;
};
Largest largest_of(std::span<const double> row) {
  Largest largest;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (std::isnan(row[i])) continue;
    if (!(largest.value >= row[i])) {
      if (!std::isnan(largest.value)) largest.next = std::max(largest.next, largest.value);
      largest.member = i;
      largest.value = row[i];
    } else {
      largest.next = std::max(largest.next, row[i]);
    }
  }
  return largest;
}

std::size_t present_in(std::span<const double> row) {
  return static_cast<std::size_t>(std::ranges::count_if(row, [](double x) { return !std::isnan(x); }));
}

}  // namespace

BurstWatch::BurstWatch(const Grouping& grouping, const BurstOptions& options, Grid grid, Workers* workers)
    : grouping_(grouping), options_(options), workers_(workers) {
  if (options.least_bursts > 0 && grid.step <= kLongestCell) groups_.resize(grouping.groups.size());
}

void BurstWatch::observe(std::size_t group, const MetricSpec& metric, const CellRuns::Run& /*run*/,
                         std::span<const double> rows) {
  const bool looked_at = !groups_.empty() && !grouping_.groups[group].second_only && metric.least_burst > 0;
  if (!looked_at || grouping_.groups[group].members.size() < kLeastMembers) return;
  std::vector<Track>& tracks = groups_[group].tracks;
  const auto known = std::ranges::find(tracks, &metric, &Track::metric);
  Track& track = known != tracks.end() ? *known : tracks.emplace_back();
  track.metric = &metric;
  track.now = rows;
}

void BurstWatch::end_run(const CellRuns::Run& run) {
  if (run.begin != run_.end) {
    for (Group& group : groups_) {
      for (Track& track : group.tracks) track.before.clear();
    }
  }
  run_ = run;
  run_all(workers_, groups_.size(), [this](std::size_t g) { look(g); });
}

void BurstWatch::look(std::size_t group) {
  Group& mine = groups_[group];
  mine.found.clear();
  const std::size_t members = grouping_.groups[group].members.size();
  for (Track& track : mine.tracks) {
    look_at(group, track, mine.found);
    keep_rows(track, members);
  }
  std::ranges::stable_sort(mine.found, {}, &SlowMember::cell);
}

void BurstWatch::look_at(std::size_t group, const Track& track, std::vector<SlowMember>& found) const {
  const std::size_t n = grouping_.groups[group].members.size();
  const double least = track.metric->least_burst;
  for (std::size_t row = 0; row * n < track.now.size(); ++row) {
    const std::span<const double> values = track.now.subspan(row * n, n);
    if (!any_reaches(values.data(), least, n) || 2 * present_in(values) < n) continue;
    const Largest largest = largest_of(values);
    if (!(largest.value >= options_.least_ratio * largest.next)) continue;
    const double calm = calm_level(track, n, row, largest.member);
    if (!(largest.value >= options_.least_ratio * calm)) continue;
    found.push_back({.group = group,
                     .member = largest.member,
                     .cell = run_.begin + static_cast<std::int64_t>(row),
                     .metric = track.metric,
                     .latency = largest.value,
                     .peers = stats::MedianOfOthers(values).without(largest.value),
                     .ratio = options_.least_ratio});
  }
}

/// The member's median over the cells before; missing where too few of them are known.
double BurstWatch::calm_level(const Track& track, std::size_t members, std::size_t row,
                              std::size_t member) const {
  const std::size_t before = track.before.size() / members;
  const std::size_t have = std::min(options_.calm, before + row);
  std::vector<double> values;
  for (std::size_t back = 1; back <= have; ++back) {
    const double x = back <= row ? track.now[(row - back) * members + member]
                                 : track.before[(before + row - back) * members + member];
    if (!std::isnan(x)) values.push_back(x);
  }
  return 2 * values.size() >= options_.calm ? stats::median_of(values) : kMissing;
}

void BurstWatch::keep_rows(Track& track, std::size_t members) const {
  const std::size_t most = options_.calm * members;
  track.before.insert(track.before.end(), track.now.begin(), track.now.end());
  if (track.before.size() > most) {
    track.before.erase(track.before.begin(), track.before.end() - static_cast<std::ptrdiff_t>(most));
  }
  track.now = {};
}

void BurstWatch::attach(JudgedRun& judged) const {
  for (const Group& group : groups_) {
    std::ranges::copy_if(group.found, std::back_inserter(judged.bursts), [&](const SlowMember& burst) {
      return burst.cell >= judged.run.begin && burst.cell < judged.run.end;
    });
  }
  std::ranges::stable_sort(judged.bursts, {}, &SlowMember::cell);
}

}  // namespace laggard::detect
