#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/fd.h"
#include "base/time.h"

namespace laggard::collect {

/// What to run and how long to bear with it.
struct ChildSpec {
  std::vector<std::string> argv;                 ///< argv[0] is looked up in PATH unless it holds a slash.
  std::vector<std::string> environment;          ///< NAME=value, in place of ours; PATH is passed on.
  std::optional<std::filesystem::path> into;     ///< File for its output instead of `read`.
  std::optional<std::uint64_t> most_bytes;       ///< Of any file that it writes; it is killed beyond.
  Duration patience = std::chrono::seconds(60);  ///< It is killed after so long a silence.
};

/// How a child ended.
struct ChildEnd {
  int status = 0;          ///< Exit status; meaningless when `signal` is not 0.
  int signal = 0;          ///< That killed it.
  bool gave_up = false;    ///< We killed it because it was silent for too long.
  std::string complaints;  ///< Its standard error, at most 16 KiB.

  [[nodiscard]] bool clean() const { return status == 0 && signal == 0 && !gave_up; }
  /// `crashed (Segmentation fault)`, `exited with status 2`, `said nothing for 60 s`.
  [[nodiscard]] std::string how() const;
};

/// A program that we do not trust: it may crash, hang or fill its standard error.
class Child {
 public:
  [[nodiscard]] static Result<Child> start(const ChildSpec& spec);
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  /// Kills it when it still runs.
  ~Child();

  /// The next bytes of its standard output; 0 at the end, also when it was killed for its silence.
  [[nodiscard]] Result<std::size_t> read(std::span<char> buffer);

  /// Takes the rest of its output, waits for it and says how it ended.
  [[nodiscard]] Result<ChildEnd> finish();

 private:
  Child() = default;
  void take_complaints();
  void give_up();
  void wait_for_end();

  pid_t pid_ = -1;
  Fd output_;
  Fd errors_;
  Duration patience_{};
  std::string name_;
  ChildEnd end_;
};

}  // namespace laggard::collect
