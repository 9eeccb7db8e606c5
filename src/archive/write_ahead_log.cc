#include "archive/write_ahead_log.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "archive/format.h"

namespace laggard::archive {

namespace {

constexpr std::size_t kFrameHeader = 24;
constexpr std::size_t kFrame = kFrameHeader + kPageBytes;
constexpr std::size_t kFramesAtOnce = 256;
constexpr std::size_t kSalts = 16;  ///< Place of both salts in the header of the log.
constexpr std::size_t kSaltBytes = 8;

std::uint32_t big_endian_32(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<std::uint8_t>(bytes[at + i]);
  return value;
}

std::uint32_t native_32(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

/// The running checksum of a log and of its index.
struct LogSum {
  bool big = false;  ///< Reads words big-endian; else as this machine does.
  std::uint32_t a = 0;
  std::uint32_t b = 0;

  void add(std::string_view bytes) {
    for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
      a += word(bytes, at) + b;
      b += word(bytes, at + 4) + a;
    }
  }
  [[nodiscard]] bool matches(std::string_view bytes, std::size_t at) const {
    return big_endian_32(bytes, at) == a && big_endian_32(bytes, at + 4) == b;
  }

 private:
  [[nodiscard]] std::uint32_t word(std::string_view bytes, std::size_t at) const {
    return big ? big_endian_32(bytes, at) : native_32(bytes, at);
  }
};

/// The running checksum after the header of a log; nothing when the header is invalid.
std::optional<LogSum> check_log_header(std::string_view header) {
  constexpr std::uint32_t kMagic = 0x377F0682;  // The last bit is the byte order of the checksums' words.
  if (header.size() < kLogHeaderBytes) return std::nullopt;
  const std::uint32_t magic = big_endian_32(header, 0);
  if ((magic & ~1U) != kMagic || big_endian_32(header, 8) != kPageBytes) return std::nullopt;
  LogSum sum{.big = (magic & 1U) != 0};
  sum.add(header.substr(0, 24));
  if (!sum.matches(header, 24)) return std::nullopt;
  return sum;
}

constexpr std::size_t kFramesInIndex = 16;  ///< Place of their number in the wal-index.

/// Whether the header of a wal-index is valid and was not being changed.
bool index_holds(std::string_view shm) {
  constexpr std::uint32_t kVersion = 3007000;
  constexpr std::size_t kHeader = 48;  // Stored twice, so that a reader notices when it is being changed.
  constexpr std::size_t kSum = 40;
  if (shm.size() < 2 * kHeader || shm.substr(0, kHeader) != shm.substr(kHeader, kHeader)) return false;
  LogSum sum;
  sum.add(shm.substr(0, kSum));
  // The checksum of zeros is zero, so zeros are excluded separately.
  return native_32(shm, 0) == kVersion && native_32(shm, kSum) == sum.a && native_32(shm, kSum + 4) == sum.b;
}

/// Walks through the frames of a log.
class LogWalk {
 public:
  LogWalk(const ReadAt& log, std::uint64_t size, LogSum sum, std::string_view salts)
      : log_(log),
        sum_(sum),
        salts_(salts),
        window_(std::clamp<std::uint64_t>(size, kFrame, kFramesAtOnce * kFrame)) {}

  LogIndex run() {
    std::uint64_t at = kLogHeaderBytes;
    for (; read(at) && take(at); at += kFrame) {
    }
    bool torn = pending_;
    bool over = false;  // A commit was seen, so that no flush was being written behind it.
    bool broken = false;
    const std::uint64_t end = at + kLargestHole;
    for (; !broken && read(at); at += kFrame) {
      broken = at > end;
      if (!is_of_this_round() || repeats_commit()) continue;
      torn = true;
      broken = broken || over;
      note_commit();
      over = over || (frame_.size() == kFrame && big_endian_32(frame_, 4) != 0);
    }
    index_.state = broken ? LogState::kBroken : (torn ? LogState::kTorn : LogState::kWhole);
    if (at == kLogHeaderBytes) index_.state = LogState::kEmpty;
    return std::move(index_);
  }

 private:
  /// Whether any of the frame at `at` is there. Reads many at once.
  bool read(std::uint64_t at) {
    if (at < from_ || at + kFrame > from_ + in_window_) {
      from_ = at;
      in_window_ = log_(at, window_);
    }
    frame_ = std::string_view(window_.data(), in_window_).substr(at - from_, kFrame);
    return !frame_.empty();
  }
  [[nodiscard]] bool is_of_this_round() const {
    const std::string_view theirs = frame_.substr(std::min<std::size_t>(8, frame_.size()), kSaltBytes);
    // Nothing more can be said about a frame that was cut within its salts.
    return !theirs.empty() ? salts_.starts_with(theirs) : !frame_.empty();
  }

  /// SQLite fills the sector after a commit with copies of its last frame.
  [[nodiscard]] bool repeats_commit() const { return !commit_.empty() && frame_.starts_with(commit_); }
  void note_commit() {
    commit_ = frame_.size() >= 8 && big_endian_32(frame_, 4) != 0 ? frame_.substr(0, 8) : "";
  }

  /// Takes the frame that was read, if its checksum continues that of the frames before.
  bool take(std::uint64_t at) {
    if (frame_.size() < kFrame || !is_of_this_round() || big_endian_32(frame_, 0) == 0) return false;
    sum_.add(frame_.substr(0, 8));
    sum_.add(frame_.substr(kFrameHeader));
    if (!sum_.matches(frame_, 16)) return false;
    open_[big_endian_32(frame_, 0)] = at + kFrameHeader;
    pending_ = true;
    ++seen_;
    const std::uint32_t size_after = big_endian_32(frame_, 4);
    note_commit();
    if (size_after == 0) return true;
    for (const auto& [page, place] : open_) index_.pages[page] = place;
    open_.clear();
    pending_ = false;
    index_.page_count = size_after;
    index_.frames = seen_;
    return true;
  }

  const ReadAt& log_;
  LogSum sum_;
  std::string_view salts_;
  std::vector<char> window_;
  std::uint64_t from_ = 0;                       ///< Place of the window in the log.
  std::size_t in_window_ = 0;                    ///< How much of it was read.
  std::string_view frame_;                       ///< In the window.
  std::map<std::uint32_t, std::uint64_t> open_;  ///< Frames of a transaction whose commit was not seen yet.
  bool pending_ = false;
  std::string commit_;  ///< Page number and size in the frame before, when that was a commit's.
  std::uint32_t seen_ = 0;
  LogIndex index_;
};

}  // namespace

LogIndex index_log(const ReadAt& log, std::uint64_t size) {
  LogIndex index{.state = LogState::kEmpty, .pages = {}};
  if (size == 0) return index;
  std::array<char, kLogHeaderBytes> header{};
  const std::string_view bytes{header.data(), log(0, header)};
  const std::optional<LogSum> sum = check_log_header(bytes);
  if (!sum) {
    index.state = LogState::kBroken;
    return index;
  }
  return LogWalk(log, size, *sum, bytes.substr(kSalts, kSaltBytes)).run();
}

std::optional<std::uint32_t> committed_frames(std::string_view shm, std::string_view log_header) {
  constexpr std::size_t kIndexSalts = 32;
  if (!index_holds(shm) || log_header.size() < kLogHeaderBytes) return std::nullopt;
  if (shm.substr(kIndexSalts, kSaltBytes) != log_header.substr(kSalts, kSaltBytes)) return std::nullopt;
  return native_32(shm, kFramesInIndex);
}

bool says_no_frames(std::string_view shm) { return index_holds(shm) && native_32(shm, kFramesInIndex) == 0; }

void for_each_frame(std::string_view log, const std::function<void(std::uint32_t, std::string_view)>& f) {
  for (std::size_t at = kLogHeaderBytes; at + kFrameHeader < log.size(); at += kFrame) {
    f(big_endian_32(log, at), log.substr(at + kFrameHeader, kPageBytes));
  }
}

}  // namespace laggard::archive
