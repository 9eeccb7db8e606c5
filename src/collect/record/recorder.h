#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collect/record/clocks.h"
#include "collect/record/outbox.h"
#include "collect/record/sampler.h"

namespace laggard::collect {

/// Bounds of the time between two samples.
inline constexpr Duration kShortestInterval = std::chrono::milliseconds(100);
inline constexpr Duration kLongestInterval = std::chrono::hours(24);

/// How often samples that somebody waits for are flushed.
inline constexpr Duration kWatchedFlush = std::chrono::seconds(2);

struct RecorderOptions {
  Duration interval = std::chrono::seconds(1);
  std::optional<Duration> duration;  ///< Counted from the call of `run`; without it, until stopped.
  Duration flush = std::chrono::seconds(10);
  std::string boot = {};  ///< Boot id of the recorded kernel.
  /// A batch of this size is flushed early, so that thousands of connections a second cannot fill the memory.
  std::size_t most_cells = std::size_t{1} << 20;
  std::string host = {};  ///< The recorded host, named in notes of gaps and clock steps.
  /// Whether somebody waits for the samples, which are then flushed every kWatchedFlush. Asked at most once a
  /// tick.
  std::function<bool()> is_watched = {};
};

/// The progress of a recording.
struct RecordProgress {
  Duration elapsed{};  ///< Of the monotonic clock.
  std::size_t devices = 0;
  std::uint64_t samples = 0;       ///< Ticks at which everything was read.
  std::uint64_t gaps = 0;          ///< Runs of missed ticks.
  std::uint64_t missed_ticks = 0;  ///< In those gaps.
  std::uint64_t clock_steps = 0;   ///< Of the wall clock, see ClockWatch.
  std::uint64_t suspensions = 0;   ///< Of the machine.
  Outbox::Counts outbox;
};

/// The sampling loop: wakes at every tick, reads all samplers, and at every `flush` hands their batches to
/// the outbox, a table per kind; more often while the recording is watched.
class Recorder {
 public:
  /// Everything given by reference outlives the recorder.
  Recorder(RecorderOptions options, Clock& clock, Outbox& outbox,
           std::vector<std::unique_ptr<Sampler>> samplers);

  /// Records until `stop()` returns true or the duration is over, then flushes.
  /// \param observe  called after every tick.
  [[nodiscard]] Status run(const std::function<bool()>& stop,
                           const std::function<void(const RecordProgress&)>& observe);

  [[nodiscard]] const RecordProgress& progress() const { return progress_; }

 private:
  void note_missed(std::uint64_t ticks);
  /// Waits for a tick; false when stopped before it.
  [[nodiscard]] bool wait_until(MonoTime deadline, const std::function<bool()>& stop);
  void sample(std::uint64_t missed);
  void look_at_clocks(std::uint64_t missed);
  [[nodiscard]] bool is_flush_due(MonoTime now) const;
  void flush(MonoTime now);
  void hand_over(Sampler& sampler);

  RecorderOptions options_;
  Clock& clock_;
  Outbox& outbox_;
  std::vector<std::unique_ptr<Sampler>> samplers_;
  RecordProgress progress_;
  MonoTime flushed_;
  ClockWatch watch_;
  std::optional<WallTime> sampled_;  ///< When the last sample was begun.
};

}  // namespace laggard::collect
