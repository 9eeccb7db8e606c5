#include "lab/sim/raid.h"

#include <algorithm>

#include "base/error.h"

namespace laggard::lab {

namespace {

/// Rounded down, which is faster than from_seconds, and many a million are made.
SimTime from_ms(double ms) { return SimTime{static_cast<SimTime::rep>(ms * 1e6)}; }

}  // namespace

RaidGroup::RaidGroup(const RaidGeometry& geometry, Random random)
    : geometry_(geometry),
      strips_per_byte_(1 / static_cast<double>(geometry.strip_bytes)),
      random_(random),
      disks_(geometry.disks),
      wants_(geometry.disks) {
  LAGGARD_CHECK(geometry.disks > geometry.parity && geometry.strip_bytes > 0);
}

void RaidGroup::want(std::size_t disk, std::int64_t stripe) {
  Want& want = wants_[disk];
  if (want.bytes == 0) want.first = stripe * geometry_.strip_bytes;
  want.bytes = (stripe + 1) * geometry_.strip_bytes - want.first;
}

void RaidGroup::want_stripe(std::int64_t stripe, std::size_t first_strip, std::size_t strips, bool parity) {
  const std::size_t data = geometry_.data_disks();
  bool rebuilt_from_others = false;
  for (std::size_t strip = first_strip; strip < first_strip + strips; ++strip) {
    const std::size_t disk = disk_of(stripe, strip);
    if (is_lost(disk, stripe)) {
      rebuilt_from_others = true;
    } else {
      want(disk, stripe);
    }
  }
  // Of what is written, the parity is, too; what is lost is the sum of all other data and of one parity.
  const std::size_t end = parity ? geometry_.disks : data + (rebuilt_from_others ? 1 : 0);
  for (std::size_t strip = rebuilt_from_others && !parity ? 0 : data; strip < end; ++strip) {
    const std::size_t disk = disk_of(stripe, strip);
    if (!is_lost(disk, stripe)) want(disk, stripe);
  }
}

void RaidGroup::want_whole_stripes(std::int64_t first, std::int64_t last, bool parity) {
  const std::size_t disks = geometry_.disks;
  const std::size_t data = parity ? disks : geometry_.data_disks();
  const std::size_t first_begins = static_cast<std::size_t>(first) % disks;
  const std::size_t last_begins = static_cast<std::size_t>(last) % disks;
  const auto strip_on = [&](std::size_t disk, std::size_t begins) {
    return disk >= begins ? disk - begins : disk + disks - begins;
  };
  for (std::size_t d = 0; d < disks; ++d) {
    // From stripe to stripe a disk holds the strip before; behind the data are those of parity.
    const std::size_t in_first = strip_on(d, first_begins);
    const std::size_t in_last = strip_on(d, last_begins);
    const std::int64_t from = first + (in_first < data ? 0 : static_cast<std::int64_t>(in_first - data + 1));
    const std::int64_t to = last - (in_last < data ? 0 : static_cast<std::int64_t>(disks - in_last));
    if (from > to) continue;
    wants_[d] = {.first = from * geometry_.strip_bytes, .bytes = (to + 1 - from) * geometry_.strip_bytes};
  }
}

void RaidGroup::find_wants(const RaidAccess& access, bool parity) {
  LAGGARD_CHECK(access.bytes > 0);
  std::ranges::fill(wants_, Want{});
  const auto data = static_cast<std::int64_t>(geometry_.data_disks());
  const std::int64_t first = access.at / geometry_.strip_bytes;
  const std::int64_t last = (access.at + access.bytes - 1) / geometry_.strip_bytes;
  if (!failed_ && first % data == 0 && (last + 1) % data == 0) {
    want_whole_stripes(first / data, last / data, parity);
    return;
  }
  for (std::int64_t strip = first; strip <= last;) {
    const std::int64_t stripe = strip / data;
    const std::int64_t next = std::min((stripe + 1) * data, last + 1);
    want_stripe(stripe, static_cast<std::size_t>(strip - stripe * data),
                static_cast<std::size_t>(next - strip), parity);
    strip = next;
  }
}

Served RaidGroup::serve(Member& disk, SimTime now, const Want& want) {
  double ms = geometry_.disk.overhead_ms;
  if (disk.head != want.first) {
    // Before the first access it was anywhere.
    const std::int64_t from =
        disk.head < 0 ? static_cast<std::int64_t>(geometry_.disk.capacity_bytes / 2) : disk.head;
    ms += seek_ms(geometry_.disk, from, want.first) + random_.uniform(0, geometry_.disk.rotation_ms);
  }
  disk.head = want.first + want.bytes;
  SimTime start = std::max(now, disk.free);
  if (random_.chance(disk.ailment.retried))
    start += from_ms(to_seconds(disk.ailment.retry) * 1e3 * random_.exponential());
  const SimTime there = start + from_ms(disk.ailment.slower * ms);
  const double strip_ms =
      disk.ailment.slower * transfer_ms(geometry_.disk, want.first, geometry_.strip_bytes);
  disk.free = there + from_ms(strip_ms * static_cast<double>(want.bytes) * strips_per_byte_);
  return {.first = there + from_ms(strip_ms), .last = disk.free};
}

Served RaidGroup::serve_wants(SimTime now, SimTime retry) {
  Served served;
  for (std::size_t d = 0; d < disks_.size(); ++d) {
    if (wants_[d].bytes == 0) continue;
    disks_[d].free = std::max(disks_[d].free, now) + retry;
    retry = {};
    const Served by_disk = serve(disks_[d], now, wants_[d]);
    served.first = std::max(served.first, by_disk.first);
    served.last = std::max(served.last, by_disk.last);
  }
  return served;
}

Served RaidGroup::read(SimTime now, const RaidAccess& access) {
  find_wants(access, false);
  return serve_wants(now, access.retry);
}

std::int64_t RaidGroup::computed_bytes(const RaidAccess& access) const {
  if (!failed_) return 0;
  const auto data = static_cast<std::int64_t>(geometry_.data_disks());
  const std::int64_t last = (access.at + access.bytes - 1) / geometry_.strip_bytes;
  std::int64_t lost = 0;
  for (std::int64_t strip = access.at / geometry_.strip_bytes; strip <= last; ++strip) {
    const std::int64_t stripe = strip / data;
    if (is_lost(disk_of(stripe, static_cast<std::size_t>(strip % data)), stripe)) ++lost;
  }
  return lost * (data + 1) * geometry_.strip_bytes;
}

Served RaidGroup::write(SimTime now, const RaidAccess& access) {
  find_wants(access, true);
  const std::int64_t stripe = static_cast<std::int64_t>(geometry_.data_disks()) * geometry_.strip_bytes;
  if (access.at % stripe != 0 || access.bytes % stripe != 0) now = serve_wants(now, access.retry).last;
  return serve_wants(now, {});
}

void RaidGroup::fail(std::size_t disk) {
  repaired();
  failed_ = disk;
  moved_ = 0;
}

void RaidGroup::rebuild(SimTime now) {
  LAGGARD_CHECK(failed_);
  next_piece_ = now;
}

void RaidGroup::copy_back(std::size_t disk, SimTime now) {
  repaired();
  copied_ = disk;
  moved_ = 0;
  replacement_ = {};
  next_piece_ = now;
}

void RaidGroup::repaired() {
  failed_.reset();
  copied_.reset();
  next_piece_.reset();
}

std::int64_t RaidGroup::piece_bytes() const {
  const std::size_t moving = copied_ ? 2 : geometry_.disks - geometry_.parity + 1;
  return static_cast<std::int64_t>(moving) * geometry_.copy_piece_bytes;
}

void RaidGroup::move_piece(SimTime now) {
  LAGGARD_CHECK(next_piece_);
  const Want piece{.first = moved_, .bytes = geometry_.copy_piece_bytes};
  SimTime read{};
  // As many of the others are read as there are data disks; with two parities one is left alone.
  std::size_t reads = copied_ ? 1 : geometry_.data_disks();
  for (std::size_t d = 0; d < disks_.size() && reads > 0; ++d) {
    if (copied_ ? d != *copied_ : d == failed_) continue;
    read = std::max(read, serve(disks_[d], now, piece).last);
    --reads;
  }
  const SimTime written = serve(copied_ ? replacement_ : disks_[*failed_], read, piece).last;
  moved_ += piece.bytes;
  next_piece_ = written + geometry_.copy_rest;
  if (static_cast<double>(moved_) >= geometry_.disk.capacity_bytes) repaired();
}

double RaidGroup::progress() const { return static_cast<double>(moved_) / geometry_.disk.capacity_bytes; }

void RaidGroup::stand_still_until(SimTime until) {
  for (Member& disk : disks_) disk.free = std::max(disk.free, until);
}

SimTime RaidGroup::free_at() const {
  SimTime free{};
  for (const Member& disk : disks_) free = std::max(free, disk.free);
  return free;
}

}  // namespace laggard::lab
