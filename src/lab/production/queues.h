#pragma once

#include <cstddef>
#include <vector>

#include "lab/production/incident.h"
#include "lab/production/site.h"
#include "lab/sim/random.h"

namespace laggard::lab::production {

/// Work that waits at the things of one stage, second by second:
///
///     V' = max(0, V + W - c)
///
/// with W the work that arrives in that second, exponential about the load of applications, and c the share
/// of a second that the thing works. The load of each thing has a mean of its own, wanders, and now and then
/// a job leaves seconds of work at once. What an incident adds holds back as it waits (jobs are closed
/// loops): its load is divided by 1 + V / 4 s, so that V settles and does not grow without bound.
class StageQueues {
 public:
  /// \param load  mean share of its time that a thing works, before it is drawn.
  StageQueues(std::size_t count, double load, const SiteParameters& parameters, Random random);

  /// One second.
  void step();

  [[nodiscard]] double waiting(std::size_t thing) const { return waiting_[thing]; }
  [[nodiscard]] double load(std::size_t thing) const { return load_[thing]; }

  /// What a thing did over the seconds since `begin_minute`, in the mean.
  struct Minute {
    double worked = 0;   ///< Share of its time at full speed.
    double waiting = 0;  ///< V, in seconds.
  };
  [[nodiscard]] Minute minute(std::size_t thing) const;
  void begin_minute();

  /// What incidents do to it now.
  struct Strain {
    double load = 0;
    double capacity = 1;
  };
  void strain(std::size_t thing, const Strain& strain) { strain_[thing] = strain; }
  void relax() { strain_.assign(strain_.size(), {}); }

 private:
  void wander(std::size_t thing);

  const SiteParameters& parameters_;
  Random random_;
  std::vector<double> mean_;
  std::vector<double> wandered_;  ///< Of the logarithm.
  std::vector<double> load_;
  std::vector<double> waiting_;  ///< V, in seconds.
  std::vector<Strain> strain_;
  std::vector<Minute> sums_;  ///< Over the seconds of the minute.
  std::size_t second_ = 0;
  double seconds_ = 0;  ///< Of the minute.
};

}  // namespace laggard::lab::production
