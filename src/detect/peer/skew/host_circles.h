#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "detect/peer/judge/judged_run.h"
#include "detect/peer/judge/parameters.h"
#include "model/grouping.h"
#include "model/metric.h"

namespace laggard::detect {

/// Hosts that serve the same load: a *circle* are those that peer groups of disks or of interfaces connect.
/// Groups that exist only as second ones, and those whose members all stand behind a better attachment, do
/// not count: there is next to no load in them.
struct HostCircles {
  /// Where the numbers of a group's members go.
  struct Place {
    std::size_t circle = 0;
    std::vector<std::size_t> hosts;  ///< Per member, in the circle.
  };
  std::vector<std::vector<std::string>> circles;  ///< Hosts in natural order; 3 to 2048 each.
  std::vector<std::optional<Place>> places;       ///< Per group.

  /// A row of loads: circle by circle, channel by channel, a number per host.
  [[nodiscard]] std::size_t row() const;
  [[nodiscard]] std::size_t row_of(std::size_t circle) const;  ///< How many of them are the circle's.
  [[nodiscard]] std::size_t first_of(std::size_t circle) const;
};

[[nodiscard]] HostCircles make_circles(const Grouping& grouping);

/// Kinds of traffic that are told apart; of a metric that is none of them, nothing. Packets and requests come
/// with the bytes and tell nothing beside them.
inline constexpr std::size_t kLoadChannels = 5;
[[nodiscard]] std::optional<std::size_t> load_channel(const MetricSpec& metric);

/// What hosts moved, cell by cell: per host and kind of traffic the sum over all its members of the circle's
/// groups, of those that are known; NaN where none is.
class HostLoads final : public CellObserver {
 public:
  /// Gets a row (HostCircles::row) per cell of the run.
  using Sink = std::function<void(const CellRuns::Run& run, std::span<const double> loads)>;

  /// `circles` outlives this.
  HostLoads(const HostCircles& circles, Sink sink) : circles_(circles), sink_(std::move(sink)) {}

  void observe(std::size_t group, const MetricSpec& metric, const CellRuns::Run& run,
               std::span<const double> rows) override;
  void end_run(const CellRuns::Run& run) override;

 private:
  void begin_run(const CellRuns::Run& run);

  const HostCircles& circles_;
  Sink sink_;
  bool begun_ = false;
  std::vector<double> loads_;
};

/// Looks on while a part is judged (Part), so that with the windows of a run comes what clocks are told by:
/// whoever hears of a recording run by run watches the clocks too.
class RunLoads {
 public:
  RunLoads(const Grouping& grouping, const ClockOptions& options);
  RunLoads(const RunLoads&) = delete;
  RunLoads& operator=(const RunLoads&) = delete;

  /// Numbers per cell; 0: nobody looks at clocks.
  [[nodiscard]] static std::size_t row(const Grouping& grouping, const ClockOptions& options);

  /// For the pipeline; null when nobody looks at clocks.
  [[nodiscard]] CellObserver* observer() { return watched_ ? &loads_ : nullptr; }

  /// Adds the loads of its cells to a run that the pipeline has just handed out.
  void attach(JudgedRun& judged) const;

 private:
  bool watched_;
  HostCircles circles_;
  HostLoads loads_;
  CellRuns::Run run_;  ///< That was seen last, and its rows.
  std::vector<double> rows_;
};

}  // namespace laggard::detect
