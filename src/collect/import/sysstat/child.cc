#include "collect/import/sysstat/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/text.h"

namespace laggard::collect {

namespace {

constexpr std::size_t kKeptComplaints = 16U << 10U;
constexpr std::uint64_t kMostComplaints = 1U << 20U;
constexpr std::uint64_t kPatienceBytes = 1U << 20U;  ///< Output for which our patience is renewed.
constexpr int kInputNumber = 3;                      ///< Of kChildInput.

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
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
  return static_cast<int>(std::clamp<std::int64_t>(ms, 0, INT_MAX));
}

/// The pointers that execve takes, into strings that must outlive them.
std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  out.reserve(words.size() + 1);
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

/// Everything that the child needs between fork and exec, where it must not allocate memory.
struct Launch {
  char** argv;
  char** environment;
  int input;
  int output;
  int errors;
  int failure;  ///< The pipe for the errno of a failure.
  const rlimit* most_bytes;
  pid_t parent;
};

/// In the child: turns into the program, or sends the errno of what failed to the parent.
[[noreturn]] void become(const Launch& launch) {
  // Duplicates above all descriptor numbers that are assigned below; they are closed on exec.
  const int input = launch.input < 0 ? -1 : ::fcntl(launch.input, F_DUPFD_CLOEXEC, kInputNumber + 1);
  const int output = ::fcntl(launch.output, F_DUPFD_CLOEXEC, kInputNumber + 1);
  const int errors = ::fcntl(launch.errors, F_DUPFD_CLOEXEC, kInputNumber + 1);
  const int failure = ::fcntl(launch.failure, F_DUPFD_CLOEXEC, kInputNumber + 1);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  bool ready = ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && ::getppid() == launch.parent;
  ready = ready && ::dup2(nothing, STDIN_FILENO) >= 0 && ::dup2(output, STDOUT_FILENO) >= 0 &&
          ::dup2(errors, STDERR_FILENO) >= 0;
  ready = ready && (input < 0 || ::dup2(input, kInputNumber) >= 0);
  if (launch.most_bytes != nullptr) ready = ready && ::setrlimit(RLIMIT_FSIZE, launch.most_bytes) == 0;
  sigset_t none;
  ::sigemptyset(&none);
  ready = ready && ::sigprocmask(SIG_SETMASK, &none, nullptr) == 0;
  if (ready) ::execvpe(launch.argv[0], launch.argv, launch.environment);
  const int error = errno;
  static_cast<void>(::write(failure, &error, sizeof error) == sizeof error);
  ::_exit(127);
}

/// The errno with which the child failed to become the program; 0 when it succeeded.
int failure_of(const Fd& reading) {
  int error = 0;
  for (;;) {
    const ssize_t got = ::read(reading.get(), &error, sizeof error);
    if (got < 0 && errno == EINTR) continue;
    return got == sizeof error ? error : 0;
  }
}

}  // namespace

std::string ChildEnd::how() const {
  if (!stopped.empty()) return "was stopped because it " + stopped;
  if (signal != 0) return fmt::format("crashed ({})", ::strsignal(signal));
  return fmt::format("exited with status {}", status);
}

Result<Child> Child::start(const ChildSpec& spec) {
  Result<Pipe> output = make_pipe();
  if (!output) return forward(output);
  Result<Pipe> errors = make_pipe();
  if (!errors) return forward(errors);
  Result<Pipe> failure = make_pipe();
  if (!failure) return forward(failure);
  std::vector<std::string> argv = spec.argv;
  std::vector<std::string> environment = spec.environment;
  const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nobody changes it.
  environment.push_back(std::string("PATH=") + (path == nullptr ? "/usr/bin:/bin" : path));
  const std::vector<char*> words = pointers(argv);
  const std::vector<char*> settings = pointers(environment);
  const rlimit most{spec.most_bytes.value_or(0), spec.most_bytes.value_or(0)};
  const Launch launch{.argv = const_cast<char**>(words.data()),
                      .environment = const_cast<char**>(settings.data()),
                      .input = spec.input,
                      .output = spec.into >= 0 ? spec.into : output->writing.get(),
                      .errors = errors->writing.get(),
                      .failure = failure->writing.get(),
                      .most_bytes = spec.most_bytes ? &most : nullptr,
                      .parent = ::getpid()};
  Child child;
  child.patience_ = spec.patience;
  child.most_output_ = spec.most_output;
  child.name_ = spec.argv.front();
  child.pid_ = ::fork();
  if (child.pid_ == 0) become(launch);
  if (child.pid_ < 0) return fail_errno(errno, child.name_, "cannot start");
  failure->writing.reset();
  if (const int error = failure_of(failure->reading); error != 0) {
    return fail_errno(error, child.name_, "cannot start");
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
      waited_(other.waited_),
      most_output_(other.most_output_),
      given_(other.given_),
      complained_(other.complained_),
      name_(std::move(other.name_)),
      end_(std::move(other.end_)) {}

Child::~Child() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  static_cast<void>(ended(0));
}

/// Whether it has ended, and then how. \param flags  of waitpid.
bool Child::ended(int flags) {
  int status = 0;
  pid_t found = 0;
  while ((found = ::waitpid(pid_, &status, flags)) < 0 && errno == EINTR) {
  }
  if (found == 0) return false;
  pid_ = -1;
  if (WIFSIGNALED(status)) end_.signal = WTERMSIG(status);
  if (WIFEXITED(status)) end_.status = WEXITSTATUS(status);
  return true;
}

void Child::take_complaints() {
  std::array<char, 4096> buffer{};
  const ssize_t got = ::read(errors_.get(), buffer.data(), buffer.size());
  if (got == 0 || (got < 0 && errno != EINTR)) errors_.reset();
  if (got <= 0) return;
  const auto bytes = static_cast<std::size_t>(got);
  complained_ += bytes;
  if (end_.complaints.size() < kKeptComplaints) end_.complaints.append(buffer.data(), bytes);
  if (complained_ > kMostComplaints) stop("complained without end");
}

void Child::stop(std::string why) {
  end_.stopped = std::move(why);
  ::kill(pid_, SIGKILL);
  output_.reset();
  errors_.reset();
}

/// Waits until there is something to read, and reads standard error. \return false once our patience is
/// exhausted.
bool Child::wait_for_bytes(bool& output_ready) {
  SystemClock clock;
  const std::uint64_t renewals = given_ / kPatienceBytes;
  // Only the time that we wait for it counts, not the time that it waits for us.
  const Duration allowed = patience_ * static_cast<std::int64_t>(1 + renewals);
  const Duration left = std::min(patience_, allowed - waited_);
  const MonoTime before = clock.mono();
  std::array<pollfd, 2> wanted{{{output_.get(), POLLIN, 0}, {errors_.get(), POLLIN, 0}}};
  const int ready = left.count() <= 0 ? 0 : ::poll(wanted.data(), wanted.size(), in_ms(left) + 1);
  waited_ += clock.mono() - before;
  output_ready = false;
  if (ready < 0 && errno == EINTR) return true;
  if (ready <= 0) {
    stop(given_ == 0 || left == patience_ ? fmt::format("said nothing for {}", to_text(patience_))
                                          : "said too little for the time that it took");
    return false;
  }
  output_ready = output_.valid() && wanted[0].revents != 0;
  if (errors_.valid() && wanted[1].revents != 0) take_complaints();
  return output_.valid() || errors_.valid();
}

Result<std::size_t> Child::read(std::span<char> buffer) {
  while (output_.valid() || errors_.valid()) {
    bool output_ready = false;
    if (!wait_for_bytes(output_ready)) break;
    if (!output_ready || !output_.valid()) continue;
    const ssize_t got = ::read(output_.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno(errno, name_, "cannot read from");
    if (got == 0) {
      output_.reset();
      continue;
    }
    given_ += static_cast<std::uint64_t>(got);
    if (given_ <= most_output_) return static_cast<std::size_t>(got);
    stop(fmt::format("printed more than {}", human_bytes(most_output_)));
  }
  return 0;
}

/// It may have closed its output and still hang.
void Child::wait_with_patience() {
  SystemClock clock;
  const MonoTime since = clock.mono();
  for (int pause_ms = 1; !ended(WNOHANG); pause_ms = std::min(2 * pause_ms, 50)) {
    if (clock.mono() - since >= patience_) {
      stop("closed its output and did not end");
      break;
    }
    static_cast<void>(::poll(nullptr, 0, pause_ms));
  }
}

Result<ChildEnd> Child::finish() {
  std::array<char, 4096> rest{};
  while (true) {
    Result<std::size_t> got = read(rest);
    if (!got) return forward(got);
    if (*got == 0) break;
  }
  if (pid_ < 0) return end_;
  if (end_.stopped.empty()) wait_with_patience();
  if (pid_ >= 0) static_cast<void>(ended(0));
  return end_;
}

}  // namespace laggard::collect
