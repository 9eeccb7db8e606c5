#include "engine/frame_log.h"

#include <cstring>

#include "base/bytes.h"

namespace laggard::engine {

namespace {

/// The version is the last digit.
constexpr std::string_view kMagic = "laggard tape 3\n";
constexpr std::size_t kVersionAt = 13;
constexpr std::uint64_t kFirstChain = 0x6c61676761726431;
/// Length, the length's checksum, and that of what follows.
constexpr std::size_t kFrameHead = 3 * sizeof(std::uint64_t);

std::uint64_t word_at(std::string_view bytes, std::size_t at) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

/// A length that is wrong would send a reader behind the end of the log, as if the rest had been torn off.
std::uint64_t sum_of_length(std::uint64_t chain, std::uint64_t length) {
  char raw[sizeof length];
  std::memcpy(raw, &length, sizeof length);
  return checksum({raw, sizeof raw}, chain);
}

bool is_known(char kind) {
  switch (static_cast<FrameKind>(kind)) {
    case FrameKind::kHead:
    case FrameKind::kRun:
    case FrameKind::kNotice:
    case FrameKind::kDamage:
    case FrameKind::kEnd:
      return true;
  }
  return false;
}

}  // namespace

FrameLogWriter::FrameLogWriter(std::optional<std::uint64_t> chain) : chain_(chain.value_or(kFirstChain)) {}

std::string_view FrameLogWriter::magic() { return kMagic; }

std::string FrameLogWriter::frame(FrameKind kind, std::string_view payload) {
  std::string body(1, static_cast<char>(kind));
  body += payload;
  ByteWriter out;
  out.u64(body.size());
  out.u64(sum_of_length(chain_, body.size()));
  chain_ = checksum(body, chain_);
  out.u64(chain_);
  out.raw(body);
  return out.take();
}

FrameLogReader::FrameLogReader(std::string_view bytes) : bytes_(bytes), chain_(kFirstChain) {
  if (bytes.starts_with(kMagic)) {
    at_ = kMagic.size();
  } else if (kMagic.starts_with(bytes)) {
    state_ = FrameLogState::kTorn;
  } else {
    state_ =
        bytes.starts_with(kMagic.substr(0, kVersionAt)) ? FrameLogState::kOther : FrameLogState::kForeign;
  }
}

std::nullopt_t FrameLogReader::stop(FrameLogState state) {
  state_ = state;
  return std::nullopt;
}

std::optional<Frame> FrameLogReader::next() {
  if (state_ != FrameLogState::kSound || at_ == bytes_.size()) return std::nullopt;
  const std::string_view rest = bytes_.substr(at_);
  // Zeros are what a file system may leave of bytes that it had promised when the power went.
  if (rest.size() < kFrameHead || rest.find_first_not_of('\0') == std::string_view::npos) {
    return stop(FrameLogState::kTorn);
  }
  const std::uint64_t length = word_at(rest, 0);
  if (length == 0 || word_at(rest, sizeof length) != sum_of_length(chain_, length)) {
    return stop(FrameLogState::kDamaged);
  }
  if (length > rest.size() - kFrameHead) return stop(FrameLogState::kTorn);
  const std::string_view body = rest.substr(kFrameHead, length);
  const std::uint64_t expected = word_at(rest, 2 * sizeof length);
  if (checksum(body, chain_) != expected || !is_known(body.front())) {
    return stop(length == rest.size() - kFrameHead ? FrameLogState::kTorn : FrameLogState::kDamaged);
  }
  chain_ = expected;
  at_ += kFrameHead + length;
  return Frame{static_cast<FrameKind>(body.front()), body.substr(1)};
}

}  // namespace laggard::engine
