#include "derive/message_reads.h"

#include <algorithm>

namespace laggard::derive {

MessageReads::Message MessageReads::end(WallTime over) {
  open_ = false;
  return {over, last_ - begin_};
}

std::optional<MessageReads::Message> MessageReads::read(TimeSpan call, std::int64_t bytes) {
  std::optional<Message> before = wait(call.to);
  if (open_ && call.to - begin_ > kLongest) before = end(call.to);
  if (!open_) {
    // No call returns more than 2 GB.
    const Duration reading = kReadTime + kReadTimePerByte * std::clamp<std::int64_t>(bytes, 0, INT32_MAX);
    begin_ = std::max(call.from, call.to - reading);
    first_ = call.to;
    open_ = true;
  }
  last_ = call.to;
  return before;
}

std::optional<MessageReads::Message> MessageReads::write(TimeSpan call) {
  if (std::optional<Message> before = wait(call.to)) return before;
  if (!open_ || call.from < first_) return std::nullopt;
  return end(call.to);
}

std::optional<MessageReads::Message> MessageReads::close(WallTime time) {
  if (std::optional<Message> before = wait(time)) return before;
  if (!open_) return std::nullopt;
  return end(time);
}

std::optional<MessageReads::Message> MessageReads::wait(WallTime until) {
  if (!open_ || last_ + kPause >= until) return std::nullopt;
  return end(last_ + kPause);
}

}  // namespace laggard::derive
