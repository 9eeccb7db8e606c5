#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace laggard::collect {

/// Splits a stream of bytes into lines, without their line ends (LF or CRLF) and without a UTF-8 byte order
/// mark before the first. The first error sticks: call `next` until it returns false, then check `status`
/// once.
class LineReader {
 public:
  using Source = std::function<Result<std::size_t>(std::span<char>)>;
  static constexpr std::size_t kLongestLine = 1U << 20U;
  /// What becomes of a line that is longer than that.
  enum class Overlong : std::uint8_t {
    kError,  ///< It is an error: the file is no text.
    kCut,    ///< Its beginning is the line.
  };

  explicit LineReader(Source source, std::size_t buffer = 1U << 20U, Overlong overlong = Overlong::kError)
      : source_(std::move(source)), overlong_(overlong) {
    buffer_.resize(buffer);
  }

  /// Reads the next line, which is valid until the next call. False at the end and after an error.
  [[nodiscard]] bool next(std::string_view& line);
  /// Takes bytes that are no lines: `count` of them, of which the first `most` go into `bytes`. False when
  /// fewer are left.
  [[nodiscard]] bool take_bytes(std::uint64_t count, std::size_t most, std::string& bytes);

  [[nodiscard]] const Status& status() const { return status_; }
  [[nodiscard]] std::uint64_t line_number() const { return line_; }  ///< Of the last line, from 1.
  /// False when the last line that was read had no line end, as in a file that is still being written.
  [[nodiscard]] bool terminated() const { return terminated_; }

 private:
  [[nodiscard]] bool refill();
  [[nodiscard]] bool is_overlong() const {
    return end_ - begin_ == buffer_.size() && buffer_.size() > kLongestLine;
  }
  void pass_over_rest();

  Source source_;
  Overlong overlong_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;    ///< First byte not yet returned.
  std::size_t end_ = 0;      ///< First byte not yet filled.
  std::size_t scanned_ = 0;  ///< Bytes from `begin_` known to hold no line end.
  std::uint64_t line_ = 0;
  bool at_end_ = false;
  bool terminated_ = true;
  bool cut_ = false;  ///< The rest of the last line is still to be passed over.
  Status status_;
};

inline void LineReader::pass_over_rest() {
  cut_ = false;
  do {
    const auto* newline = static_cast<const char*>(std::memchr(buffer_.data() + begin_, '\n', end_ - begin_));
    if (newline != nullptr) {
      begin_ = static_cast<std::size_t>(newline - buffer_.data()) + 1;
      return;
    }
    begin_ = end_;
  } while (refill());
}

inline bool LineReader::take_bytes(std::uint64_t count, std::size_t most, std::string& bytes) {
  bytes.clear();
  while (count > 0) {
    if (begin_ == end_ && !refill()) return false;
    const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(count, end_ - begin_));
    bytes.append(buffer_.data() + begin_, std::min(taken, most - bytes.size()));
    begin_ += taken;
    count -= taken;
  }
  return true;
}

inline bool LineReader::refill() {
  if (at_end_ || !status_) return false;
  const std::size_t kept = end_ - begin_;
  if (kept > 0 && begin_ > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, kept);
  begin_ = 0;
  end_ = kept;
  if (end_ == buffer_.size()) {
    if (buffer_.size() > kLongestLine) {
      status_ =
          fail(ErrorCode::kBadInput, "",
               fmt::format("line {} is longer than {} bytes; this is no text file", line_ + 1, kLongestLine));
      return false;
    }
    buffer_.resize(buffer_.size() * 2);
  }
  Result<std::size_t> got = source_(std::span(buffer_).subspan(end_));
  if (!got) {
    status_ = forward(got);
    return false;
  }
  if (*got == 0) at_end_ = true;
  end_ += *got;
  return *got > 0;
}

inline bool LineReader::next(std::string_view& line) {
  if (cut_) pass_over_rest();
  const char* newline = nullptr;
  while (true) {
    if (begin_ + scanned_ < end_) {
      newline = static_cast<const char*>(
          std::memchr(buffer_.data() + begin_ + scanned_, '\n', end_ - begin_ - scanned_));
    }
    if (newline != nullptr) break;
    scanned_ = end_ - begin_;
    cut_ = overlong_ == Overlong::kCut && is_overlong();
    if (cut_) break;
    if (refill()) continue;
    if (!status_ || begin_ == end_) return false;
    break;
  }
  terminated_ = newline != nullptr || cut_;
  const auto length =
      newline != nullptr ? static_cast<std::size_t>(newline - (buffer_.data() + begin_)) : end_ - begin_;
  line = std::string_view(buffer_.data() + begin_, length);
  begin_ += length + (newline != nullptr ? 1 : 0);
  scanned_ = 0;
  ++line_;
  if (line_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

}  // namespace laggard::collect
