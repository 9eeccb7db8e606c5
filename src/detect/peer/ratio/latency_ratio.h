#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/workers.h"
#include "detect/peer/judge/judged_run.h"
#include "detect/peer/judge/parameters.h"
#include "model/cell_series.h"
#include "model/grid.h"
#include "model/grouping.h"
#include "model/metric.h"

namespace laggard::detect {

/// The windows of the ratio detector in cells: each covers `size` of them, and one ends at every multiple of
/// `shift` since the epoch.
struct ShortWindows {
  std::int64_t size = 8;
  std::int64_t shift = 4;
};

/// Two halves of at least RatioOptions::seconds together, and of at least `least_cells`.
[[nodiscard]] ShortWindows short_windows(const RatioOptions& options, Duration cell);

/// Finds members whose latency is a multiple of their peers' for a few seconds (docs/methods/ratio.md): a
/// look beside the preset's windows that is coarse and fast. It sees the cells before they are smoothed and
/// says which members were slow in which window; RatioFollower makes findings of that.
///
/// A member's latency is the mean over the cells in which it had any, at least half of the window. Those who
/// have one are *active*, and a window says nothing unless most of the group is. Its peers' latency is the
/// lower median of the active, at least the noise floor, so that up to half of them may be slow at once. A
/// member is suspected above `least_ratio` times that, and slow when it is also
///   apart     above `least_gap` times the slowest active member that is not suspected,
///   steady    above half of `least_ratio` times its peers' latency in three quarters of the cells,
///   busy      with `least_requests` in the window, as its middle peer, where requests are recorded; or it is
///             stalled throughout,
///   slower    itself, not only waited for: `least_slowdown` times as busy as its peers, over all or per
///             request, where requests are recorded; a stall needs no more proof;
///   unlike its server's other attachments too, where it has double peer groups.
/// When half of the active are suspected there are two camps, and nobody is called slow.
class LatencyRatios final : public CellObserver {
 public:
  /// `grouping` and `workers` outlive this. \param grid  of the cells.
  LatencyRatios(const Grouping& grouping, const Parameters& parameters, Grid grid, Workers* workers);

  void observe(std::size_t group, const MetricSpec& metric, const CellRuns::Run& run,
               std::span<const double> rows) override;
  void end_run(const CellRuns::Run& run) override;

  /// Adds who was slow in windows that end within the run, which the pipeline has just handed out.
  void attach(JudgedRun& judged) const;

 private:
  enum Channel : std::size_t { kLatency, kRequests, kBusy, kRead, kWritten };
  static constexpr std::size_t kChannels = 5;

  struct Group {
    const MetricSpec* latency = nullptr;
    double floor = 0;
    std::array<std::span<const double>, kChannels> now;  ///< Rows of the run.
    std::array<std::vector<double>, kChannels> before;   ///< Rows of the cells before it, from `kept_` on.
    std::vector<SlowMember> found;                       ///< In the run.
  };
  /// What the members of a group did in one window.
  struct Window {
    std::vector<double> latency;  ///< NaN of those that are not active.
    std::vector<double> count;    ///< Cells with a latency.
    std::size_t active = 0;
    double peers = 0;    ///< Lower median of the active, at least the noise floor.
    double slowest = 0;  ///< Of the active that are not suspected; at least `peers`.
    std::vector<std::size_t> suspects;
  };

  [[nodiscard]] bool watches() const { return !groups_.empty(); }
  [[nodiscard]] std::size_t members(std::size_t group) const;
  [[nodiscard]] std::span<const double> row(std::size_t group, Channel channel, std::int64_t cell) const;
  [[nodiscard]] bool has(std::size_t group, Channel channel) const;
  [[nodiscard]] double least_latency(std::size_t group) const;
  void look(std::size_t group);
  void judge(std::size_t group, std::int64_t last, Window& window);
  [[nodiscard]] bool average(std::size_t group, std::int64_t last, Window& window) const;
  [[nodiscard]] bool compare(std::size_t group, std::int64_t last, Window& window) const;
  [[nodiscard]] bool is_steady(std::size_t group, std::int64_t last, std::size_t member, double least) const;
  [[nodiscard]] bool is_slow_beside_second(std::size_t group, std::int64_t last, std::size_t member) const;
  [[nodiscard]] std::vector<std::uint8_t> busy_enough(std::size_t group, std::int64_t last,
                                                      const Window& window) const;
  [[nodiscard]] std::vector<double> sums(std::size_t group, Channel channel, std::int64_t last) const;
  void add_moved(std::size_t group, std::span<SlowMember> found) const;
  void keep_rows();

  const Grouping& grouping_;
  RatioOptions options_;
  double stall_ms_;
  Grid grid_;
  ShortWindows windows_;
  Workers* workers_;
  std::vector<Group> groups_;  ///< As in `grouping_`; none when nobody looks.
  CellRuns::Run run_;
  std::int64_t first_ = 0;  ///< From this cell on all are known without a gap.
  std::int64_t kept_ = 0;   ///< The first cell of Group::before.
};

}  // namespace laggard::detect
