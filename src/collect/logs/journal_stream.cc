#include "collect/logs/journal_stream.h"

#include <algorithm>

#include "base/text.h"

namespace laggard::collect {

namespace {

/// Of a line; a field's name has at most 64 bytes.
constexpr std::size_t kMostKept = JournalEntry::kMostValue + 256;

}  // namespace

std::size_t JournalStream::take(std::string_view bytes) {
  std::size_t taken = 0;
  while (taken < bytes.size() && !has_entry_ && !is_damaged_) {
    const std::string_view rest = bytes.substr(taken);
    switch (expects_) {
      case Expects::kLine:
        taken += take_line(rest);
        break;
      case Expects::kLength:
        taken += take_length(rest);
        break;
      case Expects::kValue:
        taken += take_value(rest);
        break;
    }
  }
  return taken;
}

std::size_t JournalStream::take_line(std::string_view bytes) {
  const std::size_t newline = bytes.find('\n');
  const std::string_view piece = bytes.substr(0, newline);
  line_.append(piece.substr(0, kMostKept - line_.size()));
  if (newline == std::string_view::npos) return bytes.size();
  if (line_.ends_with('\r')) line_.pop_back();
  end_line();
  return newline + 1;
}

void JournalStream::end_line() {
  if (ends_value_) {
    ends_value_ = false;
    is_damaged_ = !line_.empty();
  } else if (line_.empty() || (!has_fields_ && trim(line_).empty())) {
    has_entry_ = has_fields_;
  } else {
    has_fields_ = true;
    const std::size_t equals = line_.find('=');
    if (equals == std::string::npos) {
      expects_ = Expects::kLength;
      length_ = length_bytes_ = 0;
      return;
    }
    entry_.set(std::string_view(line_).substr(0, equals), std::string_view(line_).substr(equals + 1));
  }
  line_.clear();
}

/// Eight bytes, the lowest first.
std::size_t JournalStream::take_length(std::string_view bytes) {
  constexpr std::size_t kLengthBytes = 8;
  const std::size_t taken = std::min(bytes.size(), kLengthBytes - length_bytes_);
  for (const char c : bytes.substr(0, taken)) {
    length_ |= static_cast<std::uint64_t>(static_cast<unsigned char>(c)) << (8 * length_bytes_++);
  }
  if (length_bytes_ == kLengthBytes) {
    expects_ = Expects::kValue;
    value_.clear();
  }
  if (length_bytes_ == kLengthBytes && length_ == 0) static_cast<void>(take_value({}));
  return taken;
}

std::size_t JournalStream::take_value(std::string_view bytes) {
  const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(length_, bytes.size()));
  value_.append(bytes.substr(0, std::min(taken, JournalEntry::kMostValue - value_.size())));
  length_ -= taken;
  if (length_ == 0) {
    entry_.set(line_, value_);
    line_.clear();
    expects_ = Expects::kLine;
    ends_value_ = true;
  }
  return taken;
}

}  // namespace laggard::collect
