#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"

namespace laggard::derive {

/// The reads from one socket, put together to messages: requests at a server, answers at a client
/// (docs/methods/syscalls.md).
///
/// What stands between the first and the last read of a message is unknown to a tracer, as it does not see
/// the bytes. So a message is over when the socket is written to (an answer, or the next request), when it
/// is closed, when nothing has come for kPause, or when it has been going on for kLongest.
class MessageReads {
 public:
  /// A lost packet is sent again after 0.2 s, and once more 0.4 s later: a message with a hole of two losses
  /// is still one.
  static constexpr Duration kPause = std::chrono::seconds(1);
  /// Bounds how far back a message reaches. One-way streams come in pieces of it.
  static constexpr Duration kLongest = std::chrono::seconds(10);
  /// What reading takes when the data is there, with ample room for a busy machine. What the first read takes
  /// beyond it was waiting for the message, which is its sender's time.
  static constexpr Duration kReadTime = std::chrono::microseconds(100);
  static constexpr Duration kReadTimePerByte = std::chrono::nanoseconds(1);

  struct Message {
    WallTime over;  ///< When that it was over was known.
    Duration took;  ///< From its first read, of which waiting is left out, to the end of its last one.
  };

  /// A read that returned data. In the order of their ends. \return the message that ended before it.
  [[nodiscard]] std::optional<Message> read(TimeSpan call, std::int64_t bytes);
  /// A write, whatever came of it. One that had begun before the message did belongs to something else.
  [[nodiscard]] std::optional<Message> write(TimeSpan call);
  /// The socket is closed, or at its end.
  [[nodiscard]] std::optional<Message> close(WallTime time);
  /// Nothing else happened before `until`.
  [[nodiscard]] std::optional<Message> wait(WallTime until);
  /// What is known of the message under way is no longer known in full.
  void forget() { open_ = false; }

  [[nodiscard]] bool is_open() const { return open_; }

 private:
  [[nodiscard]] Message end(WallTime over);

  bool open_ = false;
  WallTime begin_;
  WallTime first_;  ///< When its first read returned, ...
  WallTime last_;   ///< ... and its last one.
};

}  // namespace laggard::derive
