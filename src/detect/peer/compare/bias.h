#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "base/time.h"

namespace laggard::detect {

/// Parameters of the bias detector; docs/methods/bias.md says where each comes from.
struct BiasOptions {
  std::size_t block_windows =
      8;                         ///< An hour at 15-s samples: bursts and autocorrelation live inside a block.
  std::size_t blocks = 24;       ///< The longest horizon; beyond it the error of S no longer matters.
  std::size_t least_blocks = 2;  ///< Before that nothing is said.
  /// A variance needs data: blocks x components. Two blocks of ten components are enough.
  std::size_t least_component_blocks = 20;
  double slow_minute = 0.05;  ///< Log ratio to the peers' median from which a minute is a slow one.
  double least_share = 0.85;  ///< So many of the minutes of a horizon are slow: "nearly every minute".
  /// What was confirmed for so many blocks at most, and has been well for as long since, was a burst; 0:
  /// nothing is.
  std::size_t burst_blocks = 2;
  double clip = 0.6931471805599453;  ///< ln 2: one window counts at most as "twice as slow".
  double inflation = 1.5;            ///< Correlation that is left between blocks.
  double least_sigma = 0.01;         ///< Keeps z finite in a group without any spread.
  double confirm_shift = 0.21;       ///< ln 1.23: this much slower and sure is a sick component.
  double confirm_z = 4;
  double suspect_shift = 0.06;  ///< A smaller shift that is even surer is worth a look, not an alarm.
  double suspect_z = 5.5;
  double over = 6.907755278982137;  ///< ln 1000: it is over when it is so much likelier than that it goes on.
  bool operator==(const BiasOptions&) const = default;
};

/// A bias needs samples that are nearly independent: it is made for production's windows, not for minutes.
inline constexpr Duration kLeastBiasInterval = std::chrono::seconds(5);

enum class BiasVerdict : std::uint8_t { kNone, kSuspected, kConfirmed };

struct Bias {
  BiasVerdict verdict = BiasVerdict::kNone;
  double shift = 0;  ///< S: mean log ratio to the peers' median; exp(S) - 1 is how much slower.
  double z = 0;      ///< S / sigma, the largest over the horizons that reached the verdict's shift.
  /// Length of the horizon in which the shift most likely began: that with the largest S sqrt(n_i).
  std::size_t windows = 0;
  /// The latest window is one of a component that is this much slower rather than of one that is not.
  bool goes_on = false;
  bool operator==(const Bias&) const = default;
};

/// Finds a component that is a little worse than its peers, but persistently so: a disk 25 % slower in nearly
/// every window, which no single window's distance shows (docs/methods/bias.md, Direction).
///
/// Per window, g_i = clip(ln(x_i / median_j x_j)), where x is the mean over the window's active samples.
/// Windows are gathered into blocks; over the trailing h blocks, S_i is the mean of g_i and
///
///   sigma_i^2 = max(inflation * v * block / n_i, q_i^2) + least_sigma^2
///
/// with v the median over components of the mean square block mean (what a healthy component does in a block,
/// made unbiased by the chi-square median's correction) and q_i^2 the mean square of the other components'
/// own S about their median, outliers beyond 3 MAD left out (a group that is naturally scattered stays
/// quiet). z_i = S_i / sigma_i counts when S_i reaches the shift, half of it is left without the component's
/// worst block (one burst must not convict), the component is slower than its peers in nearly every minute of
/// the horizon (a burst of hours must not convict either), and the difference is above the noise floor. The
/// largest z over h counts. The z that is asked for grows with the group, sqrt(z^2 + 2 ln(components / 12)):
/// among a thousand healthy ones chance reaches further than among the twelve that z was found on.
///
/// A horizon of a day remembers for a day. That a shift S is over is told by the cumulative sum of what
/// speaks against it (Page 1954, for Gaussian windows of variance s^2 = inflation * v * block):
///
///   C <- max(0, C + (S / s^2) (S / 2 - g))
///
/// From `over` on, everything that the component did before is forgotten. Windows with g below S / 2 say
/// meanwhile that it does not go on.
///
/// No training; one pass; about 2 x blocks numbers per component.
class BiasDetector {
 public:
  explicit BiasDetector(std::size_t components, BiasOptions options = {});

  /// One window's means, NaN where a component was idle or missing for more than half of it.
  /// \param slow  per component, the share of the window's minutes in which it was slow; NaN where it has no
  ///              minute. Empty: minutes are not known, and nobody asks for them.
  /// \param noise_floor  in the unit of the means.
  /// Fewer than three valid components: the window is not counted and nothing is said.
  std::span<const Bias> add(std::span<const double> means, std::span<const double> slow, double noise_floor);

  /// What was seen of the component so far no longer counts.
  void repaired(std::size_t component);

  /// What the latest window that was added led to.
  [[nodiscard]] std::span<const Bias> verdicts() const { return verdicts_; }

  /// Its state (base/state_codec.h), for one of the same options and components.
  template <class State, class Self>
  static void exchange(State& state, Self& self);
  bool operator==(const BiasDetector&) const = default;

 private:
  struct Block {
    std::vector<double> sum;
    std::vector<double> slow;  ///< Sum of the shares of slow minutes.
    std::vector<std::uint16_t> count;
    template <class State, class Self>
    static void exchange(State& state, Self& self, std::size_t components);
    bool operator==(const Block&) const = default;
  };
  /// Sums over the horizon that is being looked at, growing block by block into the past.
  struct Horizon;
  struct Scatter;

  void begin_block();
  [[nodiscard]] double block_variance() const;
  [[nodiscard]] bool worth_a_look() const;
  void judge(double variance);
  void look_for_ends(std::span<const double> latest, double variance);
  void judge_horizon(const Horizon& horizon, double variance);
  void judge_component(std::size_t i, const Horizon& horizon, double shift, double variance);
  [[nodiscard]] double error_of(double windows, double variance) const;

  std::size_t components_;
  BiasOptions options_;
  std::deque<Block> blocks_;
  Block current_;
  std::size_t windows_in_current_ = 0;
  double level_ = 0;  ///< The peers' median in the latest window.
  double noise_floor_ = 0;
  std::vector<Bias> verdicts_;
  /// Per component, the largest S sqrt(n) among the horizons of its verdict, ...
  std::vector<double> begun_;
  std::vector<double> begun_shift_;  ///< ... and the S of that horizon.
  std::vector<double> against_;      ///< C: what speaks against each verdict.
};

}  // namespace laggard::detect
