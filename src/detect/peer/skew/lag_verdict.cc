#include "detect/peer/skew/lag_verdict.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

namespace laggard::detect {

namespace {

/// Fewer blocks say nothing about how much blocks differ.
constexpr std::size_t kLeastBlocks = 8;
/// So often a stretch is cut in two, and its parts again.
constexpr int kMostCuts = 3;

class Judge {
 public:
  Judge(const LagBlocks& blocks, const ClockOptions& options) : blocks_(blocks), options_(options) {}

  [[nodiscard]] std::vector<LagStretch> stretches(std::size_t begin, std::size_t end, int cuts) const {
    const auto cut = cuts > 0 ? best_cut(begin, end) : std::nullopt;
    if (cut) {
      const auto before = estimate(begin, *cut);
      const auto after = estimate(*cut, end);
      if (before && after && std::abs(before->lag - after->lag) >= options_.least) {
        return both(begin, *cut, end, cuts - 1);
      }
    }
    if (const auto whole = estimate(begin, end)) return {*whole};
    if (cut) return both(begin, *cut, end, cuts - 1);
    return {};
  }

 private:
  [[nodiscard]] std::vector<LagStretch> both(std::size_t begin, std::size_t cut, std::size_t end,
                                             int cuts) const {
    std::vector<LagStretch> all = stretches(begin, cut, cuts);
    const std::vector<LagStretch> after = stretches(cut, end, cuts);
    all.insert(all.end(), after.begin(), after.end());
    return all;
  }

  /// How far to either side there are cells enough.
  [[nodiscard]] std::int64_t reach(std::size_t begin, std::size_t end) const {
    const auto cells = static_cast<std::int64_t>(end - begin) * blocks_.block_cells;
    return std::min(blocks_.reach, cells / 4);
  }

  [[nodiscard]] std::vector<std::int64_t> sums(std::size_t begin, std::size_t end) const {
    std::vector<std::int64_t> sums(static_cast<std::size_t>(2 * blocks_.reach + 1), 0);
    for (std::size_t b = begin; b < end; ++b) {
      for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += blocks_.products[b * sums.size() + k];
    }
    return sums;
  }

  /// Where the best lag before and the best lag after add up to the most.
  [[nodiscard]] std::optional<std::size_t> best_cut(std::size_t begin, std::size_t end) const {
    if (end < begin + 2 * kLeastBlocks) return std::nullopt;
    std::vector<std::int64_t> after = sums(begin, end);
    std::vector<std::int64_t> before(after.size(), 0);
    std::optional<std::size_t> best;
    std::int64_t most = std::numeric_limits<std::int64_t>::min();
    for (std::size_t cut = begin + 1; cut + kLeastBlocks <= end; ++cut) {
      const std::int32_t* products = blocks_.products.data() + (cut - 1) * before.size();
      for (std::size_t k = 0; k < before.size(); ++k) {
        before[k] += products[k];
        after[k] -= products[k];
      }
      if (cut < begin + kLeastBlocks) continue;
      const std::int64_t both = *std::ranges::max_element(before) + *std::ranges::max_element(after);
      if (both <= most) continue;
      most = both;
      best = cut;
    }
    return best;
  }

  /// By how many standard errors lag `peak` fits better than lag `other`.
  [[nodiscard]] double better_by(std::size_t begin, std::size_t end, std::int64_t peak,
                                 std::int64_t other) const {
    const auto n = static_cast<double>(end - begin);
    double sum = 0;
    double squares = 0;
    for (std::size_t b = begin; b < end; ++b) {
      const double difference =
          static_cast<double>(blocks_.product(b, peak)) - static_cast<double>(blocks_.product(b, other));
      sum += difference;
      squares += difference * difference;
    }
    // Of whole numbers: exact.
    const double spread = (squares - sum * sum / n) / (n - 1);
    if (spread <= 0) return sum > 0 ? std::numeric_limits<double>::infinity() : 0;
    return normal_deviate(sum / std::sqrt(n * spread), n - 1);
  }

  [[nodiscard]] std::optional<LagStretch> estimate(std::size_t begin, std::size_t end) const {
    if (end < begin + kLeastBlocks) return std::nullopt;
    const std::int64_t reach = this->reach(begin, end);
    const std::vector<std::int64_t> sum = sums(begin, end);
    const auto at = [&](std::int64_t lag) { return sum[static_cast<std::size_t>(blocks_.reach - lag)]; };
    std::int64_t peak = 0;
    for (std::int64_t lag = -reach; lag <= reach; ++lag) {
      if (at(lag) > at(peak)) peak = lag;
    }
    if (at(peak) <= 0) return std::nullopt;
    LagStretch stretch{begin, end, peak, peak, peak, 0, 0, std::numeric_limits<double>::infinity()};
    std::int64_t kept = 0;
    for (std::int64_t lag = -reach; lag <= reach; ++lag) {
      const double sigmas = lag == peak ? 0 : better_by(begin, end, peak, lag);
      if (std::abs(lag) < options_.least) stretch.sigmas = std::min(stretch.sigmas, sigmas);
      if (sigmas >= options_.sigmas) continue;
      ++kept;
      stretch.low = std::min(stretch.low, lag);
      stretch.high = std::max(stretch.high, lag);
    }
    const bool together = kept == stretch.high - stretch.low + 1;
    const bool inside = stretch.low > -reach && stretch.high < reach;
    if (!together || !inside || 4 * kept > 2 * reach + 1) return std::nullopt;
    std::int64_t own = 0;
    std::int64_t others = 0;
    for (std::size_t b = begin; b < end; ++b) {
      own += blocks_.own[b];
      others += blocks_.others[b];
    }
    const double scale = std::sqrt(static_cast<double>(own) * static_cast<double>(others));
    stretch.correlation = static_cast<double>(at(peak)) / scale;
    stretch.unmoved = static_cast<double>(at(0)) / scale;
    return stretch;
  }

  const LagBlocks& blocks_;
  const ClockOptions& options_;
};

}  // namespace

double normal_deviate(double t, double freedom) {
  const double size = std::sqrt(freedom * std::log1p(t * t / freedom));
  return std::copysign(size * (8 * freedom + 1) / (8 * freedom + 3), t);
}

std::vector<LagStretch> judge_lags(const LagBlocks& blocks, const ClockOptions& options) {
  return Judge(blocks, options).stretches(0, blocks.count, kMostCuts);
}

}  // namespace laggard::detect
