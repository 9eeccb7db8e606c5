#include "lab/scale/requests.h"

#include <algorithm>
#include <cmath>

namespace laggard::lab::scale {

namespace {

constexpr double kReadMs = 9;
constexpr double kWriteMs = 3;
constexpr double kParallel = 4;
constexpr double kMostRho = 3;
constexpr double kScatter = 0.8;

double scattered(Random& random, double mean_ms, std::uint64_t n) {
  const auto count = static_cast<double>(n);
  return count * mean_ms * std::exp(kScatter / std::sqrt(count) * random.normal());
}

double hits(Random& random, std::uint64_t n, const Slowness& slow) {
  if (slow.hit_fraction <= 0 || n == 0) return 0;
  const std::uint32_t hit = random.binomial(static_cast<std::uint32_t>(n), slow.hit_fraction);
  return sum_of_exponentials(random, hit, slow.hit_ms);
}

}  // namespace

std::uint64_t poisson(Random& random, double mean) {
  constexpr double kNormal = 40;
  if (mean <= 0) return 0;
  if (mean > kNormal) {
    return static_cast<std::uint64_t>(std::max(0.0, std::round(mean + std::sqrt(mean) * random.normal())));
  }
  // Inversion by multiplying uniforms (Knuth).
  const double limit = std::exp(-mean);
  std::uint64_t n = 0;
  for (double product = random.uniform(); product > limit; product *= random.uniform()) ++n;
  return n;
}

double sum_of_exponentials(Random& random, std::uint64_t n, double mean) {
  constexpr std::uint64_t kNormal = 16;
  if (n > kNormal) {
    const auto count = static_cast<double>(n);
    return mean * std::max(0.0, count + std::sqrt(count) * random.normal());
  }
  double sum = 0;
  for (std::uint64_t i = 0; i < n; ++i) sum += random.exponential();
  return mean * sum;
}

Work serve(Random& random, const Requests& requests, const Slowness& slow, double factor,
           double interval_ms) {
  Work work;
  work.reads = requests.reads;
  work.writes = requests.writes;
  work.read_sectors = requests.read_sectors;
  work.write_sectors = requests.write_sectors;
  const double read_ms = kReadMs * slow.read_factor;
  const double write_ms = kWriteMs * slow.write_factor;
  const double offered =
      static_cast<double>(requests.reads) * read_ms + static_cast<double>(requests.writes) * write_ms;
  const double queueing = factor * (1 + 2 * std::min(offered / (interval_ms * kParallel), kMostRho));
  if (work.reads > 0) {
    work.read_ms =
        scattered(random, read_ms * queueing + slow.added_ms, work.reads) + hits(random, work.reads, slow);
  }
  if (work.writes > 0) {
    work.write_ms =
        scattered(random, write_ms * queueing + slow.added_ms, work.writes) + hits(random, work.writes, slow);
  }
  return work;
}

void add_fixed(Random& random, Work& work, const Requests& requests, double wait_ms) {
  work.reads += requests.reads;
  work.writes += requests.writes;
  work.read_sectors += requests.read_sectors;
  work.write_sectors += requests.write_sectors;
  if (requests.reads > 0) work.read_ms += scattered(random, wait_ms, requests.reads);
  if (requests.writes > 0) work.write_ms += scattered(random, wait_ms, requests.writes);
}

void settle(Random& random, Work& work, double interval_ms) {
  const double waited = work.read_ms + work.write_ms;
  if (waited <= 0) return;
  // Busy at a random moment with the probability that Poisson arrivals leave somebody there.
  work.busy_ms = std::min(waited, interval_ms * (1 - std::exp(-waited / interval_ms)));
  work.in_flight = static_cast<std::uint64_t>(waited / interval_ms + random.uniform());
}

}  // namespace laggard::lab::scale
