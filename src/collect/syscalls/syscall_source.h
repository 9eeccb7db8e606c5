#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/time.h"
#include "collect/record/event_sources.h"
#include "collect/syscalls/cgroup_processes.h"
#include "collect/syscalls/held_command.h"
#include "collect/syscalls/record_decoder.h"
#include "collect/syscalls/syscall_tracer.h"
#include "model/syscall_event.h"

namespace laggard::collect {

/// Records every system call of chosen processes and of whatever they fork: `laggard record syscalls`. Events
/// of the kind kSyscallKind, in the order in which the calls returned.
class SyscallSource final : public EventSource {
 public:
  using Say = std::function<void(const std::string& sentence)>;

  [[nodiscard]] static Result<std::unique_ptr<EventSource>> open(const EventSourceSetup& setup);
  [[nodiscard]] static std::span<const EventSourceOption> options();

  /// \param waits_for_more  go on when nothing is traced any more: more may come.
  SyscallSource(std::unique_ptr<SyscallTracer> tracer, std::optional<HeldCommand> command,
                bool waits_for_more, Say say)
      : tracer_(std::move(tracer)),
        command_(std::move(command)),
        waits_for_more_(waits_for_more),
        say_(std::move(say)) {}

  /// Those that come into the groups, too, within a second.
  void follow(CgroupProcesses groups) { groups_ = std::move(groups); }

  [[nodiscard]] std::string_view kind() const override { return kSyscallKind; }
  [[nodiscard]] std::optional<int> descriptor() const override { return tracer_->descriptor(); }
  [[nodiscard]] Duration cadence() const override { return std::chrono::milliseconds(20); }
  [[nodiscard]] bool keeps_unread() const override { return true; }
  [[nodiscard]] Status read(Clock& clock, ObservationBatch& batch, std::size_t most) override;
  [[nodiscard]] bool has_ended() override;
  void finish(Clock& clock, ObservationBatch& batch) override;

 private:
  /// How far the wall clock is from the monotonic one.
  struct ClockReading {
    Duration offset;
    Duration uncertainty;
  };

  void drain(Clock& clock, ObservationBatch& batch, std::size_t most);
  void follow_wall(Clock& clock);
  void tell_losses(Clock& clock, ObservationBatch& batch);
  [[nodiscard]] Status tell_open(MonoTime now);
  [[nodiscard]] Status look_into_groups(MonoTime now);
  [[nodiscard]] Status tell_running(MonoTime now);
  void tell_idle(MonoTime now, WallTime until, ObservationBatch& batch);
  void tell_io_uring();
  void tell_end();

  std::unique_ptr<SyscallTracer> tracer_;
  std::optional<HeldCommand> command_;
  bool waits_for_more_;
  std::optional<CgroupProcesses> groups_;
  std::optional<MonoTime> looked_into_groups_;
  Say say_;
  RecordDecoder decoder_;
  std::optional<SyscallEvent> left_;    ///< Found no room; its texts are the decoder's.
  std::optional<WallTime> drained_;     ///< When the ring was last looked into.
  std::optional<ClockReading> clocks_;  ///< As the decoder has it.
  std::uint64_t events_ = 0;
  std::uint64_t lost_ = 0;
  std::optional<MonoTime> told_open_;
  std::optional<MonoTime> told_running_;
  std::optional<MonoTime> told_anything_;
  bool may_lack_descriptors_ = false;
  bool is_stopped_ = false;
  bool told_io_uring_ = false;
};

}  // namespace laggard::collect
