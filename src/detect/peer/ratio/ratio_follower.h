#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "detect/peer/judge/judged_run.h"
#include "detect/peer/ratio/latency_ratio.h"
#include "model/decision.h"
#include "model/finding.h"
#include "model/grid.h"
#include "model/grouping.h"

namespace laggard::detect {

inline constexpr std::string_view kRatioDetector = "ratio";

/// Makes findings of what LatencyRatios saw, window by window. A member is found when it was slow in k of the
/// past 2k-1 windows, and what follows within the pause that the preset's own findings bridge is the same
/// finding. It is suspected and never confirmed: that takes the preset's windows, whose findings about the
/// component join it to one incident. So it adds neither persistence nor growth, and its strength stays at
/// what no other incident can explain: it speaks for itself, and outweighs nobody.
class RatioFollower {
 public:
  struct Options {
    ShortWindows windows{};
    std::size_t k = 3;
    std::int64_t pause = 0;  ///< In cells.
    double most_strength = 2;
    /// The preset's thresholds were: what joins its findings does not change on what they rest.
    bool trained = false;
    Grid grid{};
  };
  /// `grouping` and `interventions` outlive this.
  RatioFollower(const Grouping& grouping, const Interventions& interventions, const Options& options)
      : grouping_(grouping), interventions_(interventions), options_(options) {}

  /// In the order of cells. \param position  of the window's first cell (GapClock).
  /// \return whether a finding was opened, or went on after a pause.
  bool add(const SlowMember& slow, std::int64_t position);

  [[nodiscard]] const ShortWindows& windows() const { return options_.windows; }
  [[nodiscard]] std::size_t size() const { return findings_.size(); }
  /// \param now  position of the newest cell: a finding is open while its last slow window is no more than
  /// 2k-1 windows ago.
  [[nodiscard]] std::vector<Finding> findings(std::int64_t now) const;
  /// Drops those that are over for good. \param keep  per finding, not 0: stays.
  void forget(std::span<const std::uint8_t> keep);

  template <class State, class Self>
  static void exchange(State& state, Self& self);

 private:
  struct Seen {
    SlowMember slow;
    std::int64_t position = 0;
  };
  /// A finding, and the sums of which its evidence and facts are means.
  struct Found {
    std::size_t group = 0;
    std::size_t member = 0;
    const MetricSpec* metric = nullptr;
    Finding finding;
    std::vector<double> best;  ///< The k largest scores.
    double windows = 0;
    double latency = 0;
    double peers = 0;
    double moved = 0;
    double moved_by_peers = 0;
    double moved_scatter = 0;
  };
  struct Track {
    std::vector<Seen> recent;           ///< Slow windows among the past 2k-1.
    std::optional<std::size_t> latest;  ///< Finding.
  };

  template <class State, class One>
  static void exchange_seen(State& state, One& seen);
  template <class State, class Self, class One>
  static void exchange_found(State& state, Self& self, One& found);
  template <class State, class Self>
  static void exchange_tracks(State& state, Self& self);
  [[nodiscard]] bool has(std::size_t group, std::size_t member) const;
  [[nodiscard]] Found found(std::size_t group, std::size_t member, const MetricSpec& metric) const;
  [[nodiscard]] std::int64_t reach() const;
  [[nodiscard]] WallTime start(const SlowMember& slow) const;
  void open(Track& track);
  void extend(Found& found, const Seen& seen) const;

  const Grouping& grouping_;
  const Interventions& interventions_;
  Options options_;
  std::map<std::pair<std::size_t, std::size_t>, Track> tracks_;  ///< By group and member.
  std::vector<Found> findings_;
};

}  // namespace laggard::detect
