#include "collect/syscalls/syscall_source.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <filesystem>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"

namespace laggard::collect {

namespace {

constexpr std::size_t kSmallestRing = std::size_t{1} << 16;
constexpr std::size_t kLargestRing = std::size_t{1} << 30;

Result<std::size_t> ring_bytes_of(const std::string& text) {
  const auto bytes = parse_bytes(text);
  if (bytes && *bytes >= kSmallestRing && *bytes <= kLargestRing && std::has_single_bit(*bytes))
    return *bytes;
  return fail(ErrorCode::kBadUse, "--ring",
              fmt::format("'{}' is no power of two from 64k to 1G, such as 16M", text));
}

Result<TraceTargets> targets_of(const EventSourceSetup& setup) {
  TraceTargets targets;
  auto processes = chosen_processes(setup);
  if (!processes) return forward(processes);
  for (const pid_t process : *processes) targets.processes.push_back(static_cast<std::uint32_t>(process));
  targets.comms = setup.options_of("comm");
  if (targets.processes.size() > wire::kProcesses)
    return fail(ErrorCode::kBadUse, "--pid", fmt::format("more than {} processes", +wire::kProcesses));
  if (targets.comms.size() > wire::kComms)
    return fail(ErrorCode::kBadUse, "--comm", fmt::format("more than {} names", +wire::kComms));
  return targets;
}

/// By BPF, or where that cannot be had by ptrace.
Result<std::unique_ptr<SyscallTracer>> open_tracer(const std::string& name, const TracerOptions& options,
                                                   const SyscallSource::Say& say) {
  if (name == "ptrace") return open_ptrace_tracer(options);
  if (name != "auto" && name != "bpf")
    return fail(ErrorCode::kBadUse, "--tracer", fmt::format("'{}' is none of auto, bpf, ptrace", name));
  auto by_bpf = open_bpf_tracer(options);
  const bool is_missing = !by_bpf && (by_bpf.error().code == ErrorCode::kNoPermission ||
                                      by_bpf.error().code == ErrorCode::kUnavailable);
  if (name == "bpf" || !is_missing) return by_bpf;
  auto by_ptrace = open_ptrace_tracer(options);
  if (!by_ptrace) return by_bpf;  // What it needs is needed sooner.
  if (say) {
    say(fmt::format("traces by ptrace, so that recorded calls take many times as long: {}",
                    by_bpf.error().message()));
  }
  return by_ptrace;
}

}  // namespace

std::span<const EventSourceOption> SyscallSource::options() {
  static constexpr std::array<EventSourceOption, 6> kOptions{
      {{.name = "pid", .help = "These processes", .type = "N,...", .initial = "", .many = true},
       {.name = "comm",
        .help = "Processes of these names, as in /proc/N/comm, also those that come later",
        .type = "NAME,...",
        .initial = "",
        .many = true},
       {.name = "cgroup",
        .help = "Processes of these control groups and of those below, also those that come later",
        .type = "PATH,...",
        .initial = "",
        .many = true},
       {.name = "ring",
        .help = "Memory that calls wait in until they are read; what finds no room is lost and counted",
        .type = "SIZE",
        .initial = "16M"},
       {.name = "tracer",
        .help =
            "bpf; ptrace, which makes calls many times slower, but needs no rights for one's own processes; "
            "auto: the first that can be had",
        .type = "NAME",
        .initial = "auto"},
       {.name = "command",
        .help = "A command to run, with its arguments, behind --; the recording ends with it",
        .type = "COMMAND",
        .initial = "",
        .many = true,
        .is_command = true}}};
  return kOptions;
}

Result<std::unique_ptr<EventSource>> SyscallSource::open(const EventSourceSetup& setup) {
  auto targets = targets_of(setup);
  if (!targets) return forward(targets);
  auto ring = ring_bytes_of(setup.option("ring"));
  if (!ring) return forward(ring);
  const std::vector<std::string> words = setup.options_of("command");
  const std::vector<std::string> paths = setup.options_of("cgroup");
  if (targets->processes.empty() && targets->comms.empty() && paths.empty() && words.empty())
    return fail(ErrorCode::kBadUse, "record syscalls",
                "say whose calls: --pid N, --comm NAME, --cgroup PATH or a command behind --");
  auto groups = CgroupProcesses::find(setup.root, paths);
  if (!groups) return forward(groups);
  const std::vector<std::uint32_t> members = groups->newcomers();
  targets->processes.insert(targets->processes.end(), members.begin(), members.end());
  std::optional<HeldCommand> command;
  if (!words.empty()) {
    auto held = HeldCommand::hold(words);
    if (!held) return forward(held);
    command.emplace(std::move(*held));
    targets->held = static_cast<std::uint32_t>(command->process());
  }
  const bool waits_for_more = !targets->comms.empty() || !paths.empty();
  const std::string kind = setup.option("tracer");
  auto tracer = open_tracer(kind.empty() ? "auto" : kind,
                            {.targets = std::move(*targets), .ring_bytes = *ring}, setup.say);
  if (!tracer) return forward(tracer);
  auto source =
      std::make_unique<SyscallSource>(std::move(*tracer), std::move(command), waits_for_more, setup.say);
  if (!paths.empty()) source->follow(std::move(*groups));
  return source;
}

void SyscallSource::tell_io_uring() {
  if (!decoder_.uses_io_uring() || std::exchange(told_io_uring_, true) || !say_) return;
  say_("a traced process uses io_uring: what it reads and writes by it is no system call and is not seen");
}

void SyscallSource::tell_losses(Clock& clock, ObservationBatch& batch) {
  const std::vector<std::uint64_t> all = tracer_->lost();
  const std::uint64_t lost = std::accumulate(all.begin(), all.end(), std::uint64_t{0});
  const WallTime now = clock.wall();
  if (lost > lost_) {
    batch.events.add_loss({.from = drained_.value_or(now),
                           .to = now,
                           .count = lost - lost_,
                           .reason = "the ring was full (--ring)"});
    lost_ = lost;
    may_lack_descriptors_ = true;
  }
  drained_ = now;
}

/// Calls keep their order: the offset of the wall clock is read where nothing came between the two clocks,
/// and is followed once it has moved by more than such readings differ.
void SyscallSource::follow_wall(Clock& clock) {
  constexpr Duration kClose = std::chrono::microseconds(20);
  constexpr Duration kMoved = std::chrono::milliseconds(1);
  constexpr int kMostTries = 8;
  Duration between = Duration::max();
  Duration offset{};
  for (int tried = 0; tried < kMostTries && between > kClose; ++tried) {
    const MonoTime before = clock.mono();
    const WallTime wall = clock.wall();
    const Duration taken = clock.mono() - before;
    if (taken >= between) continue;
    between = taken;
    offset = wall.time_since_epoch() - before.time_since_epoch();
  }
  if (clocks_ && std::chrono::abs(offset - clocks_->offset) <= kMoved + between + clocks_->uncertainty) {
    return;
  }
  clocks_ = {.offset = offset, .uncertainty = between};
  decoder_.set_clock(offset);
}

void SyscallSource::drain(Clock& clock, ObservationBatch& batch, std::size_t most) {
  SyscallAppender appender(batch.events);
  if (left_) {
    if (!appender.append(*left_)) {
      batch.is_full = true;
      return;
    }
    left_.reset();
    ++events_;
  }
  follow_wall(clock);
  tracer_->drain([&](std::span<const std::byte> record) {
    const SyscallEvent* const event = decoder_.decode(record);
    if (event == nullptr) return true;
    if (!appender.append(*event)) {
      left_ = *event;
      batch.is_full = true;
      return false;
    }
    ++events_;
    return batch.events.size() < most;
  });
}

Status SyscallSource::read(Clock& clock, ObservationBatch& batch, std::size_t most) {
  // Not before the recording is surely ours.
  if (command_ && command_->is_held()) {
    if (Status executed = command_->let_go(); !executed) return executed;
  }
  if (Status looked = look_into_groups(clock.mono()); !looked) return looked;
  const WallTime begun = clock.wall();
  const std::uint64_t before = events_;
  drain(clock, batch, most);
  const MonoTime now = clock.mono();
  if (events_ != before || !told_anything_) told_anything_ = now;
  tell_idle(now, begun, batch);
  tell_losses(clock, batch);
  tell_io_uring();
  if (Status told = tell_running(now); !told) return told;
  return tell_open(now);
}

Status SyscallSource::look_into_groups(MonoTime now) {
  constexpr Duration kEvery = std::chrono::seconds(1);
  if (!groups_ || (looked_into_groups_ && now - *looked_into_groups_ < kEvery)) return {};
  looked_into_groups_ = now;
  const std::vector<std::uint32_t> newcomers = groups_->newcomers();
  return newcomers.empty() ? Status() : tracer_->add(newcomers);
}

/// So that those who follow the recording know that there is nothing to wait for.
void SyscallSource::tell_idle(MonoTime now, WallTime until, ObservationBatch& batch) {
  constexpr Duration kEvery = std::chrono::seconds(5);
  if (batch.is_full || now - *told_anything_ < kEvery) return;
  if (SyscallAppender(batch.events).append(idle_mark(until))) told_anything_ = now;
}

/// What is open, of processes that are new, or because what was lost may have told of it: not too often then,
/// as it fills the ring that ran over.
Status SyscallSource::tell_open(MonoTime now) {
  constexpr Duration kAtMost = std::chrono::seconds(1);
  const bool is_due = may_lack_descriptors_ && (!told_open_ || now - *told_open_ >= kAtMost);
  if (!decoder_.takes_newcomers() && !is_due) return {};
  may_lack_descriptors_ = false;
  told_open_ = now;
  return tracer_->tell_open();
}

/// So that a hang is known while it lasts.
Status SyscallSource::tell_running(MonoTime now) {
  constexpr Duration kEvery = std::chrono::seconds(5);
  if (!told_running_) told_running_ = now;
  if (now - *told_running_ < kEvery) return {};
  told_running_ = now;
  return tracer_->tell_running();
}

bool SyscallSource::has_ended() {
  if (command_) return command_->has_ended();
  return !waits_for_more_ && tracer_->live() == 0;
}

/// The outcome, losses in particular: that nothing was lost is worth as much as how much was.
void SyscallSource::tell_end() {
  if (!say_) return;
  std::string sentence = fmt::format("{} calls, signals and ends of threads; {} records lost",
                                     with_separators(events_), with_separators(lost_));
  const std::vector<std::uint64_t> all = tracer_->lost();
  for (std::size_t cpu = 0; cpu < all.size(); ++cpu) {
    if (all[cpu] != 0) sentence += fmt::format(", {} on processor {}", with_separators(all[cpu]), cpu);
  }
  if (decoder_.damaged() != 0) sentence += fmt::format("; {} records made no sense", decoder_.damaged());
  say_(sentence);
}

void SyscallSource::finish(Clock& clock, ObservationBatch& batch) {
  if (!std::exchange(is_stopped_, true)) tracer_->stop();
  constexpr std::size_t kMost = std::size_t{1} << 14;
  batch.is_full = false;
  drain(clock, batch, kMost);
  if (batch.events.size() >= kMost) batch.is_full = true;
  tell_losses(clock, batch);
  if (!batch.is_full) tell_end();
}

}  // namespace laggard::collect
