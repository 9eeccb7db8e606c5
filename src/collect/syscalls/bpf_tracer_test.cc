// The kernel's side for real: children do what is written here, and what was recorded of them must be it.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/file.h"
#include "collect/syscalls/record_decoder.h"
#include "collect/syscalls/syscall_source.h"
#include "collect/syscalls/syscall_tracer.h"
#include "model/syscall_event.h"

namespace laggard::collect {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::Contains;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::StartsWith;

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
};

class Tracing : public testing::Test {
 protected:
  using Options = std::map<std::string, std::vector<std::string>, std::less<>>;

  /// False, with the test skipped, where nobody may trace.
  bool trace(Options options) {
    options.emplace("ring", std::vector<std::string>{"4M"});
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
    ObservationBatch batch{EventTable("h", std::string(kSyscallKind)), ProfileTable("h", "")};
    ASSERT_TRUE(source_->read(clock_, batch, std::size_t{1} << 16));
    keep(batch.events);
  }
  void read_until(const std::function<bool()>& is_enough) {
    const auto begin = std::chrono::steady_clock::now();
    while (!is_enough()) {
      ASSERT_LT(std::chrono::steady_clock::now() - begin, 60s) << "it does not come to an end";
      read();
      std::this_thread::sleep_for(1ms);
    }
  }
  void finish() {
    ObservationBatch batch{EventTable("h", std::string(kSyscallKind)), ProfileTable("h", "")};
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
           std::string(event.object), event.end, event.took.has_value()});
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

  SystemClock clock_;
  std::unique_ptr<EventSource> source_;
  std::vector<Told> told_;
  std::vector<std::string> said_;
  std::string skipped_;
};

#define TRACE_OR_SKIP(...) \
  if (!trace(__VA_ARGS__)) GTEST_SKIP() << skipped_

std::string number(pid_t process) { return std::to_string(process); }

TEST_F(Tracing, WhatIsUnderWayForLongIsToldWhileItIs) {
  const Child child([] {
    std::array<int, 2> pipe{};
    char byte = 0;
    static_cast<void>(!::pipe(pipe.data()));
    static_cast<void>(!::read(pipe[0], &byte, 1));
  });
  auto tracer = open_bpf_tracer({.targets = {.processes = {static_cast<std::uint32_t>(child.process())}},
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
      const auto event = decoder.decode(record);
      if (!event || event->end != SyscallEnd::kRunning) return true;
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

TEST_F(Tracing, FilesPipesAndTheirCopies) {
  const Child child([] {
    const int file = ::open("/etc/passwd", O_RDONLY | O_CLOEXEC);  // 3 is the gate.
    std::array<char, 16> bytes{};
    static_cast<void>(!::pread(file, bytes.data(), 7, 3));
    const int copy = ::fcntl(file, F_DUPFD, 50);
    static_cast<void>(!::read(copy, bytes.data(), 5));
    ::close(copy);
    static_cast<void>(!::read(copy, bytes.data(), 1));
    static_cast<void>(!::open("/nonexistent/file", O_WRONLY));
    std::array<int, 2> pipe{};
    static_cast<void>(!::pipe2(pipe.data(), O_NONBLOCK));
    static_cast<void>(!::read(pipe[0], bytes.data(), 2));
    static_cast<void>(!::write(pipe[1], "abc", 3));
    static_cast<void>(!::write(::eventfd(0, 0), "12345678", 8));
    static_cast<void>(!::write(::memfd_create("m", 0), "1234", 4));
    ::_exit(7);
  });
  TRACE_OR_SKIP({{"pid", {number(child.process())}}});
  follow(child);
  EXPECT_THAT(lines(),
              IsSupersetOf(
                  Lines{HasSubstr("openat(AT_FDCWD, \"/etc/passwd\", O_RDONLY|O_CLOEXEC) = "),
                        AllOf(StartsWith("pread64("), HasSubstr("</etc/passwd>, "), EndsWith(", 7, 3) = 7")),
                        AllOf(StartsWith("fcntl("), EndsWith("= 50")),
                        AllOf(StartsWith("read(50</etc/passwd>"), EndsWith("= 5")),
                        testing::Eq("close(50</etc/passwd>) = 0"),
                        AllOf(StartsWith("read(50, "), EndsWith("-1 EBADF (Bad file descriptor)")),
                        testing::Eq("openat(AT_FDCWD, \"/nonexistent/file\", O_WRONLY) = -1 ENOENT (No "
                                    "such file or directory)"),
                        AllOf(HasSubstr("<pipe:["), EndsWith("-1 EAGAIN (Resource temporarily unavailable)")),
                        testing::Eq("exit_group(7) = ?"), testing::Eq("exited(with 7) = ")}));
  EXPECT_THAT(object_of(", 3) = 3"), StartsWith("pipe:["));
  EXPECT_EQ(object_of(", 8) = 8"), "anon_inode:[eventfd]");
  EXPECT_EQ(object_of(", 4) = 4"), "/memfd:m (deleted)");
  EXPECT_EQ(find("exit_group")->end, SyscallEnd::kUnfinished);
  EXPECT_EQ(find("exited")->end, SyscallEnd::kExit);
  EXPECT_THAT(said_, Contains(HasSubstr("0 records lost")));
}

TEST_F(Tracing, WhatWasOpenBeforeAndTheCallThatWasUnderWay) {
  const Fd before{::open("/etc/hostname", O_RDONLY | O_CLOEXEC)};
  const Child child([&] {
    char byte = 0;
    static_cast<void>(!::read(before.get(), &byte, 1));
  });
  TRACE_OR_SKIP({{"pid", {number(child.process())}}});
  follow(child);
  EXPECT_THAT(object_of("read(" + std::to_string(before.get())), EndsWith("hostname"));
  const Told* gate = find("begun before the recording");
  // It may have been traced before it reached its gate.
  if (gate != nullptr) {
    EXPECT_EQ(gate->line, "read(/* begun before the recording */) = 1");
    EXPECT_FALSE(gate->has_duration);
  }
}

TEST_F(Tracing, SocketsAreTheirAddresses) {
  const Child child([] {
    const int listening = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::bind(listening, reinterpret_cast<sockaddr*>(&address), sizeof address);
    ::listen(listening, 1);
    socklen_t bytes = sizeof address;
    ::getsockname(listening, reinterpret_cast<sockaddr*>(&address), &bytes);
    const int client = ::socket(AF_INET, SOCK_STREAM, 0);
    ::connect(client, reinterpret_cast<sockaddr*>(&address), sizeof address);
    const int server = ::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
    static_cast<void>(!::write(client, "12345", 5));
    std::array<char, 8> text{};
    static_cast<void>(!::read(server, text.data(), text.size()));
    const int local = ::socket(AF_UNIX, SOCK_DGRAM, 0);
    sockaddr_un path{};
    path.sun_family = AF_UNIX;
    std::memcpy(path.sun_path + 1, "laggard-test", 12);  // Abstract.
    ::bind(local, reinterpret_cast<sockaddr*>(&path), offsetof(sockaddr_un, sun_path) + 13);
    ::shutdown(local, SHUT_RD);
  });
  TRACE_OR_SKIP({{"pid", {number(child.process())}}});
  follow(child);
  const std::string of_client = object_of(", 5) = 5");
  const std::string of_server = object_of(", 8) = 5");
  EXPECT_THAT(of_client, AllOf(StartsWith("TCP:[127.0.0.1:"), HasSubstr("->127.0.0.1:")));
  EXPECT_THAT(of_server, StartsWith("TCP:[127.0.0.1:"));
  const auto end_of = [](const std::string& text) { return text.substr(text.find("->") + 2); };
  EXPECT_EQ("TCP:[" + end_of(of_server).substr(0, end_of(of_server).size() - 1) + "->" +
                of_server.substr(5, of_server.find("->") - 5) + "]",
            of_client);
  EXPECT_THAT(object_of("shutdown("), AllOf(StartsWith("UNIX:["), HasSubstr("\"@laggard-test\"")));
}

TEST_F(Tracing, DescriptorsThatAMessageBrings) {
  const Child child([] {
    std::array<int, 2> pair{};
    static_cast<void>(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()));
    const int file = ::open("/etc/passwd", O_RDONLY);
    char byte = 'x';
    iovec part{&byte, 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &file, sizeof file);
    ::sendmsg(pair[0], &message, 0);
    control.fill(0);
    ::recvmsg(pair[1], &message, 0);
    int brought = -1;
    std::memcpy(&brought, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof brought);
    ::lseek(brought, 4321, SEEK_SET);
  });
  TRACE_OR_SKIP({{"pid", {number(child.process())}}});
  follow(child);
  EXPECT_EQ(object_of(", 4321, 0) = 4321"), "/etc/passwd");
}

TEST_F(Tracing, ChildrenAndTheProgramsThatTheyExecute) {
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

TEST_F(Tracing, SignalsThatAreHandled) {
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

TEST_F(Tracing, AThreadThatDiesInACallHasNotReturned) {
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
  // That it sleeps in its read is seen by /proc alone.
  const std::string call = "/proc/" + number(child.process()) + "/syscall";
  read_until([&] { return read_file(call).value_or("").starts_with("0 "); });
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

TEST_F(Tracing, WhatIsUnderWayAtTheEndIsMarked) {
  const Child child([] {
    ::getppid();
    ::poll(nullptr, 0, 123'456);
  });
  TRACE_OR_SKIP({{"pid", {number(child.process())}}});
  child.let_go();
  const std::string call = "/proc/" + number(child.process()) + "/syscall";
  read_until([&] { return read_file(call).value_or("").starts_with("7 "); });
  finish();
  EXPECT_THAT(lines(), Contains("getppid() = " + number(::getpid())));
  const Told* poll = find("poll(NULL, 0, 123456) = ");
  ASSERT_NE(poll, nullptr);
  EXPECT_EQ(poll->line, "poll(NULL, 0, 123456) = ");
  EXPECT_EQ(poll->end, SyscallEnd::kUnfinished);
}

TEST_F(Tracing, AllThreadsOfAProcessAndNobodyElse) {
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

TEST_F(Tracing, ProcessesByNameAlsoThoseThatComeLater) {
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

TEST_F(Tracing, LongPathsAreCut) {
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

TEST_F(Tracing, AFullRingLosesAndCounts) {
  const Child child([] {
    for (int i = 0; i < 20'000; ++i) ::syscall(SYS_getppid);
  });
  const auto tracer = open_bpf_tracer(
      {.targets = {.processes = {static_cast<std::uint32_t>(child.process())}, .comms = {}, .held = 0},
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

TEST_F(Tracing, ACommandIsFollowedFromItsFirstCall) {
  TRACE_OR_SKIP({{"command", {"sh", "-c", "exit 3"}}});
  read_until([&] { return source_->has_ended(); });
  finish();
  ASSERT_FALSE(told_.empty());
  EXPECT_THAT(told_.front().line, AllOf(StartsWith("execve(\""), EndsWith("= 0")));
  EXPECT_EQ(told_.back().line, "exited(with 3) = ");
}

TEST_F(Tracing, ACommandThatIsNotThere) {
  TRACE_OR_SKIP({{"command", {"/nonexistent/program"}}});
  ObservationBatch batch{EventTable("h", std::string(kSyscallKind)), ProfileTable("h", "")};
  const Status done = source_->read(clock_, batch, 100);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message(), StartsWith("/nonexistent/program: cannot be executed"));
}

TEST_F(Tracing, ACommandThatWasNeverLetGoJustEnds) {
  const std::string made = testing::TempDir() + "/lgd-never-" + number(::getpid());
  TRACE_OR_SKIP({{"command", {"touch", made}}});
  EXPECT_FALSE(source_->has_ended());
  source_.reset();
  EXPECT_NE(::access(made.c_str(), F_OK), 0);
}

}  // namespace
}  // namespace laggard::collect
