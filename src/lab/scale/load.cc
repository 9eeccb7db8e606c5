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
constexpr double kStriped = 0.7;  ///< Of the jobs; the others have many small files.

constexpr std::uint32_t kReadSectors = 512;
constexpr std::uint32_t kWriteSectors = 1024;
constexpr std::uint32_t kBlockSectors = 8192;
constexpr std::uint32_t kFileSectors = 2048;  ///< Of a small file.

std::uint32_t sectors_each(bool write) { return write ? kWriteSectors : kReadSectors; }

}  // namespace

FileSystemLoad::FileSystemLoad(const ScaleSpec& spec, std::size_t pool) {
  Random random = Random(spec.seed).fork("load", pool);
  const auto end = static_cast<double>(spec.duration);
  phases_.push_back({.to = end, .requests_per_s = kQuietReads, .quiet = true});
  phases_.push_back({.to = end, .requests_per_s = kQuietWrites, .write = true, .quiet = true});
  const auto jobs = static_cast<std::size_t>(std::ceil(kJobsPerDay * spec.days()));
  for (std::size_t job = 0; job < jobs; ++job) add_job(spec, random);
  std::ranges::stable_sort(phases_, {}, &JobPhase::from);
}

void FileSystemLoad::add_job(const ScaleSpec& spec, Random& random) {
  const double start = random.uniform(0, static_cast<double>(spec.duration));
  const double stop = start + std::clamp(480 * std::exp(1.1 * random.normal()), 30.0, 4 * 3600.0);
  const double rate = std::min(kMedianRate * std::exp(random.normal()), kMostRate);
  const bool striped = random.chance(kStriped);
  const double what = random.uniform();
  if (what < 0.4) {
    phases_.push_back({start, stop, rate, false, striped});
    return;
  }
  // Checkpoints; every sixth job reads in between.
  const double period = random.uniform(120, 900);
  const double burst = random.uniform(20, 120);
  for (double at = start; at < stop; at += period) {
    phases_.push_back({at, std::min(at + burst, stop), 2 * rate, true, striped});
  }
  if (what > 0.9) phases_.push_back({start, stop, 0.5 * rate, false, striped});
}

ArrayLoad::ArrayLoad(const ScaleSpec& spec, const std::vector<FileSystemLoad>& loads, std::size_t array)
    : loads_(loads),
      random_(Random(spec.seed).fork("array-load", array)),
      turns_(spec.site.luns_per_array()),
      first_phase_(loads.size()) {
  for (std::size_t lun = 0; lun < turns_.size(); ++lun) {
    sets_.push_back(&spec.site.sets[spec.site.set_of(lun)]);
    turns_[lun] = random_.uniform();
  }
}

void ArrayLoad::begin(double from, double to) {
  from_ = from;
  to_ = to;
  drawn_.clear();
}

void ArrayLoad::draw_jobs() {
  for (std::size_t pool = 0; pool < loads_.size(); ++pool) {
    const std::vector<JobPhase>& phases = loads_[pool].phases();
    std::size_t& first = first_phase_[pool];
    while (first < phases.size() && phases[first].to <= from_) ++first;
    for (std::size_t i = first; i < phases.size() && phases[i].from < to_; ++i) {
      if (phases[i].to <= from_) continue;
      for (std::size_t lun = 0; lun < turns_.size(); ++lun) {
        if (sets_[lun]->pool == pool) draw_phase(phases[i], i, lun);
      }
    }
  }
}

void ArrayLoad::draw_phase(const JobPhase& phase, std::size_t index, std::size_t lun) {
  const LunSet& set = *sets_[lun];
  const double rate = phase.requests_per_s * (phase.write ? set.write_weight : set.read_weight);
  LunRequests one{.lun = lun,
                  .write = phase.write,
                  .sectors_each = sectors_each(phase.write),
                  .position = {},
                  .server = {}};
  const double begin = std::max(from_, phase.from);
  const double end = std::min(to_, phase.to);
  if (!phase.striped) {
    // When nothing happens, what is asked for are single requests.
    one.requests = phase.quiet ? 1 : kFileSectors / one.sectors_each;
    draw_any_time(one, rate / one.requests, begin, end);
    return;
  }
  one.requests = kBlockSectors / one.sectors_each;
  const double period = one.requests / rate;
  // Another turn for each job, whose files begin anywhere: multiples of the golden ratio are spread evenly.
  const double turn = std::fmod(turns_[lun] + 0.618033988749895 * static_cast<double>(index), 1.0);
  const double skipped = std::max(0.0, std::ceil((begin - phase.from) / period - turn));
  for (double at = phase.from + (skipped + turn) * period; at < end; at += period) {
    one.at = from_seconds(std::clamp(at + random_.uniform(-0.25, 0.25) * period, begin, end));
    drawn_.push_back(one);
  }
}

void ArrayLoad::draw_any_time(const LunRequests& one, double accesses_per_s, double from, double to) {
  if (accesses_per_s <= 0) return;
  LunRequests next = one;
  double at = from + random_.exponential() / accesses_per_s;
  for (; at < to; at += random_.exponential() / accesses_per_s) {
    next.at = from_seconds(at);
    drawn_.push_back(next);
  }
}

void ArrayLoad::draw(const RequestRate& rate, std::size_t lun) {
  for (const bool write : {false, true}) {
    draw_any_time(
        {.lun = lun, .write = write, .sectors_each = sectors_each(write), .position = {}, .server = {}},
        write ? rate.writes_per_s : rate.reads_per_s, from_, to_);
  }
}

void ArrayLoad::draw(const SmallRequests& small, std::size_t lun, std::optional<std::size_t> server) {
  for (const bool write : {false, true}) {
    draw_any_time({.lun = lun,
                   .write = write,
                   .cached = small.cached,
                   .sectors_each = static_cast<std::uint32_t>(std::lround(small.sectors)),
                   .retry = small.retry,
                   .position = {},
                   .server = server},
                  write ? small.rate.writes_per_s : small.rate.reads_per_s, from_, to_);
  }
}

}  // namespace laggard::lab::scale
