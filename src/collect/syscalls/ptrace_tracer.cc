#include <fcntl.h>
#include <fmt/format.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <memory>
#include <new>
#include <set>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "collect/syscalls/ptrace_loop.h"
#include "collect/syscalls/syscall_tracer.h"
#include "wire/syscall_record.h"

namespace laggard::collect {

namespace {

constexpr const char* kWho = "record syscalls";

/// Memory that a process shares with those that it forks.
struct Unmap {
  void operator()(PtraceCounts* counts) const { ::munmap(counts, sizeof *counts); }
};
using SharedCounts = std::unique_ptr<PtraceCounts, Unmap>;

SharedCounts share_counts() {
  void* const memory =
      ::mmap(nullptr, sizeof(PtraceCounts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return SharedCounts(memory == MAP_FAILED ? nullptr : new (memory) PtraceCounts);
}

/// Closes what the tracing process has no use for: it would keep files locked and pipes open.
void close_all_but(std::array<int, 2> kept) {
  std::ranges::sort(kept);
  unsigned from = STDERR_FILENO + 1;
  for (const int one : kept) {
    const auto descriptor = static_cast<unsigned>(one);
    if (descriptor > from) ::close_range(from, descriptor - 1, 0);
    from = descriptor + 1;
  }
  ::close_range(from, ~0U, 0);
}

[[noreturn]] void trace_in_child(PtraceLoop::Ends ends, PtraceCounts& counts, Duration running_after) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) ::signal(signal, SIG_IGN);
  close_all_but({ends.records, ends.commands});
  PtraceLoop(ends, counts, running_after).run();
  ::_exit(0);
}

class PtraceTracer final : public SyscallTracer {
 public:
  struct Parts {
    pid_t process;
    Fd records;
    Fd commands;
    Fd never;  ///< Never becomes readable: whoever waits looks by itself.
    SharedCounts counts;
    std::vector<std::string> comms;
  };
  explicit PtraceTracer(Parts parts) : parts_(std::move(parts)) {}
  PtraceTracer(const PtraceTracer&) = delete;
  PtraceTracer& operator=(const PtraceTracer&) = delete;
  ~PtraceTracer() override {
    stop();
    parts_.commands.reset();
    ::waitpid(parts_.process, nullptr, 0);
  }

  [[nodiscard]] Status begin(const TraceTargets& targets) {
    if (Status traced = trace(targets.processes, false); !traced) return traced;
    if (targets.held != 0) {
      if (Status traced = trace({&targets.held, 1}, true); !traced) return traced;
    }
    if (Status traced = trace(named(), false); !traced) return traced;
    return tell_open();
  }

  [[nodiscard]] int descriptor() const override { return parts_.never.get(); }

  void drain(const Take& take) override {
    constexpr std::size_t kAtOnce = std::size_t{1} << 16;
    for (;;) {
      if (!hand_over(take)) return;
      const std::size_t before = bytes_.size();
      bytes_.resize(before + kAtOnce);
      const ssize_t got = ::read(parts_.records.get(), bytes_.data() + before, kAtOnce);
      bytes_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
      if (got <= 0) return;
    }
  }

  [[nodiscard]] Status add(std::span<const std::uint32_t> processes) override {
    // One that somebody else traces does not end the recording of the others.
    Status traced = trace(processes, false);
    if (!traced && traced.error().code != ErrorCode::kNoPermission) return traced;
    return tell_open();
  }
  [[nodiscard]] Status tell_open() override { return tell({.kind = PtraceCommand::kTellOpen}); }
  [[nodiscard]] Status tell_running() override {
    if (const std::vector<std::uint32_t> fresh = named(); !fresh.empty()) {
      if (Status added = add(fresh); !added) return added;
    }
    return tell({.kind = PtraceCommand::kTellRunning});
  }
  void stop() override {
    if (std::exchange(is_stopped_, true)) return;
    // What it writes on its way has to find room.
    PtraceCommand command{.kind = PtraceCommand::kStop};
    static_cast<void>(::send(parts_.commands.get(), &command, sizeof command, MSG_NOSIGNAL));
    int done = 0;
    static_cast<void>(::recv(parts_.commands.get(), &done, sizeof done, 0));
  }
  [[nodiscard]] std::uint64_t live() const override { return parts_.counts->live; }
  [[nodiscard]] std::vector<std::uint64_t> lost() const override {
    const std::uint64_t lost = parts_.counts->lost;
    return lost == 0 ? std::vector<std::uint64_t>{} : std::vector<std::uint64_t>{lost};
  }

 private:
  /// False: whoever takes has had enough.
  bool hand_over(const Take& take) {
    std::size_t at = 0;
    bool goes_on = true;
    while (goes_on && bytes_.size() - at >= sizeof(wire::RecordHead)) {
      wire::RecordHead head;
      std::memcpy(&head, bytes_.data() + at, sizeof head);
      if (bytes_.size() - at < head.bytes) break;
      goes_on = take(std::span(bytes_).subspan(at, head.bytes));
      at += head.bytes;
    }
    bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(at));
    return goes_on;
  }

  [[nodiscard]] Status tell(const PtraceCommand& command) {
    int done = 0;
    const bool told =
        ::send(parts_.commands.get(), &command, sizeof command, MSG_NOSIGNAL) == sizeof command &&
        ::recv(parts_.commands.get(), &done, sizeof done, 0) == sizeof done;
    if (!told) return fail(ErrorCode::kUnavailable, kWho, "the tracing process has ended");
    if (done == EPERM) {
      return fail(
          ErrorCode::kNoPermission, kWho,
          "may not trace these processes: needs CAP_SYS_PTRACE, or processes of one's own that nobody "
          "traces (and /proc/sys/kernel/yama/ptrace_scope at 0)");
    }
    if (done != 0) return fail_errno(done, kWho, "cannot trace by ptrace");
    return {};
  }

  [[nodiscard]] Status trace(std::span<const std::uint32_t> processes, bool is_held) {
    while (!processes.empty()) {
      PtraceCommand command;
      command.is_held = is_held ? 1 : 0;
      command.count = static_cast<std::uint32_t>(std::min(processes.size(), command.processes.size()));
      std::ranges::copy(processes.first(command.count), command.processes.begin());
      if (Status told = tell(command); !told) return told;
      processes = processes.subspan(command.count);
    }
    return {};
  }

  /// Processes of the names that are looked for, once each.
  [[nodiscard]] std::vector<std::uint32_t> named() {
    namespace fs = std::filesystem;
    std::vector<std::uint32_t> fresh;
    if (parts_.comms.empty()) return fresh;
    std::error_code error;
    for (fs::directory_iterator at("/proc", error), end; !error && at != end; at.increment(error)) {
      const auto process = to_number<std::uint32_t>(at->path().filename().native());
      if (!process || named_.contains(*process)) continue;
      const auto comm = read_file(at->path() / "comm");
      if (!comm || std::ranges::find(parts_.comms, trim(*comm)) == parts_.comms.end()) continue;
      named_.insert(*process);
      fresh.push_back(*process);
    }
    return fresh;
  }

  Parts parts_;
  std::vector<std::byte> bytes_;
  std::set<std::uint32_t> named_;
  bool is_stopped_ = false;
};

}  // namespace

Result<std::unique_ptr<SyscallTracer>> open_ptrace_tracer(const TracerOptions& options) {
  std::array<int, 2> records{};
  std::array<int, 2> commands{};
  if (::pipe2(records.data(), O_CLOEXEC | O_NONBLOCK) != 0)
    return fail_errno(errno, kWho, "cannot make a pipe");
  Fd reading{records[0]};
  Fd writing{records[1]};
  constexpr std::size_t kMost = std::size_t{1} << 20;  // For those without rights of their own.
  ::fcntl(writing.get(), F_SETPIPE_SZ, static_cast<int>(std::min(options.ring_bytes, kMost)));
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, commands.data()) != 0)
    return fail_errno(errno, kWho, "cannot make a socket");
  Fd telling{commands[0]};
  Fd hearing{commands[1]};
  SharedCounts counts = share_counts();
  Fd never{::eventfd(0, EFD_CLOEXEC)};
  if (counts == nullptr || !never.valid()) return fail_errno(errno, kWho, "cannot share memory");
  const pid_t child = ::fork();
  if (child < 0) return fail_errno(errno, kWho, "cannot begin a tracing process");
  if (child == 0) trace_in_child({writing.get(), hearing.get()}, *counts, options.running_after);
  writing.reset();
  hearing.reset();
  auto tracer = std::make_unique<PtraceTracer>(PtraceTracer::Parts{.process = child,
                                                                   .records = std::move(reading),
                                                                   .commands = std::move(telling),
                                                                   .never = std::move(never),
                                                                   .counts = std::move(counts),
                                                                   .comms = options.targets.comms});
  if (Status begun = tracer->begin(options.targets); !begun) return forward(begun);
  return tracer;
}

}  // namespace laggard::collect
