#pragma once

#include <cstdint>
#include <string_view>

#include "lab/sim/event_queue.h"

namespace laggard::lab {

/// A stream of random numbers: xoshiro256++ (Blackman & Vigna 2019), seeded by SplitMix64. The distributions
/// of <random> are not used because they differ between standard libraries.
///
/// Every part of a simulation has its own stream, forked by name, so that a part that draws more or fewer
/// numbers does not affect the others: runs with and without a fault see the same hardware and the same
/// workload.
class Random {
 public:
  explicit Random(std::uint64_t seed);

  /// A stream that depends on this one's seed and on the name alone.
  [[nodiscard]] Random fork(std::string_view name, std::uint64_t index = 0) const;

  std::uint64_t bits();
  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// Uniform in 0 .. n-1. Requires n > 0.
  std::uint64_t below(std::uint64_t n) {
    return static_cast<std::uint64_t>(uniform() * static_cast<double>(n));
  }
  bool chance(double p) { return p > 0 && uniform() < p; }
  /// Standard normal (Box and Muller).
  double normal();
  /// Exponential with mean 1.
  double exponential();
  /// Sum of n exponentials of mean 1 (Erlang); beyond 16 by its normal limit, at least 0.
  double exponentials(std::uint64_t n);
  /// Events of a Poisson process with this mean; beyond 40 by its normal limit, at least 0.
  std::uint64_t poisson(double mean);
  /// Successes among n trials of probability p; skips from success to success in O(n p).
  std::uint32_t binomial(std::uint32_t n, double p);

 private:
  std::uint64_t seed_;
  std::uint64_t state_[4]{};
};

/// A rate that wanders about its mean: a log-normal factor whose logarithm is an Ornstein-Uhlenbeck process,
/// exp(spread x(t)) with x normal and corr(x(t), x(t + d)) = exp(-d / memory).
class Wander {
 public:
  /// \param spread  of the logarithm; with 0 the factor is 1 and nothing is drawn.
  Wander(double spread, double memory_seconds) : spread_(spread), memory_seconds_(memory_seconds) {}

  [[nodiscard]] double factor(SimTime now, Random& random);

 private:
  double spread_;
  double memory_seconds_;
  double state_ = 0;
  SimTime until_{};
};

}  // namespace laggard::lab
