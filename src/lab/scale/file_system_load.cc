#include "lab/scale/file_system_load.h"

#include <algorithm>
#include <cmath>

namespace laggard::lab::scale {

namespace {

constexpr double kJobsPerDay = 200;
constexpr double kQuietReads = 0.08;  ///< Requests per second and LUN when no job is doing anything.
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

}  // namespace laggard::lab::scale
