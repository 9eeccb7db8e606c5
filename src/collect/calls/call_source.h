#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/time.h"
#include "collect/calls/call_memory.h"
#include "collect/calls/call_periods.h"
#include "collect/record/event_sources.h"
#include "collect/samples/symbolizer.h"
#include "model/code_profile.h"

namespace laggard::collect {

/// Records how often functions of chosen processes, and of what they fork, are called and how long they take:
/// `laggard record calls` (B §3.2). Profiles of the kinds kCallsKind and kCallTimeKind, of what has changed
/// in a second.
class CallSource final : public EventSource {
 public:
  /// Of one process; what else it calls is lost and counted.
  static constexpr std::size_t kMostFunctions = std::size_t{1} << 17;
  static constexpr std::size_t kMostProcesses = 512;  ///< At a time; each holds a file open.

  [[nodiscard]] static Result<std::unique_ptr<EventSource>> open(const EventSourceSetup& setup);
  [[nodiscard]] static std::span<const EventSourceOption> options();

  [[nodiscard]] std::string_view kind() const override { return kCallsKind; }
  [[nodiscard]] std::vector<std::string_view> profile_kinds() const override {
    return {kCallsKind, kCallTimeKind};
  }
  [[nodiscard]] Duration cadence() const override { return periods_.until_due(); }
  [[nodiscard]] Status read(Clock& clock, ObservationBatch& batch, std::size_t most) override;
  [[nodiscard]] bool has_ended() override;
  void finish(Clock& clock, ObservationBatch& batch) override;

 private:
  struct Function {
    std::string word;         ///< As of FunctionName; empty: not named yet.
    std::uint64_t calls = 0;  ///< Told already.
    std::uint64_t ticks = 0;
  };
  struct Process {
    pid_t id = 0;
    CallMemory memory;
    std::unordered_map<std::uint64_t, Function> functions = {};  ///< By address.
    CallMemory::Losses lost = {};                                ///< Told already.
    std::string code = {};                                       ///< Its pieces of memory that have code.
    bool is_gone = false;
    std::uint64_t first_ticks = 0;  ///< Of its clock, with `first_`.
  };
  CallSource(const EventSourceSetup& setup, Duration interval)
      : root_(setup.root), say_(setup.say), periods_(interval), symbolizer_(setup.root, {}) {}

  [[nodiscard]] Status take(Process& process, MonoTime now, CallPeriods::Changes& changes,
                            CallMemory::Losses& lost);
  [[nodiscard]] std::string name(const Process& process, std::uint64_t function, MonoTime now);
  void look_at_code(Process& process, MonoTime now);
  void take_up_children();
  void tell(const CallPeriods::Changes& changes, const CallMemory::Losses& lost, WallTime now,
            ObservationBatch& batch);

  std::filesystem::path root_;
  Symbolizer::Say say_;
  CallPeriods periods_;
  Symbolizer symbolizer_;
  std::vector<Process> processes_;  ///< Those that are not gone.
  bool has_refused_ = false;        ///< More than kMostProcesses, which is said once.
  std::optional<MonoTime> first_;   ///< When the first reading was.
};

}  // namespace laggard::collect
