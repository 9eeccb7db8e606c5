#include "lab/scale/load.h"

#include <algorithm>
#include <cmath>

namespace laggard::lab::scale {

namespace {

constexpr double kJobsPerDay = 200;
constexpr double kQuietReads = 0.08;  ///< Requests per second and LUN when no job is active.
constexpr double kQuietWrites = 0.12;
constexpr double kMedianRate = 1.5;  ///< Requests per second and LUN of a job's I/O.
constexpr double kMostRate = 25;

}  // namespace

FileSystemLoad::FileSystemLoad(const ScaleSpec& spec, std::size_t pool)
    : interval_(static_cast<double>(spec.interval)),
      reads_(spec.samples(), kQuietReads),
      writes_(spec.samples(), kQuietWrites) {
  Random random = Random(spec.seed).fork("load", pool);
  const auto jobs = static_cast<std::size_t>(std::ceil(kJobsPerDay * spec.days()));
  for (std::size_t job = 0; job < jobs; ++job) add_job(spec, random);
}

void FileSystemLoad::add_job(const ScaleSpec& spec, Random& random) {
  const double start = random.uniform(0, static_cast<double>(spec.duration));
  const double stop = start + std::clamp(480 * std::exp(1.1 * random.normal()), 30.0, 4 * 3600.0);
  const double rate = std::min(kMedianRate * std::exp(random.normal()), kMostRate);
  const double what = random.uniform();
  if (what < 0.4) {
    add(reads_, rate, start, stop);
    return;
  }
  // Checkpoints; every sixth job reads in between.
  const double period = random.uniform(120, 900);
  const double burst = random.uniform(20, 120);
  for (double at = start; at < stop; at += period) add(writes_, 2 * rate, at, std::min(at + burst, stop));
  if (what > 0.9) add(reads_, 0.5 * rate, start, stop);
}

void FileSystemLoad::add(std::vector<double>& series, double rate, double from, double to) const {
  // Sample i ends the interval ((i-1) dt, i dt].
  const auto first = static_cast<std::size_t>(from / interval_) + 1;
  for (std::size_t i = first; i < series.size(); ++i) {
    const double end = static_cast<double>(i) * interval_;
    const double overlap = std::min(end, to) - std::max(end - interval_, from);
    if (overlap <= 0) return;
    series[i] += rate * overlap / interval_;
  }
}

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
  if (slow.hit_fraction <= 0) return 0;
  const std::uint32_t hit = random.binomial(static_cast<std::uint32_t>(n), slow.hit_fraction);
  return slow.hit_ms * random.exponentials(hit);
}

/// Summed over `n` requests. 0 without any, and nothing is drawn.
double waits(Random& random, double mean_ms, std::uint64_t n, const Slowness& slow) {
  if (n == 0) return 0;
  const double usual = scattered(random, mean_ms + slow.added_ms, n);
  return usual + hits(random, n, slow);  // drawn in this order
}

}  // namespace

void serve(Random& random, Work& work, const Requests& requests, const Service& service) {
  const Slowness& slow = service.slow;
  const double read_ms = kReadMs * slow.read_factor;
  const double write_ms = kWriteMs * slow.write_factor;
  const double offered =
      static_cast<double>(requests.reads) * read_ms + static_cast<double>(requests.writes) * write_ms;
  const double rho = std::min(offered / (service.interval_ms * kParallel), kMostRho);
  const double queueing = service.factor * (1 + 2 * rho);
  work.done += requests;
  work.read_ms += waits(random, read_ms * queueing, requests.reads, slow);
  work.write_ms += waits(random, write_ms * queueing, requests.writes, slow);
}

void add_fixed(Random& random, Work& work, const Requests& requests, double wait_ms) {
  work.done += requests;
  work.read_ms += waits(random, wait_ms, requests.reads, {});
  work.write_ms += waits(random, wait_ms, requests.writes, {});
}

void settle(Random& random, Work& work, double interval_ms) {
  const double waited = work.waited_ms();
  if (waited <= 0) return;
  // With Poisson arrivals, the probability of at least one request in flight at a random moment.
  work.busy_ms = std::min(waited, interval_ms * (1 - std::exp(-waited / interval_ms)));
  work.in_flight = static_cast<std::uint64_t>(waited / interval_ms + random.uniform());
}

}  // namespace laggard::lab::scale
