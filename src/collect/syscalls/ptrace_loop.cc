#include "collect/syscalls/ptrace_loop.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "base/file.h"

namespace laggard::collect {

void PtraceLoop::put(std::span<const std::byte> record) {
  constexpr std::size_t kPipeBuffer = 4096;  // PIPE_BUF: so much is written as a whole, or not at all.
  if (buffer_.size() + record.size() > kPipeBuffer) flush();
  buffer_.insert(buffer_.end(), record.begin(), record.end());
  ++buffered_;
}

void PtraceLoop::flush() {
  counts_.live = tracees_.size();
  if (buffer_.empty()) return;
  if (::write(ends_.records, buffer_.data(), buffer_.size()) < 0) counts_.lost += buffered_;
  buffer_.clear();
  buffered_ = 0;
}

int PtraceLoop::trace(const PtraceCommand& command) {
  for (std::uint32_t i = 0; i < command.count; ++i) {
    const int error = tracees_.seize(static_cast<pid_t>(command.processes.at(i)), command.is_held != 0);
    if (error != 0) return error;
  }
  return 0;
}

/// What does not stop, as it hangs in the kernel, is let go by the kernel when this process ends.
void PtraceLoop::stop() {
  constexpr Duration kPatience = std::chrono::seconds(1);
  constexpr Duration kPause = std::chrono::microseconds(500);
  tracees_.begin_to_let_go();
  SystemClock clock;
  const MonoTime begun = clock.mono();
  while (tracees_.size() > 0 && clock.mono() - begun < kPatience) {
    int status = 0;
    const pid_t id = ::waitpid(-1, &status, __WALL | WNOHANG);
    if (id > 0) tracees_.handle(id, status);
    if (id == 0) clock.sleep_until(clock.mono() + kPause);
  }
  tracees_.tell_unfinished();
}

bool PtraceLoop::obey() {
  PtraceCommand command;
  const ssize_t got = ::recv(ends_.commands, &command, sizeof command, 0);
  if (got < 0 && errno == EINTR) return true;
  if (got != sizeof command) return false;
  int done = 0;
  if (command.kind == PtraceCommand::kTrace) done = trace(command);
  if (command.kind == PtraceCommand::kTellOpen) tracees_.tell_open();
  if (command.kind == PtraceCommand::kTellRunning) tracees_.tell_running(running_after_);
  if (command.kind == PtraceCommand::kStop) stop();
  flush();
  static_cast<void>(::send(ends_.commands, &done, sizeof done, MSG_NOSIGNAL));
  return command.kind != PtraceCommand::kStop;
}

/// \return whether there may be more
bool PtraceLoop::handle_some() {
  constexpr int kAtOnce = 1000;  // Commands are not to wait for threads that never rest.
  for (int handled = 0; handled < kAtOnce; ++handled) {
    int status = 0;
    const pid_t id = ::waitpid(-1, &status, __WALL | WNOHANG);
    if (id <= 0) return false;
    tracees_.handle(id, status);
  }
  return true;
}

void PtraceLoop::run() {
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &children, nullptr);
  const Fd stops(::signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK));
  for (;;) {
    const bool is_more = handle_some();
    flush();
    std::array<pollfd, 2> waits{{{stops.get(), POLLIN, 0}, {ends_.commands, POLLIN, 0}}};
    if (::poll(waits.data(), waits.size(), is_more ? 0 : -1) < 0 && errno != EINTR) return;
    signalfd_siginfo told{};
    while (::read(stops.get(), &told, sizeof told) > 0) {
    }
    if (waits[1].revents != 0 && !obey()) return;
  }
}

}  // namespace laggard::collect
