#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "collect/calls/call_periods.h"
#include "collect/kernel/kernel_counter.h"
#include "collect/record/event_sources.h"
#include "model/code_profile.h"

namespace laggard::collect {

/// Records how often functions of the kernel are called and how long they take, and how often tracepoints are
/// passed: `laggard record kernel` (what B, §5, leaves for later). Profiles of the kinds kKernelCallsKind and
/// kKernelTimeKind; a function is of the program and the binary `[kernel]`. Time is from a call's begin to
/// its end, so that a function has the time of those that it calls, too.
class KernelSource final : public EventSource {
 public:
  /// \return as KernelCounter; kNotFound where the recorder's network namespace cannot be looked at
  [[nodiscard]] static Result<std::unique_ptr<EventSource>> open(const EventSourceSetup& setup);
  [[nodiscard]] static std::span<const EventSourceOption> options();

  [[nodiscard]] std::string_view kind() const override { return kKernelCallsKind; }
  [[nodiscard]] std::vector<std::string_view> profile_kinds() const override {
    return {kKernelCallsKind, kKernelTimeKind};
  }
  [[nodiscard]] Duration cadence() const override { return periods_.until_due(); }
  [[nodiscard]] Status read(Clock& clock, ObservationBatch& batch, std::size_t most) override;
  void finish(Clock& clock, ObservationBatch& batch) override;

 private:
  struct Function {
    std::string word;  ///< As of FunctionName.
    std::unique_ptr<KernelCounter> counter;
    KernelCount told = {};
  };

  KernelSource(const EventSourceSetup& setup, Duration interval) : say_(setup.say), periods_(interval) {}
  void tell(WallTime now, ObservationBatch& batch);

  std::function<void(const std::string& sentence)> say_;
  CallPeriods periods_;
  std::vector<Function> functions_;
};

}  // namespace laggard::collect
