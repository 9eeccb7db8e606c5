// What the kernel of this machine tells.
#include "collect/samples/sample_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "model/code_profile.h"

/// Not inlined and not renamed, so that it is seen by its name.
extern "C" [[gnu::noinline]] int laggard_burn_for_the_test(double seconds);
extern "C" int laggard_burn_for_the_test(double seconds) {
  // Looks at the clock rarely: the time is to be spent here.
  constexpr int kBetween = 1 << 20;
  volatile unsigned sum = 0;
  while (static_cast<double>(std::clock()) / CLOCKS_PER_SEC < seconds) {
    for (int i = 0; i < kBetween; ++i) sum = sum * 3 + 1;
  }
  return static_cast<int>(sum);
}

namespace laggard::collect {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

EventSourceSetup setup_with(std::map<std::string, std::vector<std::string>, std::less<>> more) {
  EventSourceSetup setup;
  setup.host = "h";
  setup.options = {{"frequency", {"999"}}, {"event", {"cpu-clock"}}, {"interval", {"10s"}}};
  for (auto& [name, values] : more) setup.options[name] = values;
  return setup;
}

/// The counts of a recording while a child burns CPU time.
std::map<std::string, std::uint64_t> counts_of_burning(EventSource& source, pid_t child, const char* kind) {
  ObservationBatch batch{"h", kind};
  SystemClock clock;
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    EXPECT_TRUE(source.read(clock, batch, 1 << 14));
    std::this_thread::sleep_for(20ms);
  }
  source.finish(clock, batch);
  std::map<std::string, std::uint64_t> counts;
  const ProfileTable& profile = batch.profile();
  for (std::size_t p = 0; p < profile.size(); ++p) {
    for (std::size_t i = 0; i < profile.seen(p).size(); ++i) {
      counts[std::string(profile.words().text(profile.seen(p)[i]))] += profile.counts(p)[i];
    }
  }
  return counts;
}

std::string own_name() { return std::filesystem::read_symlink("/proc/self/exe").filename().string(); }

/// Tests that run beside each other burn in functions of the same name.
std::string program_of(pid_t child) { return "burn-" + std::to_string(child); }

/// A child that waits to be told to begin, by a byte.
pid_t child_that_burns(int begin, double seconds) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::prctl(PR_SET_NAME, program_of(::getpid()).c_str());
  char byte = 0;
  static_cast<void>(!::read(begin, &byte, 1));
  laggard_burn_for_the_test(seconds);
  ::_exit(0);
}

class SamplingThisMachine : public testing::TestWithParam<bool> {};

TEST_P(SamplingThisMachine, AFunctionThatBurnsTimeIsSeenByItsName) {
  constexpr double kSeconds = 0.6;
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  const pid_t child = child_that_burns(pipe[0], kSeconds);
  const bool by_process = GetParam();
  auto setup = setup_with({});
  if (by_process) setup.options["pid"] = {std::to_string(child)};
  auto source = SampleSource::open(setup);
  static_cast<void>(!::write(pipe[1], "x", 1));
  if (!source) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    GTEST_SKIP() << source.error().message();
  }
  const auto counts = counts_of_burning(**source, child, "samples");
  std::uint64_t burnt = 0;
  for (const auto& [word, count] : counts) {
    const auto name = function_name(word);
    ASSERT_TRUE(name) << word;
    if (name->function != "laggard_burn_for_the_test" || name->program != program_of(child)) continue;
    burnt += count;
    EXPECT_EQ(name->binary, own_name());
  }
  // A machine that is busy with others takes samples late, and a late one stands for several.
  EXPECT_GT(burnt, 999 * kSeconds / 4);
  EXPECT_LT(burnt, 999 * kSeconds * 1.5);
}

INSTANTIATE_TEST_SUITE_P(All, SamplingThisMachine, testing::Bool(),
                         [](const auto& one) { return one.param ? "OneProcess" : "AllProcesses"; });

TEST(SamplingStacks, TheCallersOfAFunctionAreOutside) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  const pid_t child = child_that_burns(pipe[0], 0.3);
  auto source = SampleSource::open(setup_with({{"call-chains", {"yes"}}, {"pid", {std::to_string(child)}}}));
  static_cast<void>(!::write(pipe[1], "x", 1));
  if (!source) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    GTEST_SKIP() << source.error().message();
  }
  EXPECT_EQ((*source)->kind(), "stacks");
  std::uint64_t burnt = 0;
  for (const auto& [word, count] : counts_of_burning(**source, child, "stacks")) {
    if (word.ends_with(";laggard_burn_for_the_test")) burnt += count;
  }
  EXPECT_GT(burnt, 100U);
}

TEST(SamplingOptions, WhatCannotBeIsSaid) {
  const auto said = [](std::map<std::string, std::vector<std::string>, std::less<>> more) {
    const auto source = SampleSource::open(setup_with(std::move(more)));
    return source ? std::string() : source.error().message();
  };
  EXPECT_THAT(said({{"frequency", {"0"}}}), HasSubstr("--frequency: '0' is no number of samples"));
  EXPECT_THAT(said({{"frequency", {"many"}}}), HasSubstr("--frequency"));
  EXPECT_THAT(said({{"event", {"branches"}}}), HasSubstr("none of cpu-clock, cycles"));
  EXPECT_THAT(said({{"interval", {"1ms"}}}), HasSubstr("--interval"));
  EXPECT_THAT(said({{"pid", {"me"}}}), HasSubstr("is no number of a process"));
  EXPECT_THAT(said({{"cgroup", {"no/such/group"}}}), HasSubstr("there is no control group no/such/group"));
  EXPECT_THAT(said({{"pid", {"1"}}, {"cgroup", {"/sys/fs/cgroup"}}}), HasSubstr("c"));
}

}  // namespace
}  // namespace laggard::collect
