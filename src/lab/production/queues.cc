#include "lab/production/queues.h"

#include <algorithm>
#include <cmath>

namespace laggard::lab::production {

namespace {

/// Seconds of waiting at which those who wait ask for half as much.
constexpr double kHoldsBack = 4;
/// No application keeps anything this busy in the mean without it being an incident.
constexpr double kMostLoad = 0.2;

}  // namespace

StageQueues::StageQueues(std::size_t count, double load, const SiteParameters& parameters, Random random)
    : parameters_(parameters),
      random_(random),
      mean_(count),
      wandered_(count),
      load_(count),
      waiting_(count),
      strain_(count),
      sums_(count) {
  for (double& mean : mean_) {
    mean = std::min(load * std::exp(parameters_.load_spread * random_.normal()), kMostLoad);
  }
  for (std::size_t i = 0; i < count; ++i) {
    wandered_[i] = random_.normal();
    wander(i);
  }
}

/// The load of a thing has wandered for a minute.
void StageQueues::wander(std::size_t thing) {
  const double kept = std::exp(-1 / parameters_.wander_minutes);
  double& state = wandered_[thing];
  state = kept * state + std::sqrt(1 - kept * kept) * random_.normal();
  load_[thing] = std::min(mean_[thing] * std::exp(parameters_.wander_spread * state), kMostLoad);
  if (random_.chance(parameters_.bursts_per_hour / 60)) {
    waiting_[thing] += parameters_.burst_seconds * random_.exponential();
  }
}

void StageQueues::step() {
  constexpr std::size_t kPace = 60;  // Each wanders once a minute.
  for (std::size_t i = second_++ % kPace; i < waiting_.size(); i += kPace) wander(i);
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    const Strain& strain = strain_[i];
    const double asked = load_[i] + strain.load / (1 + waiting_[i] / kHoldsBack);
    const double there = waiting_[i] + asked * random_.exponential();
    waiting_[i] = std::max(0.0, there - strain.capacity);
    sums_[i].worked += there - waiting_[i];
    sums_[i].waiting += waiting_[i];
  }
  ++seconds_;
}

StageQueues::Minute StageQueues::minute(std::size_t thing) const {
  const double seconds = std::max(seconds_, 1.0);
  return {sums_[thing].worked / seconds, sums_[thing].waiting / seconds};
}

void StageQueues::begin_minute() {
  sums_.assign(sums_.size(), {});
  seconds_ = 0;
}

}  // namespace laggard::lab::production
