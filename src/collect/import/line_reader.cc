#include "collect/import/line_reader.h"

#include <cstring>

namespace laggard::collect {

bool LineReader::refill() {
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

bool LineReader::next(std::string_view& line) {
  const char* newline = nullptr;
  while (true) {
    if (begin_ + scanned_ < end_) {
      newline = static_cast<const char*>(
          std::memchr(buffer_.data() + begin_ + scanned_, '\n', end_ - begin_ - scanned_));
    }
    if (newline != nullptr) break;
    scanned_ = end_ - begin_;
    if (refill()) continue;
    if (!status_ || begin_ == end_) return false;
    break;
  }
  terminated_ = newline != nullptr;
  const auto length =
      terminated_ ? static_cast<std::size_t>(newline - (buffer_.data() + begin_)) : end_ - begin_;
  line = std::string_view(buffer_.data() + begin_, length);
  begin_ += length + (terminated_ ? 1 : 0);
  scanned_ = 0;
  ++line_;
  if (line_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

}  // namespace laggard::collect
