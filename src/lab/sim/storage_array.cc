#include "lab/sim/storage_array.h"

#include <algorithm>

#include "base/error.h"

namespace laggard::lab {

namespace {

SimTime transfer(std::int64_t bytes, double bytes_per_second) {
  return from_seconds(static_cast<double>(bytes) / bytes_per_second);
}

/// A server that handles one thing at a time takes `time` for this one.
SimTime pass(SimTime& free, SimTime now, SimTime time) {
  free = std::max(free, now) + time;
  return free;
}

}  // namespace

StorageArray::StorageArray(const ArrayGeometry& geometry, const Random& random)
    : geometry_(geometry), controllers_(geometry.controllers) {
  for (std::size_t lun = 0; lun < geometry.luns; ++lun) {
    luns_.push_back({.group = RaidGroup(geometry.group, random.fork("group", lun)),
                     .owner = lun % geometry.controllers,
                     .unwritten = {},
                     .being_written = {}});
  }
}

SimTime StorageArray::pass_memory(std::size_t controller, SimTime now, std::uint32_t requests,
                                  std::int64_t bytes) {
  return pass(controllers_[controller].memory_free, now,
              requests * geometry_.command + transfer(bytes, geometry_.memory_bytes_per_second));
}

SimTime StorageArray::pass_loop(std::size_t controller, SimTime now, std::int64_t bytes) {
  return pass(controllers_[controller].loop_free, now, transfer(bytes, geometry_.loop_bytes_per_second));
}

Served StorageArray::serve(const ArrayAccess& access) {
  advance(access.at);
  Lun& lun = luns_[access.lun];
  if (access.cached) {
    // It goes between the transfers of others.
    const SimTime done =
        access.at + geometry_.command + transfer(access.bytes, geometry_.memory_bytes_per_second);
    return {.first = done, .last = done};
  }
  write_when_idle(lun, access.at);
  SimTime now = pass_memory(access.controller, access.at, access.requests, access.bytes);
  if (access.controller != lun.owner) now = pass_memory(lun.owner, now, 0, access.bytes);
  if (!access.write) {
    const RaidAccess read{.at = access.position, .bytes = access.bytes, .retry = access.retry};
    now = pass_loop(lun.owner, now, access.bytes);
    if (const std::int64_t computed = lun.group.computed_bytes(read); computed > 0) {
      now = pass_memory(lun.owner, now, 0, computed);
    }
    return lun.group.read(now, read);
  }
  now = wait_for_room(lun, now, access.bytes);
  keep(lun, {.position = access.position, .bytes = access.bytes, .since = now});
  while (lun.unwritten_bytes > geometry_.cache_bytes / 2) write_oldest(lun, now);
  // Each request is answered when it is in the cache.
  const SimTime each =
      geometry_.command + transfer(access.bytes / access.requests, geometry_.memory_bytes_per_second);
  return {.first = now - (access.requests - 1) * each, .last = now};
}

void StorageArray::rebuild(std::size_t lun, SimTime now) {
  luns_[lun].group.rebuild(now);
  copying_.insert(lun);
}

void StorageArray::copy_back(std::size_t lun, std::size_t disk, SimTime now) {
  luns_[lun].group.copy_back(disk, now);
  copying_.insert(lun);
}

void StorageArray::advance(SimTime now) {
  for (const std::size_t index : copying_) {
    Lun& lun = luns_[index];
    while (lun.group.next_piece() && *lun.group.next_piece() <= now) {
      const std::int64_t bytes = lun.group.piece_bytes();
      const SimTime asked = pass_memory(lun.owner, *lun.group.next_piece(), 1, bytes);
      lun.group.move_piece(pass_loop(lun.owner, asked, bytes));
    }
  }
  std::erase_if(copying_, [this](std::size_t lun) { return !luns_[lun].group.next_piece(); });
}

SimTime StorageArray::wait_for_room(Lun& lun, SimTime now, std::int64_t bytes) {
  LAGGARD_CHECK(bytes <= geometry_.cache_bytes);
  forget_written(lun, now);
  while (lun.cached_bytes + bytes > geometry_.cache_bytes) {
    if (lun.being_written.empty()) write_oldest(lun, now);
    now = std::max(now, lun.being_written.front().done);
    forget_written(lun, now);
  }
  return now;
}

void StorageArray::forget_written(Lun& lun, SimTime now) {
  while (!lun.being_written.empty() && lun.being_written.front().done <= now) {
    lun.cached_bytes -= lun.being_written.front().bytes;
    lun.being_written.pop_front();
  }
}

void StorageArray::keep(Lun& lun, const Run& run) const {
  lun.unwritten_bytes += run.bytes;
  lun.cached_bytes += run.bytes;
  // Few files are written at the same time: the neighbour is among the youngest, or there is none.
  constexpr std::size_t kLookedAt = 16;
  std::size_t looked_at = 0;
  for (auto before = lun.unwritten.rbegin(); before != lun.unwritten.rend() && looked_at < kLookedAt;
       ++before, ++looked_at) {
    if (before->position + before->bytes != run.position) continue;
    if (before->bytes + run.bytes > geometry_.longest_write) break;
    before->bytes += run.bytes;
    return;
  }
  lun.unwritten.push_back(run);
}

void StorageArray::write_oldest(Lun& lun, SimTime now) {
  const Run run = lun.unwritten.front();
  lun.unwritten.pop_front();
  lun.unwritten_bytes -= run.bytes;
  const SimTime there = pass_loop(lun.owner, now, run.bytes);
  SimTime done = lun.group.write(there, {.at = run.position, .bytes = run.bytes}).last;
  if (!lun.being_written.empty()) done = std::max(done, lun.being_written.back().done);
  lun.being_written.push_back({done, run.bytes});
}

void StorageArray::write_when_idle(Lun& lun, SimTime now) {
  while (!lun.unwritten.empty()) {
    const SimTime idle = std::max(lun.group.free_at(), lun.unwritten.front().since + geometry_.written_after);
    if (idle >= now) return;
    write_oldest(lun, idle);
  }
}

}  // namespace laggard::lab
