#include "collect/syscalls/held_command.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace laggard::collect {

namespace {

constexpr int kCannotExecute = 127;

/// In the child, between fork and exec: nothing that allocates or locks.
[[noreturn]] void wait_and_execute(int gate, int failure, const char* program, char* const* words) {
  // The recorder's own way with signals is none of the command's business.
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  // Where only ancestors may trace (Yama), the tracing process is none.
  ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
  char go = 0;
  if (::read(gate, &go, 1) != 1) ::_exit(kCannotExecute);
  ::execv(program, words);
  const int error = errno;
  static_cast<void>(!::write(failure, &error, sizeof error));
  ::_exit(kCannotExecute);
}

/// Where a shell would find it, so that looking for it is not recorded; as it is when it is nowhere.
std::string program_in_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  if (name.find('/') != std::string::npos || path == nullptr) return name;
  for (const std::string_view folder : split(path, ':')) {
    std::string program = std::string(folder.empty() ? "." : folder) + "/" + name;
    if (::access(program.c_str(), X_OK) == 0) return program;
  }
  return name;
}

}  // namespace

Result<HeldCommand> HeldCommand::hold(const std::vector<std::string>& words) {
  std::array<int, 2> gate{};
  std::array<int, 2> failure{};
  if (::pipe2(gate.data(), O_CLOEXEC) != 0) return fail_errno(errno, words[0], "cannot be started");
  Fd gate_in{gate[0]};
  Fd gate_out{gate[1]};
  if (::pipe2(failure.data(), O_CLOEXEC) != 0) return fail_errno(errno, words[0], "cannot be started");
  Fd failure_in{failure[0]};
  const Fd failure_out{failure[1]};
  const std::string program = program_in_path(words[0]);
  std::vector<std::string> copies = words;
  std::vector<char*> pointers;
  pointers.reserve(copies.size() + 1);
  for (std::string& word : copies) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const pid_t child = ::fork();
  if (child < 0) return fail_errno(errno, words[0], "cannot be started");
  if (child == 0) {
    gate_out.reset();  // Or it would keep its own gate from closing.
    wait_and_execute(gate_in.get(), failure_out.get(), program.c_str(), pointers.data());
  }
  return HeldCommand(child, words[0], std::move(gate_out), std::move(failure_in));
}

HeldCommand::HeldCommand(HeldCommand&& other) noexcept
    : process_(std::exchange(other.process_, -1)),
      program_(std::move(other.program_)),
      gate_(std::move(other.gate_)),
      failure_(std::move(other.failure_)),
      status_(other.status_) {}

HeldCommand::~HeldCommand() {
  if (process_ < 0 || has_ended()) return;
  if (is_held()) {
    gate_.reset();
    ::waitpid(process_, nullptr, 0);
    return;
  }
  ::kill(process_, SIGTERM);
}

Status HeldCommand::let_go() {
  const Fd gate = std::exchange(gate_, Fd());
  if (Status told = write_all(gate.get(), "g", program_); !told) return told;
  int error = 0;
  std::array<char, sizeof error> bytes{};
  auto read = read_some(failure_.get(), bytes, program_);
  failure_.reset();
  if (!read) return forward(read);
  if (*read != bytes.size()) return {};
  error = std::bit_cast<int>(bytes);
  return fail_errno(error, program_, "cannot be executed");
}

bool HeldCommand::has_ended() {
  if (status_) return true;
  int status = 0;
  if (::waitpid(process_, &status, WNOHANG) != process_) return false;
  status_ = status;
  return true;
}

}  // namespace laggard::collect
