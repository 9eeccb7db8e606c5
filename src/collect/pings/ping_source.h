#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "collect/pings/ping_processes.h"
#include "collect/pings/ping_rounds.h"
#include "collect/record/event_sources.h"

namespace laggard::collect {

/// Probes storage targets by requests of its own: `laggard record pings`. Events and profiles of the kind
/// `ping`; see PingRounds and LatencyHistogram for what is in them.
class PingSource final : public EventSource {
 public:
  static constexpr std::string_view kKind = "ping";
  static constexpr Duration kLongestInterval = std::chrono::minutes(10);

  [[nodiscard]] static Result<std::unique_ptr<EventSource>> open(const EventSourceSetup& setup);
  [[nodiscard]] static std::span<const EventSourceOption> options();

  [[nodiscard]] std::string_view kind() const override { return kKind; }
  [[nodiscard]] std::optional<int> descriptor() const override { return runner_->descriptor(); }
  [[nodiscard]] Duration cadence() const override { return rounds_.until_next(); }
  [[nodiscard]] Status read(Clock& clock, ObservationBatch& batch, std::size_t most) override;
  void finish(Clock& clock, ObservationBatch& batch) override { rounds_.finish(clock, batch); }

 private:
  PingSource(std::unique_ptr<PingProcesses> runner, PingPlan plan, PingRounds::Say say)
      : runner_(std::move(runner)), rounds_(std::move(plan), *runner_, std::move(say)) {}

  std::unique_ptr<PingProcesses> runner_;
  PingRounds rounds_;
};

/// What the command line says; checked. \param words  values by the names of PingSource::options.
[[nodiscard]] Result<PingPlan> ping_plan(const EventSourceSetup& setup);

}  // namespace laggard::collect
