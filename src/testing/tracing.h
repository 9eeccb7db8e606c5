#pragma once

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/file.h"
#include "collect/syscalls/syscall_source.h"
#include "collect/syscalls/syscall_tracer.h"
#include "model/syscall_event.h"

/// Tracers for real: children do what is written in a test, and what was recorded of them must be it.
namespace laggard::collect::testing_support {

using Lines = std::vector<testing::Matcher<std::string>>;

/// A child that does something once it is let go.
class Child {
 public:
  explicit Child(const std::function<void()>& act) {
    std::array<int, 2> gate{};
    EXPECT_EQ(::pipe(gate.data()), 0);
    process_ = ::fork();
    if (process_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::close(gate[1]);
      char go = 0;
      if (::read(gate[0], &go, 1) == 1) act();
      ::_exit(0);
    }
    ::close(gate[0]);
    gate_ = Fd(gate[1]);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  [[nodiscard]] pid_t process() const { return process_; }
  void let_go() const { EXPECT_EQ(::write(gate_.get(), "g", 1), 1); }
  /// Whether it sleeps within this system call. One that a tracer has stopped on its way in is shown as
  /// within it, too, but it does not sleep.
  [[nodiscard]] bool sleeps_in(long call) const {
    const std::string folder = "/proc/" + std::to_string(process_);
    return read_file(folder + "/syscall").value_or("").starts_with(std::to_string(call) + " ") &&
           read_file(folder + "/stat").value_or("").find(") S ") != std::string::npos;
  }

 private:
  pid_t process_ = -1;
  Fd gate_;
};

/// An event in one line, with what it is about: `read(3</etc/passwd>, 0x1, 2) = 17`.
struct Told {
  std::int64_t lwp = 0;
  std::string line;
  std::string object;
  SyscallEnd end = SyscallEnd::kReturned;
  bool has_duration = false;
  bool is_direct = false;
};

class Tracing : public testing::TestWithParam<const char*> {
 protected:
  using Options = std::map<std::string, std::vector<std::string>, std::less<>>;

  /// False, with the test skipped, where nobody may trace.
  bool trace(Options options) {
    options.emplace("ring", std::vector<std::string>{"4M"});
    options.emplace("tracer", std::vector<std::string>{GetParam()});
    auto opened =
        SyscallSource::open({.options = std::move(options),
                             .say = [this](const std::string& sentence) { said_.push_back(sentence); }});
    if (opened) {
      source_ = std::move(*opened);
      return true;
    }
    const bool may_be =
        opened.error().code == ErrorCode::kNoPermission || opened.error().code == ErrorCode::kUnavailable;
    if (!may_be) ADD_FAILURE() << opened.error().message();
    skipped_ = opened.error().message();
    return false;
  }
  void read() {
    ObservationBatch batch{"h", kSyscallKind};
    ASSERT_TRUE(source_->read(clock_, batch, std::size_t{1} << 16));
    keep(batch.events);
  }
  void read_until(const std::function<bool()>& is_enough) {
    const auto begin = std::chrono::steady_clock::now();
    while (!is_enough()) {
      ASSERT_LT(std::chrono::steady_clock::now() - begin, 60s) << "it does not come to an end";
      read();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  void finish() {
    ObservationBatch batch{"h", kSyscallKind};
    source_->finish(clock_, batch);
    keep(batch.events);
  }
  /// All that a child does from now on to its end.
  void follow(const Child& child) {
    child.let_go();
    read_until([&] { return source_->has_ended(); });
    finish();
  }
  void keep(const EventTable& events) {
    SyscallRows rows(events);
    for (std::size_t e = 0; e < events.size(); ++e) {
      const SyscallEvent event = rows.at(e);
      told_.push_back(
          {event.lwp.value_or(0),
           std::string(event.name) + "(" + std::string(event.arguments) + ") = " + std::string(event.result),
           std::string(event.object), event.end, event.took.has_value(), event.is_direct});
    }
    EXPECT_THAT(events.losses(), IsEmpty());
  }
  [[nodiscard]] std::vector<std::string> lines() const {
    std::vector<std::string> all;
    for (const Told& told : told_) all.push_back(told.line);
    return all;
  }
  [[nodiscard]] const Told* find(std::string_view part) const {
    const auto found = std::ranges::find_if(
        told_, [&](const Told& told) { return told.line.find(part) != std::string::npos; });
    return found == told_.end() ? nullptr : &*found;
  }
  /// What the first argument or the result of the call with this beginning is.
  [[nodiscard]] std::string object_of(std::string_view part) const {
    const Told* told = find(part);
    return told == nullptr ? "no such call" : told->object;
  }

  static Result<std::unique_ptr<SyscallTracer>> open(const TracerOptions& options) {
    return std::string_view(GetParam()) == "bpf" ? open_bpf_tracer(options) : open_ptrace_tracer(options);
  }

  SystemClock clock_;
  std::unique_ptr<EventSource> source_;
  std::vector<Told> told_;
  std::vector<std::string> said_;
  std::string skipped_;
};

#define TRACE_OR_SKIP(...) \
  if (!trace(__VA_ARGS__)) GTEST_SKIP() << skipped_

inline std::string number(pid_t process) { return std::to_string(process); }

}  // namespace laggard::collect::testing_support
