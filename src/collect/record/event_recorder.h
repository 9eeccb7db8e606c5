#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "collect/record/outbox.h"
#include "model/event.h"
#include "model/profile.h"

namespace laggard::collect {

/// What a source has seen since it was read last: events, periods of profiles, and what it lost of either.
struct ObservationBatch {
  /// \param kinds  of profiles; without any it is `kind`. \param boot  of the kernel; may be empty.
  ObservationBatch(const std::string& host, std::string_view kind,
                   std::span<const std::string_view> kinds = {}, const std::string& boot = {});

  /// The only one, or the first.
  [[nodiscard]] ProfileTable& profile() { return profiles.front(); }

  EventTable events;
  std::vector<ProfileTable> profiles;  ///< One for each of the source's EventSource::profile_kinds.
  bool is_full = false;  ///< What comes next belongs into another one: this one is handed over at once.
};

/// Sees things happen. It has something now and then, and says so by a descriptor, or it is asked at a
/// cadence of its own.
class EventSource {
 public:
  virtual ~EventSource() = default;
  /// What its events and profiles are: `kernel`, `log`, …
  [[nodiscard]] virtual std::string_view kind() const = 0;
  /// Of its profiles, where there are several.
  [[nodiscard]] virtual std::vector<std::string_view> profile_kinds() const { return {kind()}; }
  /// Becomes readable when there is something; nothing: it is asked at its cadence only.
  [[nodiscard]] virtual std::optional<int> descriptor() const { return std::nullopt; }
  [[nodiscard]] virtual Duration cadence() const { return std::chrono::seconds(1); }
  /// Whether what has not been read stays where it is: then it is left there while the disk is slow or full,
  /// instead of being read and dropped.
  [[nodiscard]] virtual bool keeps_unread() const { return false; }
  /// Adds what there is, without waiting for more, and stops after about `most` events: what is left it is
  /// asked for again. Says what it lost itself (EventTable::add_loss). An error ends the recording.
  [[nodiscard]] virtual Status read(Clock& clock, ObservationBatch& batch, std::size_t most) = 0;
  /// Whether there will be nothing more.
  [[nodiscard]] virtual bool has_ended() { return false; }
  /// Adds what is left when the recording ends; is called again as long as the batch is full.
  virtual void finish(Clock& clock, ObservationBatch& batch) {
    static_cast<void>(clock);
    static_cast<void>(batch);
  }
};

struct EventRecorderOptions {
  std::string host;
  std::string boot = {};                  ///< Of the kernel that is recorded.
  std::optional<Duration> duration = {};  ///< From the call of `run`; else until stopped.
  Duration flush = std::chrono::seconds(2);
  /// A batch that reaches this many events is handed over early.
  std::size_t most_rows = std::size_t{1} << 14;
};

/// Records sources of events: waits until one has something or it is time to ask, and hands what they have to
/// the outbox every `flush`, a table per source.
class EventRecorder {
 public:
  /// Waits until the deadline, or until one of the descriptors is readable or a signal arrives.
  using Wait = std::function<void(MonoTime deadline, std::span<const int> readable)>;

  /// Everything given by reference outlives the recorder.
  EventRecorder(EventRecorderOptions options, Clock& clock, Outbox& outbox,
                std::vector<std::unique_ptr<EventSource>> sources);

  /// Records until `stop()`, until the duration is over or until all sources have ended; then flushes.
  [[nodiscard]] Status run(const std::function<bool()>& stop, const Wait& wait);

 private:
  struct Seat {
    std::unique_ptr<EventSource> source;
    ObservationBatch batch;
    MonoTime due;
    bool waits_for_room = false;
  };

  [[nodiscard]] ObservationBatch fresh(const EventSource& source) const;
  [[nodiscard]] Status read_all();
  [[nodiscard]] bool all_ended();
  void finish(Seat& seat);
  void hand_over(Seat& seat);
  [[nodiscard]] MonoTime next_deadline(MonoTime flushed) const;
  /// Of those that would be read now.
  [[nodiscard]] std::vector<int> descriptors() const;

  EventRecorderOptions options_;
  Clock& clock_;
  Outbox& outbox_;
  std::vector<Seat> seats_;
};

}  // namespace laggard::collect
