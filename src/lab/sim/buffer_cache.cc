#include "lab/sim/buffer_cache.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace laggard::lab {

namespace {

constexpr std::int64_t kLargestRequest = 512 << 10;
constexpr std::size_t kMostRequests = 128;

std::int64_t share_of(std::int64_t memory, double ratio) {
  return static_cast<std::int64_t>(ratio * static_cast<double>(memory));
}

/// As get_dirty_limits() has it: a background threshold that is not below the other one is half of that.
double background_ratio_of(const BufferCacheSpec& spec) {
  return spec.background_ratio < spec.dirty_ratio ? spec.background_ratio : spec.dirty_ratio / 2;
}

}  // namespace

BufferCache::BufferCache(EventQueue& queue, Disk& disk, const BufferCacheSpec& spec, SimTime first_wake_up)
    : queue_(queue),
      disk_(disk),
      spec_(spec),
      background_limit_(share_of(spec.memory, background_ratio_of(spec))),
      dirty_limit_(share_of(spec.memory, spec.dirty_ratio)) {
  queue_.schedule_in(first_wake_up, {this, kWakeUp, 0});
}

SimTime BufferCache::greatest_age() const {
  const auto oldest = dirty_.oldest();
  return oldest ? queue_.now() - oldest->since : SimTime{};
}

void BufferCache::write(const DiskRange& range, const Signal& done) {
  LAGGARD_CHECK(range.bytes() > 0);
  counters_.received += range.bytes();
  counters_.absorbed += range.bytes() - dirty_.add(range, queue_.now());
  clean_.remove(range);
  evict();
  const bool blocks = exceeds_dirty_limit();
  if (blocks) blocked_.push_back({done, queue_.now()});
  write_back();
  if (!blocks) done.raise();
}

void BufferCache::read(const DiskRange& range, std::uint32_t stream, const Signal& done) {
  LAGGARD_CHECK(range.bytes() > 0);
  std::vector<DiskRange> missing;
  std::int64_t bytes = 0;
  for (const DiskRange& gap : clean_.gaps(range)) {
    for (const DiskRange& part : dirty_.gaps(gap)) {
      missing.push_back(part);
      bytes += part.bytes();
    }
  }
  counters_.read_hits += range.bytes() - bytes;
  counters_.read_misses += bytes;
  const std::uint64_t id = next_id_++;
  readers_.emplace(id, Reader{done, range, std::max<std::size_t>(1, missing.size())});
  if (missing.empty()) finish_read(id);
  for (const DiskRange& part : missing) {
    disk_.submit({.at = part.begin,
                  .bytes = part.bytes(),
                  .write = false,
                  .io_class = IoClass::kSync,
                  .stream = stream,
                  .done = {this, kRead, id}});
  }
}

void BufferCache::finish_read(std::uint64_t id) {
  const auto reader = readers_.find(id);
  if (--reader->second.missing > 0) return;
  const Signal done = reader->second.done;
  keep_clean(reader->second.range);
  readers_.erase(reader);
  done.raise();
}

void BufferCache::sync(const DiskRange& range, const Signal& done) {
  LAGGARD_CHECK(range.bytes() > 0);
  syncs_.push_back({range, done});
  write_back();
  finish_syncs();
}

std::optional<BufferCache::Request> BufferCache::next() const {
  for (const Sync& sync : syncs_) {
    if (const auto part = dirty_.first_in(sync.range)) return Request{*part, WriteMode::kSync};
  }
  const auto oldest = dirty_.oldest();
  if (!oldest) return std::nullopt;
  if (!blocked_.empty()) return Request{oldest->range, WriteMode::kForeground};
  if (dirty_.bytes() > background_limit_) return Request{oldest->range, WriteMode::kBackground};
  if (oldest->since <= expired_since_) return Request{oldest->range, WriteMode::kPeriodic};
  return std::nullopt;
}

void BufferCache::write_back() {
  while (under_way_.size() < kMostRequests) {
    const auto request = next();
    if (!request) return;
    DiskRange range = request->range;
    range.end = std::min(range.end, range.begin + kLargestRequest);
    counters_.written[static_cast<std::size_t>(request->mode)] += range.bytes();
    under_writeback_ += range.bytes();
    dirty_.remove(range);
    keep_clean(range);
    const std::uint64_t id = next_id_++;
    under_way_.emplace(id, range);
    disk_.submit({.at = range.begin,
                  .bytes = range.bytes(),
                  .write = true,
                  .io_class = IoClass::kAsync,
                  .stream = 0,
                  .done = {this, kWritten, id}});
  }
}

void BufferCache::keep_clean(const DiskRange& range) {
  clean_.remove(range);
  for (const DiskRange& part : dirty_.gaps(range)) clean_.add(part, queue_.now());
  evict();
}

void BufferCache::evict() {
  while (true) {
    const std::int64_t excess = dirty_.bytes() + clean_.bytes() - spec_.memory;
    const auto oldest = clean_.oldest();
    if (excess <= 0 || !oldest) return;
    DiskRange range = oldest->range;
    range.end = std::min(range.end, range.begin + excess);
    clean_.remove(range);
  }
}

void BufferCache::release_writers() {
  if (exceeds_dirty_limit()) return;
  const std::vector<Writer> released = std::exchange(blocked_, {});
  for (const Writer& writer : released) counters_.blocked += queue_.now() - writer.since;
  for (const Writer& writer : released) writer.done.raise();
}

void BufferCache::finish_syncs() {
  const auto waits = [&](const Sync& sync) {
    const auto is_of_it = [&](const auto& entry) { return entry.second.overlaps(sync.range); };
    return dirty_.first_in(sync.range).has_value() || std::ranges::any_of(under_way_, is_of_it);
  };
  const auto first_done = std::stable_partition(syncs_.begin(), syncs_.end(), waits);
  const std::vector<Sync> finished(first_done, syncs_.end());
  syncs_.erase(first_done, syncs_.end());
  for (const Sync& sync : finished) sync.done.raise();
}

void BufferCache::on_event(std::uint32_t kind, std::uint64_t about) {
  switch (kind) {
    case kWakeUp:
      expired_since_ = queue_.now() - spec_.expire;
      queue_.schedule_in(spec_.writeback, {this, kWakeUp, 0});
      write_back();
      return;
    case kWritten: {
      const auto finished = under_way_.find(about);
      under_writeback_ -= finished->second.bytes();
      under_way_.erase(finished);
      release_writers();
      write_back();
      finish_syncs();
      return;
    }
    default:
      finish_read(about);
      return;
  }
}

}  // namespace laggard::lab
