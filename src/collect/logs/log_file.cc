#include "collect/logs/log_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/bytes.h"

namespace laggard::collect {

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;
/// First bytes that tell one file from another even on a device that has another number now.
constexpr std::uint64_t kTellingHead = 64;

FileState to_state(const struct stat& found) {
  return {.device = found.st_dev,
          .inode = found.st_ino,
          .bytes = static_cast<std::uint64_t>(found.st_size),
          .modified_ns = found.st_mtim.tv_sec * 1'000'000'000 + found.st_mtim.tv_nsec,
          .has_name = found.st_nlink > 0};
}

Result<FileState> state_of(int fd, const std::string& where) {
  struct stat found {};
  if (::fstat(fd, &found) != 0) return fail_errno(errno, where, "cannot look at the log");
  if (!S_ISREG(found.st_mode)) {
    return fail(ErrorCode::kBadUse, where, "is no regular file; only these are followed");
  }
  return to_state(found);
}

/// Bytes at a place; fewer at the end.
Result<std::size_t> read_at(int fd, std::uint64_t offset, char* into, std::size_t most,
                            const std::string& where) {
  for (;;) {
    const ssize_t got = ::pread(fd, into, most, static_cast<off_t>(offset));
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return fail_errno(errno, where, "cannot read the log");
  }
}

}  // namespace

std::optional<FileState> FileState::at(const std::filesystem::path& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return std::nullopt;
  return to_state(found);
}

Result<LogFile> LogFile::open(const std::filesystem::path& path, std::string name) {
  // Not blocking: a pipe that nobody writes to is found out by its state.
  LogFile log{Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY))};
  if (!log.file_.valid()) return fail_errno(errno, path.string(), "cannot open the log");
  auto state = state_of(log.file_.get(), path.string());
  if (!state) return forward(state);
  log.state_ = *state;
  log.position_.path = std::move(name);
  log.position_.device = state->device;
  log.position_.inode = state->inode;
  log.remember_head();
  return log;
}

std::optional<std::uint64_t> LogFile::head_hash(std::uint64_t bytes) const {
  std::array<char, FilePosition::kMostHead> head{};
  const auto got = read_at(file_.get(), 0, head.data(), bytes, name());
  if (!got || *got != bytes) return std::nullopt;
  return checksum({head.data(), *got});
}

bool LogFile::resume(const FilePosition& position) {
  if (position.inode != state_.inode) return false;
  if (position.device != state_.device && position.head_bytes < kTellingHead) return false;
  return go_on_at(position);
}

bool LogFile::resume_in_copy(const FilePosition& position) {
  return position.head_bytes >= kTellingHead && go_on_at(position);
}

bool LogFile::go_on_at(const FilePosition& position) {
  if (head_hash(position.head_bytes) != position.head_hash || position.offset > state_.bytes) return false;
  begin_at(position.offset);
  return true;
}

void LogFile::begin_at(std::uint64_t offset) {
  position_.offset = offset;
  buffer_.clear();
  begin_ = scanned_ = length_ = line_end_ = 0;
  dropped_ = 0;
}

/// The end of the last whole line: the next one may have begun already.
void LogFile::skip_to_end() {
  std::array<char, kPiece> piece{};
  for (std::uint64_t end = state_.bytes; end > 0;) {
    const std::uint64_t from = end - std::min<std::uint64_t>(end, piece.size());
    const auto got = read_at(file_.get(), from, piece.data(), end - from, name());
    if (!got || *got != end - from) break;  // What can be read then is read from the end that was there.
    const std::size_t newline = std::string_view(piece.data(), *got).rfind('\n');
    if (newline != std::string_view::npos) return begin_at(from + newline + 1);
    if (from == 0 || state_.bytes - from > kMostLine) break;
    end = from;
  }
  begin_at(state_.bytes <= kMostLine ? 0 : state_.bytes);
}

Result<std::size_t> LogFile::fill() {
  if (begin_ > 0) buffer_.erase(0, std::exchange(begin_, 0));
  const std::size_t kept = buffer_.size();
  buffer_.resize(kept + kPiece);
  auto got = read_at(file_.get(), read_offset() - kPiece, buffer_.data() + kept, kPiece, name());
  buffer_.resize(kept + (got ? *got : 0));
  return got;
}

/// Drops what an overlong line has from there on, up to its line end or as far as it was read.
void LogFile::drop_overlong(std::size_t from) {
  const std::size_t newline = std::min(buffer_.find('\n', from), buffer_.size());
  const std::size_t kept = std::max(begin_ + kMostLine, from);
  if (newline <= kept) return;
  dropped_ += newline - kept;
  buffer_.erase(kept, newline - kept);
}

Result<bool> LogFile::peek(std::string_view& line, bool unfinished) {
  for (;;) {
    const std::size_t newline = buffer_.find('\n', begin_ + scanned_);
    if (newline != std::string::npos) {
      length_ = newline - begin_;
      line_end_ = 1;
      break;
    }
    scanned_ = buffer_.size() - begin_;
    auto got = fill();
    if (!got) return forward(got);
    if (*got > 0) {
      if (scanned_ + *got > kMostLine) drop_overlong(begin_ + scanned_);
      continue;
    }
    if (!unfinished || scanned_ == 0) return false;
    length_ = scanned_;
    line_end_ = 0;
    break;
  }
  line = std::string_view(buffer_).substr(begin_, std::min(length_, kMostLine));
  if (position_.offset == 0 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

void LogFile::take() {
  position_.offset += length_ + line_end_ + std::exchange(dropped_, 0);
  begin_ += length_ + line_end_;
  scanned_ = length_ = line_end_ = 0;
}

void LogFile::remember_head() {
  const std::uint64_t bytes = std::min(state_.bytes, FilePosition::kMostHead);
  if (const auto hash = head_hash(bytes)) {
    position_.head_bytes = bytes;
    position_.head_hash = *hash;
  }
}

Result<bool> LogFile::look() {
  auto now = state_of(file_.get(), name());
  if (!now) return forward(now);
  const bool was_written = now->bytes != state_.bytes || now->modified_ns != state_.modified_ns;
  state_ = *now;
  // One that was truncated and has outgrown its old length since begins otherwise.
  const bool is_shorter = now->bytes < read_offset();
  const bool begins_otherwise = was_written && head_hash(position_.head_bytes) != position_.head_hash;
  if (was_written && position_.head_bytes < FilePosition::kMostHead) remember_head();
  if (!is_shorter && !begins_otherwise) return false;
  if (!begins_otherwise && now->bytes >= position_.offset) {
    begin_at(position_.offset);  // The line that was being written was taken back.
    return false;
  }
  remember_head();
  // A program that writes on at its old place leaves a hole before it.
  const off_t data = ::lseek(file_.get(), 0, SEEK_DATA);
  begin_at(data > 0 ? static_cast<std::uint64_t>(data) : 0);
  return true;
}

}  // namespace laggard::collect
