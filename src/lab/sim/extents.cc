#include "lab/sim/extents.h"

#include <algorithm>
#include <iterator>

namespace laggard::lab {

Extents::ByPlace::const_iterator Extents::first_behind(std::int64_t place) const {
  const auto next = by_place_.upper_bound(place);
  if (next == by_place_.begin()) return next;
  const auto before = std::prev(next);
  return before->second.end > place ? before : next;
}

std::vector<DiskRange> Extents::gaps(const DiskRange& range) const {
  std::vector<DiskRange> found;
  std::int64_t at = range.begin;
  for (auto held = first_behind(range.begin); held != by_place_.end() && held->first < range.end; ++held) {
    if (held->first > at) found.push_back({at, held->first});
    at = held->second.end;
  }
  if (at < range.end) found.push_back({at, range.end});
  return found;
}

std::optional<DiskRange> Extents::first_in(const DiskRange& range) const {
  const auto held = first_behind(range.begin);
  if (held == by_place_.end() || held->first >= range.end) return std::nullopt;
  return DiskRange{std::max(range.begin, held->first), std::min(range.end, held->second.end)};
}

std::optional<Extents::Extent> Extents::oldest() const {
  if (by_age_.empty()) return std::nullopt;
  const auto& [since, begin] = *by_age_.begin();
  return Extent{{begin, by_place_.at(begin).end}, since};
}

void Extents::insert(const DiskRange& range, SimTime since) {
  by_place_.emplace(range.begin, Held{range.end, since});
  by_age_.emplace(since, range.begin);
  bytes_ += range.bytes();
}

std::int64_t Extents::add(const DiskRange& range, SimTime since) {
  const std::int64_t before = bytes_;
  for (const DiskRange& gap : gaps(range)) insert(gap, since);
  return bytes_ - before;
}

void Extents::remove(const DiskRange& range) {
  auto held = first_behind(range.begin);
  while (held != by_place_.end() && held->first < range.end) {
    const DiskRange whole{held->first, held->second.end};
    const SimTime since = held->second.since;
    by_age_.erase({since, whole.begin});
    bytes_ -= whole.bytes();
    held = by_place_.erase(held);
    if (whole.begin < range.begin) insert({whole.begin, range.begin}, since);
    if (whole.end > range.end) insert({range.end, whole.end}, since);
  }
}

}  // namespace laggard::lab
