#include "lab/sim/event_queue.h"

#include <algorithm>

#include "base/error.h"

namespace laggard::lab {

namespace {

constexpr std::size_t kChildren = 4;

}  // namespace

void EventQueue::schedule(SimTime at, const Signal& signal) {
  LAGGARD_CHECK(at >= now_);
  std::uint64_t slot = signals_.size();
  if (free_slots_.empty()) {
    LAGGARD_CHECK(slot < std::uint64_t{1} << kSlotBits);
    signals_.push_back(signal);
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
    signals_[slot] = signal;
  }
  const Key key{at, next_order_++ << kSlotBits | slot};
  std::size_t hole = heap_.size();
  heap_.push_back(key);
  while (hole > 0) {
    const std::size_t parent = (hole - 1) / kChildren;
    if (!earlier(key, heap_[parent])) break;
    heap_[hole] = heap_[parent];
    hole = parent;
  }
  heap_[hole] = key;
}

EventQueue::Key EventQueue::pop() {
  const Key first = heap_.front();
  const Key last = heap_.back();
  heap_.pop_back();
  const std::size_t size = heap_.size();
  std::size_t hole = 0;
  for (std::size_t child = 1; child < size; child = kChildren * hole + 1) {
    std::size_t least = child;
    const std::size_t end = std::min(child + kChildren, size);
    for (std::size_t i = child + 1; i < end; ++i) {
      if (earlier(heap_[i], heap_[least])) least = i;
    }
    if (!earlier(heap_[least], last)) break;
    heap_[hole] = heap_[least];
    hole = least;
  }
  if (size > 0) heap_[hole] = last;
  return first;
}

void EventQueue::run_until(SimTime end) {
  while (!heap_.empty() && heap_.front().at <= end) {
    const Key key = pop();
    const std::uint64_t slot = key.order_and_slot & ((std::uint64_t{1} << kSlotBits) - 1);
    const Signal signal = signals_[slot];
    free_slots_.push_back(slot);
    now_ = key.at;
    ++raised_;
    signal.raise();
  }
  now_ = std::max(now_, end);
}

}  // namespace laggard::lab
