#include "lab/sim/disk.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace laggard::lab {

namespace {

bool asked_before(const BlockRequest& a, const BlockRequest& b) { return a.since < b.since; }
bool begins_before(const BlockRequest& request, std::int64_t at) { return request.at < at; }

}  // namespace

BlockRequest* Elevator::mergeable(std::uint32_t stream, IoClass io_class, std::int64_t at,
                                  std::int64_t bytes) {
  const std::uint32_t queue = queue_of(stream, io_class);
  if (io_class == IoClass::kPassThrough || queue >= queues_.size()) return nullptr;
  std::vector<BlockRequest>& requests = queues_[queue].requests;
  const auto after = std::lower_bound(requests.begin(), requests.end(), at, begins_before);
  if (after == requests.begin()) return nullptr;
  BlockRequest& before = *(after - 1);
  const bool fits = before.at + before.bytes == at && before.bytes + bytes <= options_.largest_request;
  return fits ? &before : nullptr;
}

void Elevator::add(std::uint32_t stream, IoClass io_class, const BlockRequest& request) {
  if (io_class == IoClass::kPassThrough) {
    pass_through_.push_back(request);
    return;
  }
  const std::uint32_t index = queue_of(stream, io_class);
  if (index >= queues_.size()) queues_.resize(index + 1);
  Queue& queue = queues_[index];
  queue.requests.insert(
      std::lower_bound(queue.requests.begin(), queue.requests.end(), request.at, begins_before), request);
  if (queue.waiting) return;
  queue.waiting = true;
  const bool preempts = io_class == IoClass::kSync && served_ == kAsyncQueue;
  if (!preempts) {
    turns_.push_back(index);
    return;
  }
  // Preempted writes keep their place right behind the reads.
  turns_.push_front(kAsyncQueue);
  turns_.push_front(index);
  served_ = kNobody;
}

bool Elevator::slice_is_over(SimTime now) const {
  return now >= slice_end_ ||
         (served_ == kAsyncQueue && slice_requests_ >= options_.async_requests_per_slice);
}

void Elevator::take_turn(SimTime now) {
  if (served_ != kNobody) {
    if (!queues_[served_].requests.empty()) {
      turns_.push_back(served_);
    } else {
      queues_[served_].waiting = false;
    }
  }
  served_ = kNobody;
  while (served_ == kNobody && !turns_.empty()) {
    const std::uint32_t candidate = turns_.front();
    turns_.pop_front();
    // Preempted writes may have been the last of their queue.
    if (queues_[candidate].requests.empty()) {
      queues_[candidate].waiting = false;
    } else {
      served_ = candidate;
    }
  }
  if (served_ == kNobody) return;
  slice_end_ = now + (served_ == kAsyncQueue ? options_.async_slice : options_.sync_slice);
  slice_requests_ = 0;
}

std::vector<BlockRequest>::const_iterator Elevator::choose(SimTime now) const {
  const std::vector<BlockRequest>& requests = queues_[served_].requests;
  if (slice_requests_ == 0) {
    const auto oldest = std::min_element(requests.begin(), requests.end(), asked_before);
    const SimTime expires = served_ == kAsyncQueue ? options_.async_expires : options_.sync_expires;
    if (now - oldest->since > expires) return oldest;
  }
  const auto ahead = std::lower_bound(requests.begin(), requests.end(), last_, begins_before);
  return ahead == requests.end() ? requests.begin() : ahead;
}

std::optional<BlockRequest> Elevator::next(SimTime now) {
  if (!pass_through_.empty()) {
    const BlockRequest request = pass_through_.front();
    pass_through_.pop_front();
    return request;
  }
  if (served_ == kNobody || queues_[served_].requests.empty() || slice_is_over(now)) take_turn(now);
  if (served_ == kNobody) return std::nullopt;
  const auto chosen = choose(now);
  const BlockRequest request = *chosen;
  queues_[served_].requests.erase(chosen);
  last_ = request.at + request.bytes;
  ++slice_requests_;
  return request;
}

double seek_ms(const DiskGeometry& disk, std::int64_t from, std::int64_t to) {
  if (from == to) return 0;
  const double distance = std::abs(static_cast<double>(to - from)) / disk.capacity_bytes;
  return disk.track_seek_ms + disk.long_seek_ms * std::sqrt(std::min(distance, 1.0));
}

double transfer_ms(const DiskGeometry& disk, std::int64_t at, std::int64_t bytes) {
  const double inward = std::clamp(static_cast<double>(at) / disk.capacity_bytes, 0.0, 1.0);
  const double rate =
      disk.outer_bytes_per_second + inward * (disk.inner_bytes_per_second - disk.outer_bytes_per_second);
  return 1e3 * static_cast<double>(bytes) / (rate * disk.speed);
}

namespace {

constexpr std::uint64_t kSector = 512;

template <typename T>
std::uint32_t take_slot(std::vector<T>& items, std::vector<std::uint32_t>& free, const T& value) {
  if (free.empty()) {
    items.push_back(value);
    return static_cast<std::uint32_t>(items.size() - 1);
  }
  const std::uint32_t slot = free.back();
  free.pop_back();
  items[slot] = value;
  return slot;
}

std::uint64_t ns_between(SimTime from, SimTime to) { return static_cast<std::uint64_t>((to - from).count()); }

}  // namespace

Disk::Disk(EventQueue& queue, const DiskGeometry& geometry, const ElevatorOptions& elevator, Random random)
    : queue_(queue),
      geometry_(geometry),
      options_(elevator),
      elevator_(elevator),
      random_(random),
      wander_(geometry.wander, geometry.wander_seconds) {}

void Disk::submit(const DiskIo& io) {
  LAGGARD_CHECK(io.bytes > 0);
  advance_clocks();
  const std::uint32_t operation = take_slot(operations_, free_operations_, Operation{io.done, 0});
  // An sg command is never split; the block layer splits everything else.
  const std::int64_t largest = io.io_class == IoClass::kPassThrough ? io.bytes : options_.largest_request;
  for (std::int64_t done = 0; done < io.bytes; done += largest) {
    add_request(io, io.at + done, std::min(largest, io.bytes - done), operation);
  }
  if (!active_) start_next();
}

void Disk::add_request(const DiskIo& io, std::int64_t at, std::int64_t bytes, std::uint32_t operation) {
  ++operations_[operation].pieces;
  const std::uint32_t part = take_slot(parts_, free_parts_, Part{operation, kEnd});
  BlockRequest* neighbour = elevator_.mergeable(io.stream, io.io_class, at, bytes);
  if (neighbour != nullptr && neighbour->write == io.write) {
    neighbour->bytes += bytes;
    parts_[neighbour->last_part].next = part;
    neighbour->last_part = part;
    ++(io.write ? counters_.wr_merges : counters_.rd_merges);
    return;
  }
  const bool counted = io.io_class != IoClass::kPassThrough;
  if (counted) ++counters_.in_flight;
  elevator_.add(io.stream, io.io_class,
                {.at = at,
                 .bytes = bytes,
                 .since = queue_.now(),
                 .first_part = part,
                 .last_part = part,
                 .write = io.write,
                 .counted = counted});
}

void Disk::start_next() {
  active_ = elevator_.next(queue_.now());
  if (!active_) return;
  double ms = geometry_.overhead_ms +
              transfer_ms(geometry_, active_->at, active_->bytes) / wander_.factor(queue_.now(), random_);
  if (active_->at != head_) {
    ms += seek_ms(geometry_, head_, active_->at) + random_.uniform(0, geometry_.rotation_ms);
  }
  queue_.schedule_in(ailing(*active_, ms), {this, 0, 0});
}

SimTime Disk::ailing(const BlockRequest& request, double ms) {
  SimTime extra = std::max(SimTime{}, standing_until_ - queue_.now());
  if (failing_ > 0 && random_.uniform() < failing_) extra += retry_;
  const bool in_region = region_one_in_ > 0 && request.at / kStripBytes % region_one_in_ == 0;
  return extra + from_seconds((in_region ? region_slower_ : 1) * slower_ * ms * 1e-3);
}

void Disk::on_event(std::uint32_t /*kind*/, std::uint64_t /*about*/) {
  advance_clocks();
  const BlockRequest finished = *active_;
  head_ = finished.at + finished.bytes;
  if (finished.counted) account(finished);
  // The device starts the next request before completions are signalled, as in an interrupt handler.
  start_next();
  finish_parts(finished.first_part);
}

void Disk::account(const BlockRequest& request) {
  const auto sectors = static_cast<std::uint64_t>(request.bytes) / kSector;
  const std::uint64_t waited = ns_between(request.since, queue_.now());
  ++(request.write ? counters_.wr_ios : counters_.rd_ios);
  (request.write ? counters_.wr_sectors : counters_.rd_sectors) += sectors;
  (request.write ? counters_.wr_ns : counters_.rd_ns) += waited;
  --counters_.in_flight;
}

void Disk::finish_parts(std::uint32_t first) {
  std::uint32_t part = first;
  while (part != kEnd) {
    const Part finished = parts_[part];
    free_parts_.push_back(part);
    Operation& operation = operations_[finished.operation];
    if (--operation.pieces == 0) {
      const Signal done = operation.done;
      free_operations_.push_back(finished.operation);
      done.raise();
    }
    part = finished.next;
  }
}

void Disk::advance_clocks() {
  const std::uint64_t passed = ns_between(counted_until_, queue_.now());
  counters_.weighted_ns += passed * counters_.in_flight;
  if (counters_.in_flight > 0) counters_.io_ns += passed;
  counted_until_ = queue_.now();
}

DiskCounters Disk::counters() const {
  DiskCounters present = counters_;
  const std::uint64_t passed = ns_between(counted_until_, queue_.now());
  present.weighted_ns += passed * present.in_flight;
  if (present.in_flight > 0) present.io_ns += passed;
  return present;
}

}  // namespace laggard::lab
