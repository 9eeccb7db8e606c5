// Which calls of whom tracers tell of, of real processes.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/file.h"
#include "collect/procfs/quota_meter.h"
#include "collect/syscalls/record_decoder.h"
#include "testing/tracing.h"

namespace laggard::collect {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::Contains;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::StartsWith;
using testing_support::Child;
using testing_support::Lines;
using testing_support::number;
using testing_support::Told;

class CallTracing : public testing_support::Tracing {};

TEST_P(CallTracing, WhatIsUnderWayForLongIsToldWhileItIs) {
  const Child child([] {
    std::array<int, 2> pipe{};
    char byte = 0;
    static_cast<void>(!::pipe(pipe.data()));
    static_cast<void>(!::read(pipe[0], &byte, 1));
  });
  auto tracer = open({.targets = {.processes = {static_cast<std::uint32_t>(child.process())}},
                      .ring_bytes = std::size_t{1} << 20,
                      .running_after = 40ms});
  if (!tracer) GTEST_SKIP() << tracer.error().message();
  RecordDecoder decoder;
  const WallTime begun{clock_.mono().time_since_epoch()};
  child.let_go();
  std::vector<Duration> told;
  while (told.size() < 3) {
    ASSERT_LT(clock_.mono().time_since_epoch() - begun.time_since_epoch(), 60s);
    ASSERT_TRUE((*tracer)->tell_running());
    (*tracer)->drain([&](std::span<const std::byte> record) {
      const SyscallEvent* const event = decoder.decode(record);
      if (event == nullptr || event->end != SyscallEnd::kRunning) return true;
      EXPECT_EQ(event->name, "read");
      EXPECT_EQ(event->lwp, child.process());
      EXPECT_THAT(std::string(event->object), StartsWith("pipe:["));
      EXPECT_GE(event->time - *event->took, begun);
      told.push_back(*event->took);
      return true;
    });
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_GE(told[0], 40ms);
  EXPECT_GE(told[1], 2 * told[0]);
  EXPECT_GE(told[2], 2 * told[1]);
  (*tracer)->stop();
}

TEST_P(CallTracing, ChildrenAndTheProgramsThatTheyExecute) {
  const Child child([] {
    const int stays = ::open("/etc/passwd", O_RDONLY);
    const int closes = ::open("/etc/group", O_RDONLY | O_CLOEXEC);
    ::signal(SIGCHLD, [](int) {});  // Or it is not delivered.
    ::dup2(stays, 8);
    ::dup3(closes, 9, O_CLOEXEC);
    ::dup2(stays, 7);
    ::ioctl(7, FIOCLEX);
    const pid_t grandchild = ::fork();
    if (grandchild == 0) {
      ::execl("/bin/sh", "sh", "-c", "exec 2>/dev/null; read line <&8; read line <&9; read line <&7; exit 9",
              nullptr);
      ::_exit(1);
    }
    ::waitpid(grandchild, nullptr, 0);
  });
  TRACE_OR_SKIP({{"pid", {number(child.process())}}});
  follow(child);
  const Told* executed = find("execve(\"/bin/sh\"");
  ASSERT_NE(executed, nullptr);
  EXPECT_NE(executed->lwp, child.process());
  EXPECT_THAT(lines(), Contains(AllOf(StartsWith("dup2(8</etc/passwd>, 0)"), HasSubstr("= 0</etc/passwd>"))));
  EXPECT_THAT(lines(), Contains(AllOf(StartsWith("dup2(9, 0"), HasSubstr("-1 EBADF"))));
  EXPECT_THAT(lines(), Contains(AllOf(StartsWith("dup2(7, 0"), HasSubstr("-1 EBADF"))));
  const Told* ended = find("exited(");
  ASSERT_NE(ended, nullptr);
  EXPECT_EQ(ended->lwp, executed->lwp);
  EXPECT_THAT(lines(), Contains(StartsWith("SIGCHLD({si_signo=SIGCHLD, si_code=CLD_EXITED, si_pid=" +
                                           std::to_string(executed->lwp))));
}

TEST_P(CallTracing, SignalsThatAreHandled) {
  const Child child([] {
    ::signal(SIGUSR1, [](int) {});
    ::raise(SIGUSR1);
  });
  TRACE_OR_SKIP({{"pid", {number(child.process())}}});
  follow(child);
  const Told* signal = find("SIGUSR1({si_signo=SIGUSR1, si_code=SI_TKILL, si_pid=");
  ASSERT_NE(signal, nullptr);
  EXPECT_EQ(signal->end, SyscallEnd::kSignal);
}

TEST_P(CallTracing, AThreadThatDiesInACallHasNotReturned) {
  const Child child([] {
    std::array<int, 2> pipe{};
    static_cast<void>(!::pipe(pipe.data()));
    std::array<char, 77> bytes{};
    ::kill(::getpid(), SIGSTOP);
    static_cast<void>(!::read(pipe[0], bytes.data(), bytes.size()));
  });
  TRACE_OR_SKIP({{"pid", {number(child.process())}}});
  child.let_go();
  ::waitpid(child.process(), nullptr, WUNTRACED);
  ::kill(child.process(), SIGCONT);
  read_until([&] { return child.sleeps_in(SYS_read); });
  ::kill(child.process(), SIGKILL);
  read_until([&] { return source_->has_ended(); });
  finish();
  const Told* read = find(", 77) = ");
  ASSERT_NE(read, nullptr);
  EXPECT_THAT(read->object, StartsWith("pipe:["));
  EXPECT_EQ(read->end, SyscallEnd::kUnfinished);
  EXPECT_FALSE(read->has_duration);
  EXPECT_THAT(lines(), Contains("killed(by SIGKILL) = "));
}

TEST_P(CallTracing, WhatIsUnderWayAtTheEndIsMarked) {
  const Child child([] {
    ::getppid();
    ::poll(nullptr, 0, 123'456);
  });
  TRACE_OR_SKIP({{"pid", {number(child.process())}}});
  child.let_go();
  read_until([&] { return child.sleeps_in(SYS_poll); });
  finish();
  EXPECT_THAT(lines(), Contains("getppid() = " + number(::getpid())));
  const Told* poll = find("poll(NULL, 0, 123456) = ");
  ASSERT_NE(poll, nullptr);
  EXPECT_EQ(poll->line, "poll(NULL, 0, 123456) = ");
  EXPECT_EQ(poll->end, SyscallEnd::kUnfinished);
}

TEST_P(CallTracing, AllThreadsOfAProcessAndNobodyElse) {
  constexpr int kThreads = 8;
  const Child child([] {
    std::vector<std::thread> threads;
    threads.reserve(kThreads);
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([i] {
        for (int k = 0; k < 100; ++k) ::syscall(SYS_lseek, -1, i, k);
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
  TRACE_OR_SKIP({{"pid", {number(child.process())}}});
  ::syscall(SYS_lseek, -1, 999, 999);
  follow(child);
  std::map<std::int64_t, int> calls;
  for (const Told& told : told_) {
    if (told.line.starts_with("lseek(-1, ")) ++calls[told.lwp];
  }
  EXPECT_EQ(calls.size(), static_cast<std::size_t>(kThreads));
  for (const auto& [lwp, count] : calls) EXPECT_EQ(count, 100) << lwp;
  EXPECT_EQ(find("999, 999"), nullptr);
}

TEST_P(CallTracing, ProcessesByNameAlsoThoseThatComeLater) {
  if (std::string_view(GetParam()) == "ptrace") GTEST_SKIP() << "it looks for them now and then";
  const std::string name = "lgd-" + number(::getpid());
  const Child now([&] { ::syscall(SYS_lseek, -1, 11, 0); });
  // Its name is that of the test; a copy of a program has its own.
  const std::string program = testing::TempDir() + "/" + name;
  std::vector<char> bytes(std::size_t{1} << 22);
  {
    const Fd from{::open("/bin/true", O_RDONLY | O_CLOEXEC)};
    const Fd to{::open(program.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700)};
    const ssize_t size = ::read(from.get(), bytes.data(), bytes.size());
    ASSERT_EQ(::write(to.get(), bytes.data(), static_cast<std::size_t>(size)), size);
  }
  const Fd open{::open("/etc/passwd", O_RDONLY)};  // NOLINT(android-cloexec-open): it is to be kept.
  const Child later([&] { ::execl(program.c_str(), program.c_str(), nullptr); });
  TRACE_OR_SKIP({{"comm", {name}}});
  now.let_go();
  later.let_go();
  read_until([&] { return find("exited(with 0)") != nullptr; });
  EXPECT_FALSE(source_->has_ended()) << "more may come";
  finish();
  ::unlink(program.c_str());
  EXPECT_EQ(find("lseek(-1, 11"), nullptr);
  EXPECT_NE(find("exit_group(0) = ?"), nullptr);
}

TEST_P(CallTracing, ProcessesOfAControlGroupAlsoThoseThatComeLater) {
  namespace fs = std::filesystem;
  const CgroupMounts mounts = CgroupMounts::find("/");
  const std::string name = "laggard-test-" + number(::getpid());
  const fs::path group = (mounts.cpu_v1.empty() ? mounts.v2 : mounts.cpu_v1) / name;
  std::error_code error;
  if (group.is_relative() || !fs::create_directory(group, error))
    GTEST_SKIP() << "no control group can be made";
  {
    const Child before([] { ::syscall(SYS_getppid); });
    const Child after([] { ::syscall(SYS_getpgid, 0); });
    const Child other([] { ::syscall(SYS_getsid, 0); });
    const auto move = [&](const Child& child) {
      EXPECT_TRUE(std::ofstream(group / "cgroup.procs") << number(child.process()) << std::flush);
    };
    move(before);
    const bool may_trace = trace({{"cgroup", {name}}});
    if (may_trace) {
      before.let_go();
      read_until([&] { return find("getppid(") != nullptr; });
      move(after);
      std::this_thread::sleep_for(1100ms);
      read();
      after.let_go();
      other.let_go();
      read_until([&] { return find("getpgid(") != nullptr; });
      finish();
      EXPECT_EQ(find("getsid("), nullptr);
    }
  }
  fs::remove(group);
  if (!skipped_.empty()) GTEST_SKIP() << skipped_;
}

TEST_P(CallTracing, LongPathsAreCut) {
  const std::string long_name = "/" + std::string(250, 'x');
  const Child child([&] {
    static_cast<void>(!::open((long_name + long_name).c_str(), O_RDONLY));
    static_cast<void>(!::rename(long_name.c_str(), "/nonexistent/b"));
  });
  TRACE_OR_SKIP({{"pid", {number(child.process())}}});
  follow(child);
  EXPECT_THAT(lines(),
              IsSupersetOf(Lines{
                  AllOf(StartsWith("openat(AT_FDCWD, \"/xxx"), HasSubstr("x\"..., O_RDONLY)")),
                  AllOf(StartsWith("rename(\"/xxx"), HasSubstr("x\", \"/nonexistent/b\") = -1 ENOENT"))}));
}

TEST_P(CallTracing, AFullRingLosesAndCounts) {
  const Child child([] {
    for (int i = 0; i < 20'000; ++i) ::syscall(SYS_getppid);
  });
  const auto tracer =
      open({.targets = {.processes = {static_cast<std::uint32_t>(child.process())}, .comms = {}, .held = 0},
            .ring_bytes = std::size_t{1} << 16});
  if (!tracer) GTEST_SKIP() << tracer.error().message();
  child.let_go();
  // Nobody reads meanwhile.
  const auto begin = std::chrono::steady_clock::now();
  while ((*tracer)->live() > 0 && std::chrono::steady_clock::now() - begin < 60s)
    std::this_thread::sleep_for(1ms);
  std::uint64_t lost = 0;
  for (const std::uint64_t of_processor : (*tracer)->lost()) lost += of_processor;
  std::uint64_t calls = 0;
  (*tracer)->stop();
  (*tracer)->drain([&](std::span<const std::byte> record) {
    wire::RecordHead head{};
    std::memcpy(&head, record.data(), sizeof head);
    if (head.kind == wire::kCallRecord && head.number == SYS_getppid) ++calls;
    return true;
  });
  EXPECT_GT(calls, 0U);
  EXPECT_LT(calls, 1000U);
  // Besides: what else it did, of which the ring has some.
  EXPECT_GE(lost + calls, 20'000U);
  EXPECT_LT(lost + calls, 20'010U);
}

TEST_P(CallTracing, ACommandIsFollowedFromItsFirstCall) {
  TRACE_OR_SKIP({{"command", {"sh", "-c", "exit 3"}}});
  read_until([&] { return source_->has_ended(); });
  finish();
  ASSERT_FALSE(told_.empty());
  EXPECT_THAT(told_.front().line, AllOf(StartsWith("execve(\""), EndsWith("= 0")));
  EXPECT_EQ(told_.back().line, "exited(with 3) = ");
}

TEST_P(CallTracing, ACommandThatIsNotThere) {
  TRACE_OR_SKIP({{"command", {"/nonexistent/program"}}});
  ObservationBatch batch{"h", kSyscallKind};
  const Status done = source_->read(clock_, batch, 100);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message(), StartsWith("/nonexistent/program: cannot be executed"));
}

TEST_P(CallTracing, ACommandThatWasNeverLetGoJustEnds) {
  const std::string made = testing::TempDir() + "/lgd-never-" + number(::getpid());
  TRACE_OR_SKIP({{"command", {"touch", made}}});
  EXPECT_FALSE(source_->has_ended());
  source_.reset();
  EXPECT_NE(::access(made.c_str(), F_OK), 0);
}

INSTANTIATE_TEST_SUITE_P(By, CallTracing, testing::Values("bpf", "ptrace"),
                         [](const auto& which) { return std::string(which.param); });

}  // namespace
}  // namespace laggard::collect
