#include "lab/bench/linux_machine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/loop.h>
#include <poll.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "lab/bench/folders.h"

namespace laggard::lab::bench {

namespace {

class Actions {
 public:
  Actions() { posix_spawn_file_actions_init(&actions_); }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
  ~Actions() { posix_spawn_file_actions_destroy(&actions_); }
  [[nodiscard]] posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

class Attributes {
 public:
  Attributes() { posix_spawnattr_init(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  ~Attributes() { posix_spawnattr_destroy(&attributes_); }
  [[nodiscard]] posix_spawnattr_t* get() { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

/// The pointers that exec takes, valid as long as `words`.
std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> with_ours(std::vector<std::string> environment) {
  for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
  return environment;
}

}  // namespace

Result<int> spawn(const Command& command, int input, int output) {
  Actions actions;
  posix_spawn_file_actions_adddup2(actions.get(), input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(actions.get(), output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(actions.get(), output, STDERR_FILENO);
  Attributes attributes;
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(attributes.get(), &none);
  posix_spawnattr_setflags(attributes.get(), POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);

  std::vector<std::string> words = command.argv;
  std::vector<std::string> environment = with_ours(command.environment);
  const std::vector<char*> argv = pointers_to(words);
  const std::vector<char*> envp = pointers_to(environment);
  pid_t child = 0;
  const int error =
      ::posix_spawnp(&child, argv.front(), actions.get(), attributes.get(), argv.data(), envp.data());
  if (error != 0) return fail_errno(error, words.front(), "cannot be started");
  return child;
}

Result<Fd> input_file(std::string_view text) {
  if (text.empty()) {
    Fd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!nothing.valid()) return fail_errno(errno, "/dev/null", "cannot be opened");
    return nothing;
  }
  Fd file(::memfd_create("laggard-input", MFD_CLOEXEC));
  if (!file.valid()) return fail_errno(errno, "memfd", "cannot be created");
  const ssize_t n = ::write(file.get(), text.data(), text.size());
  if (n != static_cast<ssize_t>(text.size())) return fail_errno(errno, "memfd", "cannot be written");
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

namespace {

using namespace std::chrono_literals;

constexpr Duration kLongestCommand = 120s;
constexpr Duration kShortLook = 20ms;
constexpr Duration kLongestEnd = 20s;

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

/// The environment that a process was started with; nothing of one that has ended.
bool started_with(const std::filesystem::path& process, std::string_view entry) {
  const Result<std::string> environment = read_file(process / "environ");
  if (!environment) return false;
  const std::vector<std::string_view> entries = split(*environment, '\0');
  return std::find(entries.begin(), entries.end(), entry) != entries.end();
}

std::string name_of_backing(const std::string& loop) {
  const Fd device(::open(("/dev/" + loop).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  loop_info64 info{};
  if (!device.valid() || ::ioctl(device.get(), LOOP_GET_STATUS64, &info) != 0) return {};
  const auto* const name = static_cast<const unsigned char*>(info.lo_file_name);
  return {name, std::find(name, name + LO_NAME_SIZE - 1, 0)};
}

/// Sends `signal` to all processes that were started with `entry`. \return their process ids
std::vector<int> signal_marked(std::string_view entry, int signal) {
  std::vector<int> marked;
  std::error_code error;
  for (std::filesystem::directory_iterator it("/proc", error), end; !error && it != end;
       it.increment(error)) {
    const std::optional<int> process = to_number<int>(it->path().filename().native());
    if (!process || *process == ::getpid()) continue;
    // Opened before it is examined: the process id may be reused in between.
    const Fd held(static_cast<int>(::syscall(SYS_pidfd_open, *process, 0)));
    if (!held.valid() || !started_with(it->path(), entry)) continue;
    marked.push_back(*process);
    (void)::syscall(SYS_pidfd_send_signal, held.get(), signal, nullptr, 0);
  }
  return marked;
}

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
  const Result<int> child = spawn(command, input->get(), writing.get());
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
      children_.insert(*child);  // Reaped later: a process that hangs in the kernel does not end at once.
      return fail(ErrorCode::kUnavailable, fmt::format("{}", fmt::join(command.argv, " ")),
                  "did not end within two minutes");
    }
    pause_for(clock_, 2ms);
  }
}

Result<int> LinuxMachine::start(const Command& command, const std::filesystem::path& log) {
  const Result<Fd> input = input_file(command.input);
  if (!input) return tl::unexpected<Error>(input.error());
  const Fd output(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!output.valid()) return fail_errno(errno, log.string(), "cannot be written");
  Result<int> child = spawn(command, input->get(), output.get());
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
  if (children_.count(process) == 0) return;  // The process id may already be reused.
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
  const Fd fd(
      ::open(path.c_str(), O_WRONLY | O_CLOEXEC | (kernel ? 0 : O_CREAT | O_TRUNC | O_NOFOLLOW), 0644));
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
  const Fd parent(::open(path.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!parent.valid()) return fail_errno(errno, path.string(), "cannot be removed");
  return remove_tree(parent.get(), path.filename().native(), path);
}

Status LinuxMachine::remove_empty(const std::filesystem::path& path) {
  // A control group stays busy for a moment after its last process has ended.
  for (int tries = 0;; ++tries) {
    if (::rmdir(path.c_str()) == 0 || errno == ENOENT) return {};
    if (errno != EBUSY || tries == 100) return fail_errno(errno, path.string(), "cannot be removed");
    pause_for(clock_, kShortLook);
  }
}

std::map<std::string, Backing> LinuxMachine::loops() {
  std::map<std::string, Backing> found;
  std::error_code error;
  for (std::filesystem::directory_iterator it("/sys/block", error), end; !error && it != end;
       it.increment(error)) {
    const Result<std::string> file = read_file(it->path() / "loop/backing_file");
    if (!file) continue;
    const std::string loop = it->path().filename().native();
    found.emplace(loop, Backing{std::string(trim(*file)), name_of_backing(loop)});
  }
  return found;
}

void LinuxMachine::wake_marked(const std::string& entry) { (void)signal_marked(entry, SIGCONT); }

Status LinuxMachine::end_marked(const std::string& entry) {
  // None must be found twice in a row: a process that was just forked does not have its environment yet.
  int without = 0;
  const MonoTime deadline = clock_.mono() + kLongestEnd;
  for (;;) {
    const std::vector<int> alive = signal_marked(entry, SIGKILL);
    for (const int process : alive) (void)reap(process);
    without = alive.empty() ? without + 1 : 0;
    if (without == 2) return {};
    if (clock_.mono() >= deadline) {
      return fail(ErrorCode::kUnavailable, fmt::format("process {}", fmt::join(alive, ", ")),
                  "of the bench does not end");
    }
    pause_for(clock_, kShortLook);
  }
}

}  // namespace laggard::lab::bench
