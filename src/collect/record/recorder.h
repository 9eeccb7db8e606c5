#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collect/record/outbox.h"
#include "collect/record/sampler.h"
#include "collect/record/ticks.h"

namespace laggard::collect {

/// Between two samples.
inline constexpr Duration kShortestInterval = std::chrono::milliseconds(100);
inline constexpr Duration kLongestInterval = std::chrono::hours(24);

struct RecorderOptions {
  Duration interval = std::chrono::seconds(1);
  std::optional<Duration> duration;  ///< From the call of `run`; else until stopped.
  Duration flush = std::chrono::seconds(10);
  std::string boot = {};  ///< Of the kernel that is recorded.
  /// A batch that reaches this is flushed early: what thousands of connections a second may take of memory.
  std::size_t most_cells = std::size_t{1} << 20;
  std::string host = {};  ///< Whose recording it is: for notes of gaps and of steps of the clock.
};

/// How a recording stands.
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

/// The sampling loop: wakes at every tick, has all samplers read, and every `flush` hands what they have to
/// the sink, a table per kind.
class Recorder {
 public:
  /// Everything given by reference outlives the recorder.
  Recorder(RecorderOptions options, Clock& clock, Outbox& outbox,
           std::vector<std::unique_ptr<Sampler>> samplers);

  /// Records until `stop()` or until the duration is over; then flushes.
  /// \param observe  called after every tick.
  [[nodiscard]] Status run(const std::function<bool()>& stop,
                           const std::function<void(const RecordProgress&)>& observe);

  [[nodiscard]] const RecordProgress& progress() const { return progress_; }

 private:
  void note_missed(std::uint64_t ticks);
  /// Whether it is time to sample; false when stopped first.
  [[nodiscard]] bool wait_until(MonoTime deadline, const std::function<bool()>& stop);
  void sample(std::uint64_t missed);
  void look_at_clocks(std::uint64_t missed);
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
