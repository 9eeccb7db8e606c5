#include "lab/sim/disk.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace laggard::lab {

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
  // An sg command is what it is; the block layer splits everything else.
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
  queue_.schedule_in(from_seconds(ms * 1e-3), {this, 0, 0});
}

void Disk::on_event(std::uint32_t /*kind*/, std::uint64_t /*about*/) {
  advance_clocks();
  const BlockRequest finished = *active_;
  head_ = finished.at + finished.bytes;
  if (finished.counted) account(finished);
  // The device goes on before anybody hears of it, as an interrupt handler has it do.
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
