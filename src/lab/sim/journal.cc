#include "lab/sim/journal.h"

#include <algorithm>
#include <utility>

namespace laggard::lab {

namespace {

constexpr std::int64_t kPage = 4096;
constexpr std::int64_t kLargestCommit = 256;  ///< Pages.
/// Of every transaction: its descriptor, the group descriptors and the file of the last requests.
constexpr std::int64_t kOwnPages = 3;
/// Of every object in it: its inode and the bitmap of its blocks.
constexpr std::int64_t kObjectPages = 2;

}  // namespace

Journal::Journal(EventQueue& queue, Disk& disk, const DiskRange& range, SimTime first_commit)
    : queue_(queue), disk_(disk), range_(range) {
  queue_.schedule_in(first_commit, {this, kTick, 0});
}

void Journal::commit(std::uint32_t object, const Signal& committed) {
  objects_.insert(object);
  waiting_.push_back(committed);
  if (committing_.empty()) begin();
}

void Journal::begin() {
  committing_ = std::exchange(waiting_, {});
  const auto objects = static_cast<std::int64_t>(std::exchange(objects_, {}).size());
  const auto changes = static_cast<std::int64_t>(std::exchange(changes_, 0));
  write(kOwnPages + kObjectPages * objects + changes, {this, kDescribed, 0});
}

void Journal::write(std::int64_t pages, const Signal& done) {
  const std::int64_t bytes = kPage * std::min(kLargestCommit, pages);
  if (range_.begin + at_ + bytes > range_.end) at_ = 0;
  disk_.submit({.at = range_.begin + at_,
                .bytes = bytes,
                .write = true,
                .io_class = IoClass::kAsync,
                .stream = 0,
                .done = done});
  at_ += bytes;
}

void Journal::on_event(std::uint32_t kind, std::uint64_t /*about*/) {
  switch (kind) {
    case kTick:
      // A descriptor and the commit record besides.
      if (changes_ > 0) write(2 + static_cast<std::int64_t>(std::exchange(changes_, 0)), {});
      queue_.schedule_in(kInterval, {this, kTick, 0});
      return;
    case kDescribed:
      write(1, {this, kRecorded, 0});
      return;
    default: {
      const std::vector<Signal> committed = std::exchange(committing_, {});
      if (!waiting_.empty()) begin();
      for (const Signal& signal : committed) signal.raise();
      return;
    }
  }
}

}  // namespace laggard::lab
