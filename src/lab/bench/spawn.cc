#include "lab/bench/spawn.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>
#include <vector>

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

/// As exec wants them, while `words` lives.
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

}  // namespace laggard::lab::bench
