#include "lab/sim/wander.h"

#include <cmath>

namespace laggard::lab {

double Wander::factor(SimTime now, Random& random) {
  if (spread_ <= 0) return 1;
  const double memory = std::exp(-to_seconds(now - until_) / memory_seconds_);
  state_ = memory * state_ + std::sqrt(1 - memory * memory) * random.normal();
  until_ = now;
  return std::exp(spread_ * state_);
}

}  // namespace laggard::lab
