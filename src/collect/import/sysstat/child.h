#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/time.h"

namespace laggard::collect {

/// What to run, and its limits.
struct ChildSpec {
  std::vector<std::string> argv;                 ///< argv[0] is looked up in PATH unless it holds a slash.
  std::vector<std::string> environment;          ///< NAME=value; replaces ours except for PATH.
  int input = -1;                                ///< An open file that it finds as kChildInput.
  int into = -1;                                 ///< An open file for its output instead of `read`.
  std::optional<std::uint64_t> most_bytes;       ///< The size of a file beyond which it is killed.
  std::uint64_t most_output = 1U << 20U;         ///< Bytes of output to `read` beyond which it is killed.
  Duration patience = std::chrono::seconds(60);  ///< The silence after which it is killed, see Child::read.
};

/// Under this path a child can open the file that it was given as input, even when it has no name.
inline constexpr const char* kChildInput = "/proc/self/fd/3";

/// How a child ended.
struct ChildEnd {
  int status = 0;          ///< Exit status; meaningless when `signal` is not 0.
  int signal = 0;          ///< The signal that killed it.
  std::string stopped;     ///< Why we killed it; empty when we did not.
  std::string complaints;  ///< Its standard error, at most 16 KiB.

  [[nodiscard]] bool clean() const { return status == 0 && signal == 0 && stopped.empty(); }
  /// `crashed (Segmentation fault)`, `exited with status 2`, `was stopped because it said nothing for 60s`.
  [[nodiscard]] std::string how() const;
};

/// A child process that we do not trust: it may crash, hang, or print without end. It never outlives us: the
/// kernel kills it with us, however we end.
class Child {
 public:
  [[nodiscard]] static Result<Child> start(const ChildSpec& spec);
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  /// Kills it if it is still running.
  ~Child();

  /// The next bytes of its standard output; 0 at the end, and also once it was killed: for being silent for
  /// `patience`, for making us wait longer than that for each mebibyte, or for exceeding the limits of output
  /// or of standard error.
  [[nodiscard]] Result<std::size_t> read(std::span<char> buffer);

  /// Discards the rest of its output, waits for it to end, at most for `patience`, and says how it ended.
  [[nodiscard]] Result<ChildEnd> finish();

 private:
  Child() = default;
  [[nodiscard]] bool wait_for_bytes(bool& output_ready);
  void take_complaints();
  void stop(std::string why);
  [[nodiscard]] bool ended(int flags);
  void wait_with_patience();

  pid_t pid_ = -1;
  Fd output_;
  Fd errors_;
  Duration patience_{};
  Duration waited_{};  ///< The total time that we waited for its output.
  std::uint64_t most_output_ = 0;
  std::uint64_t given_ = 0;       ///< Bytes of output.
  std::uint64_t complained_ = 0;  ///< Bytes of standard error.
  std::string name_;
  ChildEnd end_;
};

}  // namespace laggard::collect
