#include "collect/import/sysstat/child.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace laggard::collect {

namespace {

constexpr std::size_t kMostComplaints = 16U << 10U;

struct Pipe {
  Fd reading;
  Fd writing;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno(errno, "", "cannot make a pipe");
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

int in_ms(Duration duration) {
  return static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
}

/// Pointers that execve wants, into strings that must outlive them.
std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  out.reserve(words.size() + 1);
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

class SpawnActions {
 public:
  SpawnActions() { posix_spawn_file_actions_init(&actions_); }
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  [[nodiscard]] posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

}  // namespace

std::string ChildEnd::how() const {
  if (gave_up) return "was stopped because it said nothing for too long";
  if (signal != 0) return fmt::format("crashed ({})", ::strsignal(signal));
  return fmt::format("exited with status {}", status);
}

Result<Child> Child::start(const ChildSpec& spec) {
  Result<Pipe> output = make_pipe();
  if (!output) return forward(output);
  Result<Pipe> errors = make_pipe();
  if (!errors) return forward(errors);
  Fd file;
  if (spec.into) {
    file = Fd(::open(spec.into->c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!file.valid()) return fail_errno(errno, spec.into->string(), "cannot write");
  }
  SpawnActions actions;
  posix_spawn_file_actions_addopen(actions.get(), 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(actions.get(), file.valid() ? file.get() : output->writing.get(), 1);
  posix_spawn_file_actions_adddup2(actions.get(), errors->writing.get(), 2);

  std::vector<std::string> argv = spec.argv;
  std::vector<std::string> environment = spec.environment;
  const char* path = std::getenv("PATH");
  environment.push_back(std::string("PATH=") + (path == nullptr ? "/usr/bin:/bin" : path));
  Child child;
  child.patience_ = spec.patience;
  child.name_ = spec.argv.front();
  const int error = ::posix_spawnp(&child.pid_, argv.front().c_str(), actions.get(), nullptr,
                                   pointers(argv).data(), pointers(environment).data());
  if (error != 0) {
    child.pid_ = -1;
    return fail_errno(error, child.name_, "cannot start");
  }
  if (spec.most_bytes) {
    const rlimit limit{*spec.most_bytes, *spec.most_bytes};
    static_cast<void>(::prlimit(child.pid_, RLIMIT_FSIZE, &limit, nullptr));
  }
  child.output_ = std::move(output->reading);
  child.errors_ = std::move(errors->reading);
  return child;
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      output_(std::move(other.output_)),
      errors_(std::move(other.errors_)),
      patience_(other.patience_),
      name_(std::move(other.name_)),
      end_(std::move(other.end_)) {}

Child::~Child() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  wait_for_end();
}

void Child::wait_for_end() {
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  if (WIFSIGNALED(status)) end_.signal = WTERMSIG(status);
  if (WIFEXITED(status)) end_.status = WEXITSTATUS(status);
}

void Child::take_complaints() {
  std::array<char, 4096> buffer{};
  const ssize_t got = ::read(errors_.get(), buffer.data(), buffer.size());
  if (got == 0 || (got < 0 && errno != EINTR)) errors_.reset();
  if (got <= 0 || end_.complaints.size() >= kMostComplaints) return;
  end_.complaints.append(buffer.data(), static_cast<std::size_t>(got));
}

void Child::give_up() {
  end_.gave_up = true;
  ::kill(pid_, SIGKILL);
  output_.reset();
  errors_.reset();
}

Result<std::size_t> Child::read(std::span<char> buffer) {
  const int timeout_ms = in_ms(patience_);
  while (output_.valid() || errors_.valid()) {
    std::array<pollfd, 2> wanted{{{output_.get(), POLLIN, 0}, {errors_.get(), POLLIN, 0}}};
    const int ready = ::poll(wanted.data(), wanted.size(), timeout_ms);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) {
      give_up();
      break;
    }
    if (errors_.valid() && wanted[1].revents != 0) take_complaints();
    if (!output_.valid() || wanted[0].revents == 0) continue;
    const ssize_t got = ::read(output_.get(), buffer.data(), buffer.size());
    if (got > 0) return static_cast<std::size_t>(got);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno(errno, name_, "cannot read from");
    output_.reset();
  }
  return 0;
}

Result<ChildEnd> Child::finish() {
  std::array<char, 4096> rest{};
  while (true) {
    Result<std::size_t> got = read(rest);
    if (!got) return forward(got);
    if (*got == 0) break;
  }
  if (pid_ < 0) return end_;
  // It may have closed its output and hang all the same.
  // By number: glibc 2.36 declares pidfd_open without saying to C++ that it is C.
  const Fd process(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  pollfd wanted{process.get(), POLLIN, 0};
  if (!end_.gave_up && process.valid() && ::poll(&wanted, 1, in_ms(patience_)) == 0) give_up();
  wait_for_end();
  return end_;
}

}  // namespace laggard::collect
