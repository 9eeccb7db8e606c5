#include "lab/bench/switched_recording.h"

#include <optional>
#include <utility>

#include "lab/bench/event_recorders.h"

namespace laggard::lab::bench {

namespace {

/// The time in which recorders of calls attach, or take their leave.
constexpr Duration kSettling = std::chrono::seconds(3);

class MetricRecording final : public SwitchedRecording {
 public:
  explicit MetricRecording(Recorders recorders) : recorders_(std::move(recorders)) {}
  [[nodiscard]] Status turn(bool on) override { return on ? recorders_.thaw() : recorders_.freeze(); }
  [[nodiscard]] Duration settling() const override { return {}; }
  [[nodiscard]] std::span<const HostProcess> processes() const override { return recorders_.metrics(); }
  [[nodiscard]] Status check() override { return recorders_.check(); }

 private:
  Recorders recorders_;
};

class CallRecording final : public SwitchedRecording {
 public:
  CallRecording(Bench& bench, const RunningWorkload& workload, std::filesystem::path out)
      : bench_(bench), workload_(workload), out_(std::move(out)) {}
  [[nodiscard]] Status turn(bool on) override {
    recorders_.reset();
    if (!on) return {};
    Result<EventRecorders> started = EventRecorders::of_calls(bench_, workload_, out_);
    if (!started) return forward(started);
    recorders_.emplace(std::move(*started));
    return {};
  }
  [[nodiscard]] Duration settling() const override { return kSettling; }
  [[nodiscard]] std::span<const HostProcess> processes() const override {
    if (!recorders_) return {};
    return recorders_->processes();
  }
  [[nodiscard]] Status check() override { return recorders_ ? recorders_->check() : Status{}; }

 private:
  Bench& bench_;
  const RunningWorkload& workload_;
  std::filesystem::path out_;
  std::optional<EventRecorders> recorders_;
};

}  // namespace

Result<std::unique_ptr<SwitchedRecording>> record_metrics_in_turn(Bench& bench,
                                                                  const std::filesystem::path& out,
                                                                  Duration interval) {
  Result<Recorders> recorders =
      Recorders::start(bench.site(), {bench.programs().laggard, out, bench.loops(), false, interval});
  if (!recorders) return forward(recorders);
  return std::make_unique<MetricRecording>(std::move(*recorders));
}

Result<std::unique_ptr<SwitchedRecording>> record_calls_in_turn(Bench& bench, const RunningWorkload& workload,
                                                                const std::filesystem::path& out) {
  return std::make_unique<CallRecording>(bench, workload, out);
}

}  // namespace laggard::lab::bench
