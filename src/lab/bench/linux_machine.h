#pragma once

#include <set>
#include <string_view>

#include "base/error.h"
#include "base/file.h"
#include "lab/bench/machine.h"

namespace laggard::lab::bench {

/// Starts a program that is found in PATH, in a session of its own, so that a Ctrl-C meant for us does not
/// reach it, with no signals blocked, and with both outputs to `output`. \param input  instead of the
/// command's. \return its process id.
[[nodiscard]] Result<int> spawn(const Command& command, int input, int output);

/// A file that holds `text`, rewound; /dev/null for an empty one.
[[nodiscard]] Result<Fd> input_file(std::string_view text);

/// The machine that we run on. Keeps the system's clock, not one that a signal cuts short: what has to be
/// taken down is waited for even after a Ctrl-C.
class LinuxMachine final : public Machine {
 public:
  LinuxMachine() = default;
  LinuxMachine(const LinuxMachine&) = delete;
  LinuxMachine& operator=(const LinuxMachine&) = delete;
  ~LinuxMachine() override;

  [[nodiscard]] Result<Output> run(const Command& command) override;
  [[nodiscard]] Result<int> start(const Command& command, const std::filesystem::path& log) override;
  [[nodiscard]] bool running(int process) override;
  void stop(int process, int signal, Duration patience) override;
  [[nodiscard]] Result<std::string> read(const std::filesystem::path& path) override;
  [[nodiscard]] Status write(const std::filesystem::path& path, std::string_view text) override;
  [[nodiscard]] bool exists(const std::filesystem::path& path) override;
  [[nodiscard]] Status make_folder(const std::filesystem::path& path) override;
  [[nodiscard]] Status remove_folder(const std::filesystem::path& path) override;
  [[nodiscard]] Status remove_empty(const std::filesystem::path& path) override;
  [[nodiscard]] std::map<std::string, Backing> loops() override;
  void wake_marked(const std::string& entry) override;
  [[nodiscard]] Status end_marked(const std::string& entry) override;
  [[nodiscard]] Clock& clock() override { return clock_; }

 private:
  /// Takes the status of a child that has ended. \return whether it had.
  bool reap(int process);

  SystemClock clock_;
  std::set<int> children_;
};

}  // namespace laggard::lab::bench
