#include "detect/peer/compare/bias.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/missing.h"
#include "base/state_codec.h"

namespace laggard::detect {

namespace {

constexpr double kMadToSigma = 1.4826;
constexpr double kOutlierMads = 3;
constexpr std::size_t kLeastComponents = 3;
/// The size of the groups on which the parameters were found (docs/methods/bias.md).
constexpr double kUsualComponents = 12;

/// The z that chance reaches among n as often as `z` among the usual number (Gaussian tails).
double least_z_among(double z, std::size_t n) {
  const double more = std::max(1.0, static_cast<double>(n) / kUsualComponents);
  return std::sqrt(z * z + 2 * std::log(more));
}

/// Median of the finite numbers among `x`; NaN when there is none. Even counts: the mean of the middle two.
double median_of_finite(std::span<const double> x, std::vector<double>& scratch) {
  scratch.clear();
  std::copy_if(x.begin(), x.end(), std::back_inserter(scratch), [](double v) { return std::isfinite(v); });
  if (scratch.empty()) return kMissing;
  const auto middle = scratch.begin() + static_cast<std::ptrdiff_t>(scratch.size() / 2);
  std::nth_element(scratch.begin(), middle, scratch.end());
  if (scratch.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(scratch.begin(), middle)) / 2;
}

/// A block says something about a component that was active in at least half of its windows.
bool is_valid(std::uint16_t count, const BiasOptions& options) {
  return 2 * static_cast<std::size_t>(count) >= options.block_windows;
}

}  // namespace

struct BiasDetector::Horizon {
  std::vector<double> sum;
  std::vector<double> slow;
  std::vector<double> count;
  std::vector<double> worst_mean;  ///< Mean of the component's worst block so far, its sum and count.
  std::vector<double> worst_sum;
  std::vector<double> worst_count;
  double windows = 0;

  explicit Horizon(std::size_t components)
      : sum(components),
        slow(components),
        count(components),
        worst_mean(components, -std::numeric_limits<double>::infinity()),
        worst_sum(components),
        worst_count(components) {}

  void add(const Block& block, const BiasOptions& options) {
    for (std::size_t i = 0; i < sum.size(); ++i) {
      sum[i] += block.sum[i];
      slow[i] += block.slow[i];
      count[i] += block.count[i];
      if (!is_valid(block.count[i], options) || block.sum[i] / block.count[i] <= worst_mean[i]) continue;
      worst_mean[i] = block.sum[i] / block.count[i];
      worst_sum[i] = block.sum[i];
      worst_count[i] = block.count[i];
    }
  }
};

BiasDetector::BiasDetector(std::size_t components, BiasOptions options)
    : components_(components),
      options_(options),
      verdicts_(components),
      begun_(components),
      begun_shift_(components),
      against_(components) {
  LAGGARD_CHECK(options.block_windows > 0 && options.least_blocks > 0 &&
                options.blocks >= options.least_blocks);
  begin_block();
}

void BiasDetector::begin_block() {
  current_.sum.assign(components_, 0);
  current_.slow.assign(components_, 0);
  current_.count.assign(components_, 0);
  windows_in_current_ = 0;
}

std::span<const Bias> BiasDetector::add(std::span<const double> means, std::span<const double> slow,
                                        double noise_floor) {
  LAGGARD_CHECK(means.size() == components_ && (slow.empty() || slow.size() == components_));
  std::fill(verdicts_.begin(), verdicts_.end(), Bias{});
  std::fill(begun_.begin(), begun_.end(), 0);
  std::vector<double> scratch;
  const double level = median_of_finite(means, scratch);
  if (scratch.size() < kLeastComponents || !(level > 0)) return verdicts_;
  level_ = level;
  noise_floor_ = noise_floor;
  std::vector<double> latest(components_, kMissing);
  for (std::size_t i = 0; i < components_; ++i) {
    if (!std::isfinite(means[i]) || means[i] <= 0) continue;
    latest[i] = std::clamp(std::log(means[i] / level), -options_.clip, options_.clip);
    current_.sum[i] += latest[i];
    // A window without a minute that its peers share says nothing against it.
    current_.slow[i] += slow.empty() || std::isnan(slow[i]) ? 1 : slow[i];
    ++current_.count[i];
  }
  if (++windows_in_current_ == options_.block_windows) {
    blocks_.push_back(current_);
    if (blocks_.size() > options_.blocks) blocks_.pop_front();
    begin_block();
  }
  const double variance =
      blocks_.size() >= options_.least_blocks && worth_a_look() ? block_variance() : kMissing;
  if (!std::isnan(variance)) judge(variance);
  look_for_ends(latest, variance);
  return verdicts_;
}

void BiasDetector::look_for_ends(std::span<const double> latest, double variance) {
  const double of_window = error_of(1, variance) + options_.least_sigma * options_.least_sigma;
  for (std::size_t i = 0; i < components_; ++i) {
    Bias& bias = verdicts_[i];
    if (bias.verdict == BiasVerdict::kNone) {
      against_[i] = 0;
      continue;
    }
    // A window in which it did nothing says neither.
    const double against = std::isnan(latest[i]) ? 0 : begun_shift_[i] / 2 - latest[i];
    bias.goes_on = against <= 0;
    against_[i] = std::max(0.0, against_[i] + begun_shift_[i] / of_window * against);
    if (against_[i] >= options_.over) repaired(i);
  }
}

/// Most of the time nobody is slower than the least shift over any horizon, and nothing else need be
/// computed.
bool BiasDetector::worth_a_look() const {
  for (std::size_t i = 0; i < components_; ++i) {
    double sum = current_.sum[i];
    double count = current_.count[i];
    for (std::size_t back = 1; back <= blocks_.size(); ++back) {
      const Block& block = blocks_[blocks_.size() - back];
      sum += block.sum[i];
      count += block.count[i];
      if (back >= options_.least_blocks && count > 0 && sum / count >= options_.suspect_shift) return true;
    }
  }
  return false;
}

/// v: NaN before there is enough data for one.
double BiasDetector::block_variance() const {
  std::vector<double> per_component(components_, kMissing);
  std::size_t valid_blocks = 0;
  for (std::size_t i = 0; i < components_; ++i) {
    double squares = 0;
    double n = 0;
    for (const Block& block : blocks_) {
      if (!is_valid(block.count[i], options_)) continue;
      const double mean = block.sum[i] / block.count[i];
      squares += mean * mean;
      n += 1;
    }
    if (n == 0) continue;
    valid_blocks += static_cast<std::size_t>(n);
    // The median of a chi-square variable with n degrees of freedom is about n (1 - 2/(9n))^3.
    per_component[i] = squares / n / std::pow(1 - 2 / (9 * n), 3);
  }
  if (valid_blocks < options_.least_component_blocks) return kMissing;
  std::vector<double> scratch;
  return median_of_finite(per_component, scratch);
}

void BiasDetector::judge(double variance) {
  Horizon horizon(components_);
  horizon.add(current_, options_);
  horizon.windows = static_cast<double>(windows_in_current_);
  for (std::size_t back = 1; back <= blocks_.size(); ++back) {
    horizon.add(blocks_[blocks_.size() - back], options_);
    horizon.windows += static_cast<double>(options_.block_windows);
    if (back >= options_.least_blocks) judge_horizon(horizon, variance);
  }
}

/// How far the components' own shifts lie from each other, sick ones left out.
struct BiasDetector::Scatter {
  std::vector<double> deviation;
  double limit = 0;
  double squares = 0;
  double kept = 0;

  explicit Scatter(std::span<const double> shift) : deviation(shift.size(), kMissing) {
    std::vector<double> scratch;
    const double centre = median_of_finite(shift, scratch);
    std::transform(shift.begin(), shift.end(), deviation.begin(),
                   [&](double s) { return std::abs(s - centre); });
    limit = kOutlierMads * kMadToSigma * median_of_finite(deviation, scratch);
    for (const double d : deviation) {
      if (!(d <= limit)) continue;
      squares += d * d;
      kept += 1;
    }
  }

  /// q_i^2: mean square over the others.
  [[nodiscard]] double without(std::size_t i) const {
    const bool inside = deviation[i] <= limit;
    return (squares - (inside ? deviation[i] * deviation[i] : 0)) / std::max(1.0, kept - (inside ? 1 : 0));
  }
};

void BiasDetector::judge_horizon(const Horizon& horizon, double variance) {
  std::vector<double> shift(components_, kMissing);
  for (std::size_t i = 0; i < components_; ++i) {
    if (2 * horizon.count[i] >= horizon.windows) shift[i] = horizon.sum[i] / horizon.count[i];
  }
  const Scatter scatter(shift);
  for (std::size_t i = 0; i < components_; ++i) {
    const bool below_noise = (std::exp(shift[i]) - 1) * level_ < noise_floor_;
    const bool often = horizon.slow[i] >= options_.least_share * horizon.count[i];
    if (!(shift[i] >= options_.suspect_shift) || below_noise || !often) continue;
    judge_component(i, horizon, shift[i], std::max(scatter.without(i), error_of(horizon.count[i], variance)));
  }
}

/// What sampling alone does to a mean of so many windows.
double BiasDetector::error_of(double windows, double variance) const {
  return options_.inflation * variance * static_cast<double>(options_.block_windows) / windows;
}

void BiasDetector::judge_component(std::size_t i, const Horizon& horizon, double shift, double variance) {
  const double z = shift / std::sqrt(variance + options_.least_sigma * options_.least_sigma);
  const double rest_count = horizon.count[i] - horizon.worst_count[i];
  const double rest = rest_count > 0 ? (horizon.sum[i] - horizon.worst_sum[i]) / rest_count : 0;
  const auto reaches = [&](double least_shift, double least_z) {
    return shift >= least_shift && rest >= least_shift / 2 && z >= least_z_among(least_z, components_);
  };
  BiasVerdict verdict = BiasVerdict::kNone;
  if (reaches(options_.suspect_shift, options_.suspect_z)) verdict = BiasVerdict::kSuspected;
  if (reaches(options_.confirm_shift, options_.confirm_z)) verdict = BiasVerdict::kConfirmed;
  Bias& best = verdicts_[i];
  if (verdict == BiasVerdict::kNone || verdict < best.verdict) return;
  if (verdict > best.verdict) {
    best = {verdict, shift, z, 0};
    begun_[i] = 0;
  }
  const double begun = shift * std::sqrt(horizon.count[i]);
  if (begun > begun_[i]) {
    begun_[i] = begun;
    begun_shift_[i] = shift;
    best.windows = static_cast<std::size_t>(horizon.windows);
  }
  if (z > best.z) {
    best.shift = shift;
    best.z = z;
  }
}

void BiasDetector::repaired(std::size_t component) {
  const auto forget = [component](Block& block) {
    if (component >= block.sum.size()) return;
    block.sum[component] = 0;
    block.slow[component] = 0;
    block.count[component] = 0;
  };
  for (Block& block : blocks_) forget(block);
  forget(current_);
  if (component >= verdicts_.size()) return;
  verdicts_[component] = {};
  against_[component] = 0;
}

template <class State, class Self>
void BiasDetector::Block::exchange(State& state, Self& self, std::size_t components) {
  state.numbers(self.sum, components);
  state.numbers(self.slow, components);
  state.numbers(self.count, components);
  state.require(self.sum.size() == components && self.slow.size() == components &&
                self.count.size() == components);
}

template <class State, class Self>
void BiasDetector::exchange(State& state, Self& self) {
  const BiasOptions& options = self.options_;
  std::size_t blocks = self.blocks_.size();
  state(blocks, self.windows_in_current_, self.level_, self.noise_floor_);
  state.require(blocks <= options.blocks && self.windows_in_current_ < options.block_windows);
  if constexpr (State::kRestores) self.blocks_.resize(state.ok() ? blocks : 0);
  for (auto& block : self.blocks_) Block::exchange(state, block, self.components_);
  Block::exchange(state, self.current_, self.components_);
  // Of whoever was slower when a window was added last.
  state.columns(self.verdicts_, &Bias::shift, &Bias::z, &Bias::windows);
  for (auto& bias : self.verdicts_) {
    if (bias.z != 0) state.enumerator(bias.verdict, BiasVerdict::kConfirmed);
    if (bias.z != 0) state(bias.goes_on);
  }
  for (auto* numbers : {&self.begun_, &self.begun_shift_, &self.against_}) {
    state.numbers(*numbers, self.components_);
    state.require(numbers->size() == self.components_);
  }
}
template void BiasDetector::exchange(StateWriter&, const BiasDetector&);
template void BiasDetector::exchange(StateReader&, BiasDetector&);

}  // namespace laggard::detect
