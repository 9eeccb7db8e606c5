#pragma once

#include <set>
#include <string_view>

#include "base/error.h"
#include "base/file.h"
#include "lab/bench/machine.h"

namespace laggard::lab::bench {

/// Starts a program that is found in PATH, in a new session, so that a Ctrl-C meant for us does not reach it,
/// with no signals blocked, and with both outputs to `output`. \param input  replaces the command's. \return
/// its process id.
[[nodiscard]] Result<int> spawn(const Command& command, int input, int output);

/// A temporary file that contains `text`, rewound; /dev/null for an empty text.
[[nodiscard]] Result<Fd> input_file(std::string_view text);

/// The machine that we run on. Uses the plain system clock, whose sleep no signal cuts short: taking down
/// waits even after a Ctrl-C.
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
  /// Reaps a child if it has ended. \return whether it had.
  bool reap(int process);

  SystemClock clock_;
  std::set<int> children_;
};

}  // namespace laggard::lab::bench
