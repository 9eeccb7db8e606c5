#include "collect/record/event_recorder.h"

#include <algorithm>
#include <utility>

namespace laggard::collect {

ObservationBatch::ObservationBatch(const std::string& host, std::string_view kind,
                                   std::span<const std::string_view> kinds, const std::string& boot)
    : events(host, std::string(kind)) {
  events.set_boot(boot);
  if (kinds.empty()) kinds = {&kind, 1};
  for (const std::string_view one : kinds) profiles.emplace_back(host, std::string(one)).set_boot(boot);
}

namespace {

std::size_t rows_of(const ObservationBatch& batch) {
  std::size_t rows = batch.events.size();
  for (const ProfileTable& profile : batch.profiles) rows += profile.entries();
  return rows;
}

}  // namespace

EventRecorder::EventRecorder(EventRecorderOptions options, Clock& clock, Outbox& outbox,
                             std::vector<std::unique_ptr<EventSource>> sources)
    : options_(std::move(options)), clock_(clock), outbox_(outbox) {
  for (std::unique_ptr<EventSource>& source : sources) {
    ObservationBatch batch = fresh(*source);
    seats_.push_back({std::move(source), std::move(batch), clock_.mono()});
  }
}

ObservationBatch EventRecorder::fresh(const EventSource& source) const {
  return {options_.host, source.kind(), source.profile_kinds(), options_.boot};
}

void EventRecorder::hand_over(Seat& seat) {
  ObservationBatch batch = std::exchange(seat.batch, fresh(*seat.source));
  outbox_.put(std::move(batch.events));
  for (ProfileTable& profile : batch.profiles) outbox_.put(std::move(profile));
}

/// Whatever woke us: a source that has nothing says so at once. What comes faster than it can be read does
/// not keep the others waiting.
Status EventRecorder::read_all() {
  constexpr Duration kUntilThereIsRoom = std::chrono::milliseconds(100);
  for (Seat& seat : seats_) {
    seat.waits_for_room = seat.source->keeps_unread() && !outbox_.has_room();
    if (seat.waits_for_room) {
      seat.due = clock_.mono() + kUntilThereIsRoom;
      continue;
    }
    if (Status read = seat.source->read(clock_, seat.batch, options_.most_rows); !read) return read;
    seat.due = clock_.mono() + seat.source->cadence();
    const bool is_full = seat.batch.is_full || rows_of(seat.batch) >= options_.most_rows;
    if (!is_full) continue;
    hand_over(seat);
    seat.due = clock_.mono();  // There may be more.
    outbox_.hand_on_soon();
  }
  return {};
}

std::vector<int> EventRecorder::descriptors() const {
  std::vector<int> all;
  for (const Seat& seat : seats_) {
    if (const auto descriptor = seat.source->descriptor(); descriptor && !seat.waits_for_room) {
      all.push_back(*descriptor);
    }
  }
  return all;
}

MonoTime EventRecorder::next_deadline(MonoTime flushed) const {
  MonoTime deadline = flushed + options_.flush;
  for (const Seat& seat : seats_) deadline = std::min(deadline, seat.due);
  return deadline;
}

bool EventRecorder::all_ended() {
  return !seats_.empty() && std::ranges::all_of(seats_, [](Seat& seat) { return seat.source->has_ended(); });
}

void EventRecorder::finish(Seat& seat) {
  for (bool is_full = true; is_full;) {
    seat.batch.is_full = false;
    seat.source->finish(clock_, seat.batch);
    is_full = seat.batch.is_full;
    hand_over(seat);
  }
}

Status EventRecorder::run(const std::function<bool()>& stop, const Wait& wait) {
  const MonoTime start = clock_.mono();
  MonoTime flushed = start;
  Status recorded;
  while (recorded && !stop() && !outbox_.broken() && !all_ended()) {
    MonoTime now = clock_.mono();
    if (options_.duration && now - start >= *options_.duration) break;
    MonoTime deadline = next_deadline(flushed);
    if (options_.duration) deadline = std::min(deadline, start + *options_.duration);
    if (deadline > now) wait(deadline, descriptors());
    recorded = read_all();
    now = clock_.mono();
    if (now - flushed < options_.flush) continue;
    flushed = now;
    for (Seat& seat : seats_) hand_over(seat);
    outbox_.deliver_soon();
  }
  for (Seat& seat : seats_) finish(seat);
  Status finished = outbox_.finish();
  return recorded ? finished : recorded;
}

}  // namespace laggard::collect
