#include "lab/bench/linux_machine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

#include "base/fd.h"
#include "base/file.h"
#include "base/text.h"
#include "lab/bench/spawn.h"

namespace laggard::lab::bench {

namespace {

using namespace std::chrono_literals;

constexpr Duration kLongestCommand = 120s;
constexpr Duration kShortLook = 20ms;

/// Reads what a program writes until it closes its output, but not beyond `deadline`.
std::string drain(int fd, Clock& clock, MonoTime deadline) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - clock.mono());
    if (left.count() <= 0) return text;
    pollfd wanted{fd, POLLIN, 0};
    const int ready = ::poll(&wanted, 1, static_cast<int>(left.count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return text;
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(n));
  }
}

int exit_status(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

void pause_for(Clock& clock, Duration d) { clock.sleep_until(clock.mono() + d); }

}  // namespace

LinuxMachine::~LinuxMachine() {
  const std::set<int> left = children_;
  for (const int child : left) stop(child, SIGKILL, 5s);
}

Result<Output> LinuxMachine::run(const Command& command) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno(errno, command.argv.front(), "cannot make a pipe");
  Fd reading(ends[0]);
  Fd writing(ends[1]);
  const Result<Fd> input = input_file(command.input);
  if (!input) return tl::unexpected<Error>(input.error());
  const Result<int> child = spawn(command.argv, input->get(), writing.get());
  if (!child) return tl::unexpected<Error>(child.error());
  writing.reset();

  const MonoTime deadline = clock_.mono() + kLongestCommand;
  Output output;
  output.text = drain(reading.get(), clock_, deadline);
  for (;;) {
    int status = 0;
    const pid_t ended = ::waitpid(*child, &status, WNOHANG);
    if (ended == *child) {
      output.status = exit_status(status);
      return output;
    }
    if (clock_.mono() >= deadline) {
      ::kill(-*child, SIGKILL);
      children_.insert(*child);  // Taken later: what hangs in the kernel does not end at once.
      return fail(ErrorCode::kUnavailable, fmt::format("{}", fmt::join(command.argv, " ")),
                  "did not end within two minutes");
    }
    pause_for(clock_, 2ms);
  }
}

Result<int> LinuxMachine::start(const Command& command, const std::filesystem::path& log) {
  const Result<Fd> input = input_file(command.input);
  if (!input) return tl::unexpected<Error>(input.error());
  const Fd output(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!output.valid()) return fail_errno(errno, log.string(), "cannot be written");
  Result<int> child = spawn(command.argv, input->get(), output.get());
  if (child) children_.insert(*child);
  return child;
}

bool LinuxMachine::reap(int process) {
  if (children_.count(process) == 0) return true;
  int status = 0;
  const pid_t ended = ::waitpid(process, &status, WNOHANG);
  if (ended == 0 || (ended < 0 && errno == EINTR)) return false;
  children_.erase(process);
  return true;
}

bool LinuxMachine::running(int process) { return !reap(process); }

void LinuxMachine::stop(int process, int signal, Duration patience) {
  if (children_.count(process) == 0) return;  // The number may already be somebody else's.
  ::kill(-process, signal);
  const MonoTime deadline = clock_.mono() + patience;
  while (!reap(process)) {
    if (clock_.mono() >= deadline) {
      ::kill(-process, SIGKILL);
      if (clock_.mono() >= deadline + 10s) return;
    }
    pause_for(clock_, kShortLook);
  }
}

Result<std::string> LinuxMachine::read(const std::filesystem::path& path) { return read_file(path); }

Status LinuxMachine::write(const std::filesystem::path& path, std::string_view text) {
  const bool kernel = path.native().rfind("/proc/", 0) == 0 || path.native().rfind("/sys/", 0) == 0;
  const Fd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC | (kernel ? 0 : O_CREAT | O_TRUNC), 0644));
  if (!fd.valid()) return fail_errno(errno, path.string(), "cannot be opened");
  return write_all(fd.get(), text, path.string(), fmt::format("cannot be set to {}", trim(text)));
}

bool LinuxMachine::exists(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

Status LinuxMachine::make_folder(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return fail_errno(error.value(), path.string(), "cannot be created");
  return {};
}

Status LinuxMachine::remove_folder(const std::filesystem::path& path) {
  const Result<std::string> mounts = read_file("/proc/self/mountinfo");
  if (!mounts) return tl::unexpected<Error>(mounts.error());
  if (mounts->find(" " + path.string() + "/") != std::string::npos) {
    return fail(ErrorCode::kUnavailable, path.string(), "still has something mounted below it");
  }
  std::error_code error;
  std::filesystem::remove_all(path, error);
  if (error) return fail_errno(error.value(), path.string(), "cannot be removed");
  return {};
}

Status LinuxMachine::remove_empty(const std::filesystem::path& path) {
  // A control group stays busy for a moment after its last process has ended.
  for (int tries = 0;; ++tries) {
    if (::rmdir(path.c_str()) == 0 || errno == ENOENT) return {};
    if (errno != EBUSY || tries == 100) return fail_errno(errno, path.string(), "cannot be removed");
    pause_for(clock_, kShortLook);
  }
}

std::vector<std::string> LinuxMachine::loops_of(const std::filesystem::path& path) {
  std::vector<std::string> found;
  std::error_code error;
  for (std::filesystem::directory_iterator it("/sys/block", error), end; !error && it != end;
       it.increment(error)) {
    const Result<std::string> backing = read_file(it->path() / "loop/backing_file");
    if (backing && trim(*backing) == path.native()) found.push_back(it->path().filename().string());
  }
  return found;
}

void LinuxMachine::end_inside(const std::string& network) {
  struct stat wanted {};
  if (::stat(("/run/netns/" + network).c_str(), &wanted) != 0) return;
  for (int tries = 0; tries < 500; ++tries) {
    bool any = false;
    std::error_code error;
    for (std::filesystem::directory_iterator it("/proc", error), end; !error && it != end;
         it.increment(error)) {
      const std::optional<int> process = to_number<int>(it->path().filename().native());
      struct stat has {};
      if (!process || *process == ::getpid() || ::stat((it->path() / "ns/net").c_str(), &has) != 0) continue;
      if (has.st_ino != wanted.st_ino || has.st_dev != wanted.st_dev) continue;
      any = true;
      ::kill(*process, SIGKILL);
      (void)reap(*process);
    }
    if (!any) return;
    pause_for(clock_, kShortLook);
  }
}

}  // namespace laggard::lab::bench
