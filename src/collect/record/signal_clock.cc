#include "collect/record/signal_clock.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace laggard::collect {

Result<SignalClock> SignalClock::make() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  struct sigaction hangup {};
  if (::sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN) sigaddset(&set, SIGHUP);
  sigset_t blocked = set;
  sigaddset(&blocked, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
  Fd fd{::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK)};
  if (!fd.valid()) return fail_errno(errno, "signalfd", "cannot watch for signals");
  return SignalClock(std::move(fd));
}

void SignalClock::sleep_until(MonoTime deadline) {
  const Duration left = deadline - clock_.mono();
  if (left <= Duration::zero() || stopped_) return;
  timespec wait{};
  wait.tv_sec = left.count() / 1'000'000'000;
  wait.tv_nsec = left.count() % 1'000'000'000;
  pollfd poll{fd_.get(), POLLIN, 0};
  if (::ppoll(&poll, 1, &wait, nullptr) > 0) take_signal();
}

void SignalClock::take_signal() {
  signalfd_siginfo info{};
  if (::read(fd_.get(), &info, sizeof info) == sizeof info) stopped_ = true;
}

}  // namespace laggard::collect
