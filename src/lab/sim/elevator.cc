#include "lab/sim/elevator.h"

#include <algorithm>

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
  // The writes that are cut short keep their place right behind the reads.
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
    // Writes that were cut short may have been the last of their queue.
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

}  // namespace laggard::lab
