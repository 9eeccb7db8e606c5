#pragma once

#include "lab/scale/effect.h"
#include "lab/scale/work.h"
#include "lab/sim/random.h"

namespace laggard::lab::scale {

/// How a LUN takes requests during an interval.
struct Service {
  Slowness slow;
  double factor = 1;  ///< How much slower than others it is by nature.
  double interval_ms = 0;
};

/// Adds `requests` on a LUN during an interval, with their waits, to an attachment's work.
///
/// A read waits 9 ms, a write 3 ms (the controllers' cache takes it), times the LUN's own factor, longer
/// with the load: times 1 + 2 rho, where rho is the share of the time for which a quarter of the spindles
/// would be busy, at most 3. The mean of n requests scatters by a log-normal factor of sigma 0.8 / sqrt(n).
/// What is sick comes on top as `service.slow` says.
void serve(Random& random, Work& work, const Requests& requests, const Service& service);

/// Adds requests that each wait about `wait_ms`, whatever else goes on.
void add_fixed(Random& random, Work& work, const Requests& requests, double wait_ms);

/// Fills in what follows from the waits: busy time, and what is found in flight at the end.
void settle(Random& random, Work& work, double interval_ms);

}  // namespace laggard::lab::scale
