#include "collect/record/recorder.h"

#include <algorithm>
#include <utility>

#include "collect/record/clocks.h"

namespace laggard::collect {

Recorder::Recorder(RecorderOptions options, Clock& clock, Outbox& outbox,
                   std::vector<std::unique_ptr<Sampler>> samplers)
    : options_(std::move(options)),
      clock_(clock),
      outbox_(outbox),
      samplers_(std::move(samplers)),
      watch_(options_.interval) {}

Status Recorder::run(const std::function<bool()>& stop,
                     const std::function<void(const RecordProgress&)>& observe) {
  const MonoTime start = clock_.mono();
  flushed_ = start;
  TickSchedule schedule(options_.interval);
  while (!stop() && !outbox_.broken()) {
    const WallTime wall = clock_.wall();
    const TickSchedule::Tick tick = schedule.next(wall, clock_.mono());
    if (options_.duration && tick.deadline - start > *options_.duration) {
      // Ticks that went by during the last sample but after the end were not missed.
      const Duration beyond = tick.deadline - start - *options_.duration - Duration{1};
      note_missed(tick.missed -
                  std::min(tick.missed, static_cast<std::uint64_t>(beyond / options_.interval)));
      break;
    }
    if (!wait_until(tick.deadline, stop)) break;
    schedule.begun(clock_.mono());
    note_missed(tick.missed);
    sample(tick.missed);
    const MonoTime now = clock_.mono();
    if (is_flush_due(now)) flush(now);
    progress_.elapsed = now - start;
    progress_.outbox = outbox_.counts();
    observe(progress_);
  }
  for (const auto& sampler : samplers_) hand_over(*sampler);
  Status finished = outbox_.finish();
  progress_.elapsed = clock_.mono() - start;
  progress_.outbox = outbox_.counts();
  return finished;
}

void Recorder::note_missed(std::uint64_t ticks) {
  if (ticks == 0) return;
  ++progress_.gaps;
  progress_.missed_ticks += ticks;
}

bool Recorder::wait_until(MonoTime deadline, const std::function<bool()>& stop) {
  while (clock_.mono() < deadline) {
    clock_.sleep_until(deadline);
    if (stop()) return false;
  }
  return true;
}

void Recorder::sample(std::uint64_t missed) {
  look_at_clocks(missed);
  progress_.devices = 0;
  for (const auto& sampler : samplers_) {
    sampler->sample(clock_);
    progress_.devices += sampler->devices();
    if (sampler->batch().size_in_cells() < options_.most_cells) continue;
    hand_over(*sampler);
    outbox_.deliver_soon();
  }
  ++progress_.samples;
}

/// Notes in the recording why a stretch of time has no samples, as far as the clocks tell.
void Recorder::look_at_clocks(std::uint64_t missed) {
  constexpr std::uint64_t kShown = 3;  // Readers do not take fewer missed ticks for a gap.
  const std::optional<ClockChange> change = watch_.look(clock_);
  const WallTime now = clock_.wall();
  const auto note = [&](std::string reason) {
    outbox_.put(
        Gap{.host = options_.host, .from = sampled_.value_or(now), .to = now, .reason = std::move(reason)});
  };
  if (change && change->step != Duration{}) {
    ++progress_.clock_steps;
    note(step_reason(change->step));
  }
  if (change && change->suspended != Duration{}) {
    ++progress_.suspensions;
    note("suspended");
  }
  if (!change && missed >= kShown) note("recorder held up");
  sampled_ = now;
}

void Recorder::hand_over(Sampler& sampler) {
  for (DeviceInfo& facts : sampler.take_facts()) outbox_.put(std::move(facts));
  outbox_.put(sampler.batch().take(options_.boot));
}

bool Recorder::is_flush_due(MonoTime now) const {
  // Half an interval more: a tick that comes a moment early must not postpone the flush to the next one.
  const Duration since = now - flushed_ + options_.interval / 2;
  if (since >= options_.flush) return true;
  return options_.is_watched && since >= kWatchedFlush && options_.is_watched();
}

void Recorder::flush(MonoTime now) {
  flushed_ = now;
  for (const auto& sampler : samplers_) hand_over(*sampler);
  outbox_.deliver_soon();
}

}  // namespace laggard::collect
