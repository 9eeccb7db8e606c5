#include "cmd/call_ring.h"

#include <utility>

namespace laggard::cmd {

namespace {

/// Without the words, which are far fewer than events.
std::size_t bytes_of(const EventTable& calls) {
  constexpr std::size_t kPerEvent = sizeof(WallTime) + sizeof(std::int64_t) + 2 * sizeof(Word);
  constexpr std::size_t kPerAttribute = sizeof(std::uint32_t) + sizeof(std::uint64_t);
  std::size_t bytes = sizeof(EventTable) + calls.size() * kPerEvent;
  for (const AttributeColumn& column : calls.attributes()) bytes += column.events.size() * kPerAttribute;
  return bytes;
}

}  // namespace

void CallRing::add(EventTable calls) {
  if (calls.size() == 0) return;
  const WallTime newest = calls.times().back();
  const std::size_t bytes = bytes_of(calls);
  bytes_ += bytes;
  kept_.push_back({std::move(calls), bytes});
  while (kept_.size() > 1 && (bytes_ > kMostBytes || kept_.front().calls.times().back() < newest - kAge)) {
    bytes_ -= kept_.front().bytes;
    kept_.pop_front();
  }
}

std::vector<EventTable> CallRing::take() {
  std::vector<EventTable> all;
  all.reserve(kept_.size());
  for (Kept& one : kept_) all.push_back(std::move(one.calls));
  kept_.clear();
  bytes_ = 0;
  return all;
}

}  // namespace laggard::cmd
