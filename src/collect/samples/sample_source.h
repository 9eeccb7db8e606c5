#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "collect/record/event_sources.h"
#include "collect/samples/perf_events.h"
#include "collect/samples/sample_reader.h"
#include "model/code_profile.h"

namespace laggard::collect {

/// Samples what processors do: `laggard record samples`. Profiles of the kind kSamplesKind, with call chains
/// of the kind kStacksKind.
class SampleSource final : public EventSource {
 public:
  [[nodiscard]] static Result<std::unique_ptr<EventSource>> open(const EventSourceSetup& setup);
  [[nodiscard]] static std::span<const EventSourceOption> options();

  [[nodiscard]] std::string_view kind() const override { return has_chains_ ? kStacksKind : kSamplesKind; }
  [[nodiscard]] std::optional<int> descriptor() const override { return events_.descriptor(); }
  [[nodiscard]] Duration cadence() const override { return std::chrono::milliseconds(250); }
  [[nodiscard]] Status read(Clock& clock, ObservationBatch& batch, std::size_t most) override;
  [[nodiscard]] bool has_ended() override;
  void finish(Clock& clock, ObservationBatch& batch) override;

 private:
  SampleSource(PerfEvents events, const SamplingOptions& sampling, SampleReader::Options reading);

  void tell_losses(WallTime now, ObservationBatch& batch);

  PerfEvents events_;
  bool has_chains_;
  std::vector<pid_t> processes_;  ///< It ends with these; empty: never.
  std::filesystem::path root_;
  Symbolizer::Say say_;
  SampleReader reader_;
  std::vector<std::uint64_t> words_;  ///< Of one reading; kept for its memory.
  std::optional<WallTime> drained_;
  std::uint64_t damaged_ = 0;  ///< Rings whose content made no sense, not told yet.
  std::uint64_t lost_ = 0;
};

/// What the command line says; checked. Control groups become folders below `setup.root`.
[[nodiscard]] Result<SamplingOptions> sampling_options(const EventSourceSetup& setup);

}  // namespace laggard::collect
