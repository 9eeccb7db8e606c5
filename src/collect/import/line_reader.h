#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace laggard::collect {

/// Lines of a stream of bytes, without their line ends (LF or CRLF) and without a UTF-8 byte order mark in
/// front of the first. The first error sticks: read on until `next` gives nothing, then ask `status` once.
class LineReader {
 public:
  using Source = std::function<Result<std::size_t>(std::span<char>)>;
  static constexpr std::size_t kLongestLine = 1U << 20U;  ///< A longer one is an error: it is no text.

  explicit LineReader(Source source, std::size_t buffer = 1U << 20U) : source_(std::move(source)) {
    buffer_.resize(buffer);
  }

  /// The next line into `line`; it lives until the next call. False at the end and after an error.
  [[nodiscard]] bool next(std::string_view& line);

  [[nodiscard]] const Status& status() const { return status_; }
  [[nodiscard]] std::uint64_t line_number() const { return line_; }  ///< Of the last line, from 1.
  /// False when the last line that was read had no line end, as in a file that is still being written.
  [[nodiscard]] bool terminated() const { return terminated_; }

 private:
  [[nodiscard]] bool refill();

  Source source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;    ///< First byte not yet given.
  std::size_t end_ = 0;      ///< First byte not yet filled.
  std::size_t scanned_ = 0;  ///< Bytes from `begin_` known to hold no line end.
  std::uint64_t line_ = 0;
  bool at_end_ = false;
  bool terminated_ = true;
  Status status_;
};

}  // namespace laggard::collect
