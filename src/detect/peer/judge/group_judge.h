#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "detect/peer/compare/comparer.h"
#include "detect/peer/compare/group_stream.h"
#include "detect/peer/compare/window.h"
#include "detect/peer/judge/latency_history.h"
#include "detect/peer/judge/parameters.h"
#include "detect/peer/judge/service_times.h"
#include "model/metric.h"

namespace laggard::detect {

/// One metric of the group in one window, as one distance sees it. Vectors are per member.
struct TrackJudgement {
  const MetricSpec* metric = nullptr;
  std::string detector;  ///< Name of the distance; `cwnd` for congestion windows.
  Regime regime = Regime::kAny;
  double floor = 0;  ///< Noise floor in force, in the metric's unit.
  Scale scale;       ///< What the distance is measured in, in this window.
  std::vector<double>
      distance;  ///< s of docs/methods/peer.md; 0 in the direction that is not sick; NaN: not judged.
  /// s of the members that lie below their peers, sick or not, 0 of the others. Empty: the metric has no two
  /// sides.
  std::vector<double> below;
};

/// Everything that one window says about a group.
struct WindowJudgement {
  WallTime start;
  WallTime end;
  std::int64_t index = 0;
  /// Start on a clock, in grid cells, that stands still where nothing was recorded: two windows are
  /// neighbours on it when nothing is known of the time between them. Set by the pipeline.
  std::int64_t position = 0;
  std::vector<TrackJudgement> tracks;
  /// Mean of each member's present samples, per metric of the group's specs; NaN without any.
  std::vector<std::vector<double>> levels;
  /// Mean of each member's samples that are above zero, before smoothing, in the group's latency metric: NaN
  /// where fewer than half of the window's samples are. Empty when the group has no such metric.
  std::vector<double> active_latency;
  /// Of the minutes in which three members and more have such samples: the share in which the member's mean
  /// was BiasOptions::slow_minute above the median, NaN of who has none. Empty where samples are closer than
  /// kLeastBiasInterval, too.
  std::vector<double> slow_minutes;
  std::size_t latency_column = 0;
  double latency_floor = 0;  ///< Noise floor of that metric, for the kind of device.
  /// The members complete so few requests (Parameters::idle_requests, in the middle) that their latencies say
  /// nothing. False where requests are not recorded.
  bool idle = false;
  /// Members without any activity, zero or missing, while at least half of the others work.
  std::vector<std::uint8_t> absent;
};

struct JudgeOptions {
  WindowSpec windows;
  std::vector<Distance> distances{Distance::kCdf};
  bool flash = false;  ///< The group's devices do not rotate.
  Parameters parameters;
  std::vector<std::vector<TrainedMember>> trained{};  ///< Per column, in service times; or empty.
};

/// The windows of a metric: those of the preset, but for congestion windows, whose average is longer, and
/// service times that are judged second by second, which are not averaged.
[[nodiscard]] WindowSpec windows_of(const MetricSpec& metric, WindowSpec windows,
                                    const Parameters& parameters);

/// One metric's window while a group is judged; short holes are filled.
struct HeldWindow {
  bool here = false;
  Window window;  ///< Over `memory`.
  WindowMemory memory;
};

/// What judging a window takes in memory and leaves nothing in: for groups of the same distances and
/// parameters that are never judged at the same time. Large systems have thousands of groups, and few are
/// judged at once.
struct JudgeMemory {
  JudgeMemory(std::span<const Distance> distances, const Parameters& parameters);

  std::vector<WindowMemory> windows;          ///< Per column.
  std::vector<std::vector<HeldWindow>> held;  ///< Whose memory serves the next ones.
  SortedWindow sorted;
  CompareOptions compare;  ///< But for the noise floor, which every window has its own of.
  std::vector<std::unique_ptr<Comparer>> comparers;  ///< One for each of the distances.
  ScaleMaker scales;
  std::vector<double> row;
};

/// Compares the members of one peer group in all their metrics, window by window.
///
/// Holes of samples lost one or two at a time are filled with the value before (at the window's start, the
/// one after): a lone lost sample is the recorder's trouble, not the device's. Longer holes stay missing.
class GroupJudge {
 public:
  using Sink = std::function<void(WindowJudgement&)>;

  /// A metric of the group's device kind; one that is not judged only helps (it tells reads from writes, or
  /// busy from idle).
  struct Column {
    const MetricSpec* metric = nullptr;
    bool judged = true;
    /// Its levels are logarithms, as MetricSpec::log_unit says; see is_compared_by_factors.
    bool by_factors = metric != nullptr && metric->log_unit > 0;
  };
  /// \param columns  in the order in which `push` gets them
  GroupJudge(std::vector<Column> columns, std::size_t members, JudgeOptions options);

  /// One grid cell: `cells[i]` holds the members' values of column i, NaN where missing.
  void push(WallTime t, std::span<const std::span<const double>> cells, JudgeMemory& memory,
            const Sink& sink);

  /// Members, by a 1 each, whose samples are kept from this judge; empty: none. They are not judged, and not
  /// absent either.
  void leave_out(std::vector<std::uint8_t> members) { left_out_ = std::move(members); }

  /// Windows that are complete at this cell or before are not judged: another judge has them.
  void judge_after(std::int64_t cell) { judge_after_ = cell; }

  [[nodiscard]] std::size_t members() const { return members_; }
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }
  /// Numbers in memory between cells, for tests.
  [[nodiscard]] std::size_t held() const;

 private:
  /// Medians over the members of a window's levels.
  struct Medians {
    std::vector<double> column;
    double storage = 0;  ///< Of reads and writes together; NaN where they are not both there.
    double network = 0;
  };
  /// The windows of all columns that begin at an index; empty between two cells.
  using Ready = std::map<std::int64_t, std::vector<HeldWindow>>;

  void hold(std::size_t column, HeldWindow& held, const Window& window, WindowMemory& memory) const;
  [[nodiscard]] std::span<const double> compared(const MetricSpec& metric, std::span<const double> column,
                                                 JudgeMemory& memory) const;
  void add_latency(std::size_t column);
  void judge(std::int64_t index, const std::vector<HeldWindow>& held, JudgeMemory& memory, const Sink& sink);
  void judge_column(std::size_t column, const HeldWindow& held, JudgeMemory& memory, WindowJudgement& out);
  void judge_against_median(std::size_t column, const HeldWindow& held, WindowJudgement& out);
  void judge_deviations(std::size_t column, const HeldWindow& held, WindowJudgement& out) const;
  void leave_several_out(std::size_t column, const WindowJudgement& out, SortedWindow& sorted) const;
  void find_activity(const WindowJudgement& out);
  void find_absent(WindowJudgement& out) const;
  void hide_left_out(WindowJudgement& out) const;
  void find_active_latency(WindowJudgement& out) const;
  [[nodiscard]] double least_floor(const MetricSpec& metric) const;
  [[nodiscard]] double floor_of(std::size_t column) const;
  [[nodiscard]] Regime regime() const;
  void find_medians(const WindowJudgement& out);
  [[nodiscard]] std::optional<std::size_t> column_of(Quantity quantity) const;
  /// Of a column's levels; NaN without that column.
  [[nodiscard]] double median_level(Quantity quantity) const;

  std::vector<Column> columns_;
  std::size_t members_;
  JudgeOptions options_;
  std::vector<GroupStream> streams_;
  Medians medians_;  ///< Of the window that is being judged.
  /// Of each member in that window, in noise floors of its throughput; empty where no throughput is known.
  std::vector<double> activity_;
  std::vector<std::uint8_t> left_out_;
  std::int64_t judge_after_ = std::numeric_limits<std::int64_t>::min();
  std::vector<LatencyHistory> latencies_;  ///< Of all requests, then of reads; of what is judged.
};

}  // namespace laggard::detect
