#include "lab/sim/event_queue.h"

#include <algorithm>

#include "base/error.h"

namespace laggard::lab {

void EventQueue::schedule(SimTime at, const Signal& signal) {
  LAGGARD_CHECK(at >= now_);
  heap_.push_back({at, next_order_++, signal});
  std::push_heap(heap_.begin(), heap_.end(), later);
}

void EventQueue::run_until(SimTime end) {
  while (!heap_.empty() && heap_.front().at <= end) {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const Entry entry = heap_.back();
    heap_.pop_back();
    now_ = entry.at;
    ++raised_;
    entry.signal.raise();
  }
  now_ = std::max(now_, end);
}

}  // namespace laggard::lab
