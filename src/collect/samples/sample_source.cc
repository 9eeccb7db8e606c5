#include "collect/samples/sample_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "base/text.h"

namespace laggard::collect {

namespace {

/// Of one profile.
Result<Duration> period_of(const EventSourceSetup& setup) {
  constexpr Duration kShortest = std::chrono::seconds(1);
  constexpr Duration kLongest = std::chrono::minutes(10);
  auto period = parse_duration(setup.option("interval"));
  if (!period || *period < kShortest || *period > kLongest) {
    return fail(ErrorCode::kBadUse, "--interval",
                fmt::format("'{}' is no duration from 1s to 10m, such as 10s", setup.option("interval")));
  }
  return period;
}

}  // namespace

Result<std::unique_ptr<EventSource>> SampleSource::open(const EventSourceSetup& setup) {
  constexpr Duration kSecond = std::chrono::seconds(1);
  auto sampling = sampling_options(setup);
  if (!sampling) return forward(sampling);
  auto period = period_of(setup);
  if (!period) return forward(period);
  auto events = PerfEvents::open(*sampling, setup.root);
  if (!events) return forward(events);
  if (events->sees_user_only() && setup.say) {
    setup.say(
        "samples are of programs' own code alone, without the kernel's: that needs the capability "
        "CAP_PERFMON, or "
        "a smaller kernel.perf_event_paranoid");
  }
  SampleReader::Options reading{.period = *period,
                                .each = kSecond / sampling->frequency,
                                .has_chains = sampling->has_chains,
                                .root = setup.root,
                                .say = setup.say};
  return std::unique_ptr<EventSource>(new SampleSource(std::move(*events), *sampling, std::move(reading)));
}

SampleSource::SampleSource(PerfEvents events, const SamplingOptions& sampling, SampleReader::Options reading)
    : events_(std::move(events)),
      has_chains_(sampling.has_chains),
      processes_(sampling.processes),
      root_(reading.root),
      say_(reading.say),
      reader_(std::move(reading)) {}

/// The rings bound what there can be.
Status SampleSource::read(Clock& clock, ObservationBatch& batch, std::size_t most) {
  static_cast<void>(most);
  words_.clear();
  damaged_ += events_.drain(words_);
  const WallTime wall = clock.wall();
  reader_.read(words_, clock.mono(), wall, batch.profile());
  tell_losses(wall, batch);
  return {};
}

void SampleSource::tell_losses(WallTime now, ObservationBatch& batch) {
  const SampleReader::Losses losses = reader_.take_losses();
  const WallTime from = drained_.value_or(now);
  const auto tell = [&](std::uint64_t count, const char* reason) {
    if (count > 0) batch.profile().add_loss({.from = from, .to = now, .count = count, .reason = reason});
  };
  tell(losses.no_room, "the ring was full");
  tell(losses.throttled, "the kernel held sampling back");
  tell(std::exchange(damaged_, 0), "records made no sense");
  lost_ += losses.no_room;
  drained_ = now;
}

bool SampleSource::has_ended() {
  return !processes_.empty() && std::ranges::none_of(processes_, [&](pid_t process) {
    std::error_code gone;
    return std::filesystem::exists(root_ / "proc" / std::to_string(process), gone);
  });
}

void SampleSource::finish(Clock& clock, ObservationBatch& batch) {
  static_cast<void>(read(clock, batch, 0));
  reader_.finish(clock.wall(), batch.profile());
  if (!say_) return;
  say_(fmt::format("{} samples, and {} of idle processors left out; {} records lost",
                   with_separators(reader_.samples()), with_separators(reader_.idle()),
                   with_separators(lost_)));
}

}  // namespace laggard::collect
