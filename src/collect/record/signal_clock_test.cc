#include "collect/record/signal_clock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace laggard::collect {
namespace {

using namespace std::chrono_literals;

/// In a child, because the mask of signals stays with the process.
int in_child(int (*what)()) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(what());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

TEST(SignalClock, SleepsUntilTheDeadline) {
  EXPECT_EQ(in_child([] {
              auto clock = SignalClock::make();
              const MonoTime deadline = clock->mono() + 20ms;
              while (clock->mono() < deadline) clock->sleep_until(deadline);
              return clock->stopped() ? 1 : 0;
            }),
            0);
}

TEST(SignalClock, ASignalThatCameBeforeTheSleepEndsIt) {
  EXPECT_EQ(in_child([] {
              auto clock = SignalClock::make();
              ::kill(::getpid(), SIGTERM);
              clock->sleep_until(clock->mono() + 1h);
              return clock->stopped() ? 0 : 1;
            }),
            0);
}

TEST(SignalClock, AHangupThatIsIgnoredIsIgnored) {
  EXPECT_EQ(in_child([] {
              ::signal(SIGHUP, SIG_IGN);
              auto clock = SignalClock::make();
              ::kill(::getpid(), SIGHUP);
              clock->sleep_until(clock->mono() + 20ms);
              return clock->stopped() ? 1 : 0;
            }),
            0);
}

}  // namespace
}  // namespace laggard::collect
