#include "archive/pending_batches.h"

#include <algorithm>
#include <utility>

#include "archive/observation_columns.h"

namespace laggard::archive {

void PendingBatches::add(Batch batch, std::uint64_t order) {
  Queue& queue = queues_[kind_of(batch)];
  bytes_ += bytes_of(batch);
  queue.rows += rows_of(batch);
  queue.batches.push_back({std::move(batch), order});
}

void PendingBatches::forget() {
  queues_.clear();
  bytes_ = 0;
  lost_samples_.reset();
}

bool PendingBatches::has_lost() const {
  return lost_samples_ ||
         std::ranges::any_of(queues_, [](const auto& entry) { return entry.second.lost.has_value(); });
}

bool PendingBatches::has_full_block() const {
  return std::ranges::any_of(
      queues_, [&](const auto& entry) { return entry.second.rows >= block_rows(identity_.stream); });
}

std::optional<std::uint64_t> PendingBatches::oldest() const {
  std::optional<std::uint64_t> oldest;
  for (const auto& [kind, queue] : queues_) {
    if (queue.batches.empty()) continue;
    const std::uint64_t order = queue.batches.front().order;
    if (!oldest || order < *oldest) oldest = order;
  }
  return oldest;
}

std::optional<WallTime> PendingBatches::start() const {
  std::optional<WallTime> first;
  for (const auto& [kind, queue] : queues_) {
    if (queue.batches.empty()) continue;
    const WallTime start = start_of(queue.batches.front().batch);
    first = std::min(first.value_or(start), start);
  }
  return first;
}

std::optional<TimeSpan> PendingBatches::extent() const {
  std::optional<TimeSpan> all;
  for (const auto& [kind, queue] : queues_) {
    for (const Pending& pending : queue.batches) {
      const TimeSpan span = extent_of(pending.batch);
      all = all ? TimeSpan{std::min(all->from, span.from), std::max(all->to, span.to)} : span;
    }
  }
  return all;
}

Status PendingBatches::for_each_piece(const TakePiece& f) const {
  for (const auto& [kind, queue] : queues_) {
    if (Status done = join(kind, queue, f); !done) return done;
  }
  return {};
}

Status PendingBatches::join(const std::string& kind, const Queue& queue, const TakePiece& f) const {
  Joiner joiner;
  const auto add = [&](const Batch& batch) -> Status {
    Status done;
    if (!joiner.fits(batch)) done = f(kind, joiner.take());
    if (done) joiner.add(batch);
    return done;
  };
  for (const Pending& pending : queue.batches) {
    if (Status added = add(pending.batch); !added) return added;
  }
  if (queue.lost) {
    if (Status added = add(loss_alone(identity_, kind, *queue.lost)); !added) return added;
  }
  return joiner.empty() ? Status{} : f(kind, joiner.take());
}

std::uint64_t PendingBatches::drop_oldest(const std::string& reason) {
  const std::optional<std::uint64_t> order = oldest();
  LAGGARD_CHECK(order.has_value());
  const auto holds_it = [&](const auto& entry) {
    return !entry.second.batches.empty() && entry.second.batches.front().order == *order;
  };
  Queue& queue = std::ranges::find_if(queues_, holds_it)->second;
  const Batch& batch = queue.batches.front().batch;
  bytes_ -= bytes_of(batch);
  queue.rows -= rows_of(batch);
  std::uint64_t lost = rows_of(batch);
  if (const auto* samples = std::get_if<SampleTable>(&batch)) {
    lost = lose_samples(*samples, reason);
  } else {
    // The loss becomes part of the stream itself, with the losses that the batch would have reported.
    const TimeSpan span = extent_of(batch);
    if (!queue.lost) queue.lost = Loss{.from = span.from, .to = span.to, .count = 0, .reason = reason};
    queue.lost->from = std::min(queue.lost->from, span.from);
    queue.lost->to = std::max(queue.lost->to, span.to);
    queue.lost->count += lost;
    for (const Loss& loss : losses_of(batch)) queue.lost->count += loss.count;
  }
  queue.batches.pop_front();
  return lost;
}

std::uint64_t PendingBatches::lose_samples(const SampleTable& table, const std::string& reason) {
  const auto [first, last] = std::ranges::minmax(table.times());
  std::uint64_t lost = 0;
  if (!lost_samples_) {
    lost_samples_ = GapRow{.first = first, .last = last, .lost = 0, .reason = reason};
    lost = table.times().size();
  } else {
    // Disks, interfaces and sockets are sampled together, so a time that several kinds lost is counted once.
    lost = static_cast<std::uint64_t>(
        std::ranges::count_if(table.times(), [&](WallTime t) { return t > lost_samples_->last; }));
    lost_samples_->first = std::min(lost_samples_->first, first);
    lost_samples_->last = std::max(lost_samples_->last, last);
  }
  lost_samples_->lost += lost;
  return lost;
}

std::vector<GapRow> PendingBatches::take_lost() {
  std::vector<GapRow> gaps;
  if (lost_samples_) gaps.push_back(*std::exchange(lost_samples_, std::nullopt));
  for (auto& [kind, queue] : queues_) {
    if (!queue.lost) continue;
    const Loss loss = *std::exchange(queue.lost, std::nullopt);
    gaps.push_back({.first = loss.from, .last = loss.to, .lost = loss.count, .reason = loss.reason});
  }
  return gaps;
}

}  // namespace laggard::archive
