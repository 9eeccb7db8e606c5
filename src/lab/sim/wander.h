#pragma once

#include "lab/sim/event_queue.h"
#include "lab/sim/random.h"

namespace laggard::lab {

/// How fast something goes just now against its mean: a log-normal factor whose logarithm is an
/// Ornstein-Uhlenbeck process, exp(spread x(t)) with x normal and corr(x(t), x(t + d)) = exp(-d / memory).
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
