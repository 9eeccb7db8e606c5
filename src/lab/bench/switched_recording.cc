#include "lab/bench/switched_recording.h"

#include <utility>

namespace laggard::lab::bench {

namespace {

/// The time in which recorders attach, or take their leave.
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

class WitnessRecording final : public SwitchedRecording {
 public:
  WitnessRecording(Bench& bench, const RunningWorkload& workload, std::vector<Witness> witnesses,
                   std::filesystem::path out)
      : bench_(bench), workload_(workload), witnesses_(std::move(witnesses)), out_(std::move(out)) {}
  [[nodiscard]] Status turn(bool on) override {
    recorders_.clear();
    processes_.clear();
    if (!on) return {};
    for (const Witness witness : witnesses_) {
      Result<EventRecorders> started = EventRecorders::start(witness, bench_, workload_, out_);
      if (!started) return forward(started);
      processes_.insert(processes_.end(), started->processes().begin(), started->processes().end());
      recorders_.push_back(std::move(*started));
    }
    return {};
  }
  [[nodiscard]] Duration settling() const override { return kSettling; }
  [[nodiscard]] std::span<const HostProcess> processes() const override { return processes_; }
  [[nodiscard]] Status check() override {
    for (const EventRecorders& one : recorders_) {
      if (Status fine = one.check(); !fine) return fine;
    }
    return {};
  }

 private:
  Bench& bench_;
  const RunningWorkload& workload_;
  std::vector<Witness> witnesses_;
  std::filesystem::path out_;
  std::vector<EventRecorders> recorders_;
  std::vector<HostProcess> processes_;
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

Result<std::unique_ptr<SwitchedRecording>> record_in_turn(Bench& bench, const RunningWorkload& workload,
                                                          const std::vector<Witness>& witnesses,
                                                          const std::filesystem::path& out) {
  return std::make_unique<WitnessRecording>(bench, workload, witnesses, out);
}

}  // namespace laggard::lab::bench
