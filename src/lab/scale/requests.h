#pragma once

#include <cstdint>

#include "lab/scale/attachment_rows.h"
#include "lab/scale/effect.h"
#include "lab/sim/random.h"

namespace laggard::lab::scale {

/// Number of events of a Poisson process with this mean; beyond 40 by its normal limit.
[[nodiscard]] std::uint64_t poisson(Random& random, double mean);

/// Sum of `n` exponential waits of mean `mean`; beyond 16 by its normal limit, at least 0.
[[nodiscard]] double sum_of_exponentials(Random& random, std::uint64_t n, double mean);

/// How many requests of which size a LUN gets in an interval.
struct Requests {
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  double read_sectors = 0;
  double write_sectors = 0;
};

/// Waits of `requests` on a LUN during an interval of `interval_ms`.
///
/// A read waits 9 ms, a write 3 ms (the controllers' cache takes it), times the LUN's own `factor`, longer
/// with the load: times 1 + 2 rho, where rho is the share of the time for which a quarter of the spindles
/// would be busy, at most 3. The mean of n requests scatters by a log-normal factor of sigma 0.8 / sqrt(n).
/// What is sick comes on top as `slow` says.
[[nodiscard]] Work serve(Random& random, const Requests& requests, const Slowness& slow, double factor,
                         double interval_ms);

/// Adds requests that each wait about `wait_ms`, whatever else goes on.
void add_fixed(Random& random, Work& work, const Requests& requests, double wait_ms);

/// Fills in what follows from the waits: busy time, and what is found in flight at the end.
void settle(Random& random, Work& work, double interval_ms);

}  // namespace laggard::lab::scale
