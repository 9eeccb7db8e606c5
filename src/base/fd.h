#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace laggard {

/// Owns a file descriptor.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept;
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { reset(); }

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool valid() const { return fd_ >= 0; }
  void reset();

 private:
  int fd_ = -1;
};

/// As many bytes as there are now, over interruptions by signals; 0 at the end.
/// \param where  names the file in errors.
[[nodiscard]] Result<std::size_t> read_some(int fd, std::span<char> buffer, const std::string& where);

/// All of them, over interruptions and short writes. \param refusal  what the error says of a failure.
[[nodiscard]] Status write_all(int fd, std::string_view bytes, const std::string& where,
                               const std::string& refusal = "cannot write");

}  // namespace laggard
