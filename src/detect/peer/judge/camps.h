#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace laggard::detect {

/// What makes two camps of a group. **Ours**, reasoned and not fitted to recordings with a fault; fault-free
/// ones were looked at.
struct CampLimits {
  /// Of the members are in the smaller camp at least; fewer have a majority before them.
  double smaller = 0.4;
  double factor = 2;  ///< The lowest of the higher camp is at so many times the highest of the lower one, ...
  double floors = 4;  ///< ... and by so many noise floors above it; ...
  double apart = 1;   ///< ... and so many times as far away as the members of one camp are from each other.
  std::size_t least = 4;  ///< Members with a level.
};

/// One window of a group that is in two camps.
struct Split {
  std::vector<std::uint8_t> higher;  ///< By a 1 each.
  double higher_level = 0;           ///< Median of its members.
  double lower_level = 0;
};

/// The widest gap between the members' levels x makes the camps, on the scale log(x + floor). Nothing when it
/// is no such gap, or when a member has no level: who is missing could be of either camp. \param floor  above
/// 0, in the unit of the levels.
[[nodiscard]] std::optional<Split> split_in_two(std::span<const double> levels, double floor,
                                                const CampLimits& limits = {});

/// Follows one metric of a group through its windows: camps are those that stay the same for `least` windows,
/// with pauses of fewer than that.
class CampFollower {
 public:
  struct Found {
    std::int64_t from = 0;  ///< Index of the first window ...
    std::int64_t to = 0;    ///< ... and of the last.
    std::int64_t windows = 0;
    std::vector<std::uint8_t> higher;
    double higher_sum = 0;  ///< Of the windows' levels.
    double lower_sum = 0;

    template <class State, class Self>
    static void exchange(State& state, Self& self) {
      state(self.from, self.to, self.windows, self.higher, self.higher_sum, self.lower_sum);
    }
  };
  static constexpr std::size_t kMost = 16;  ///< Of those that are over; the oldest are dropped.

  explicit CampFollower(std::size_t least = 1) : least_(static_cast<std::int64_t>(least)) {}

  /// Windows in order. \param split  nothing: no camps in this one.
  void add(std::int64_t index, const std::optional<Split>& split);
  /// Those that lasted, the present one last.
  [[nodiscard]] std::vector<Found> found() const;

  /// The state (base/state_codec.h), for one of the same `least`.
  template <class State, class Self>
  static void exchange(State& state, Self& self) {
    state(self.over_, self.now_);
    state.require(self.over_.size() <= kMost);
  }

 private:
  void end();

  std::int64_t least_;
  std::vector<Found> over_;
  Found now_;  ///< Without windows: none.
};

}  // namespace laggard::detect
