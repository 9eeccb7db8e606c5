#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "lab/striped/message.h"

namespace laggard::lab::striped {

/// How far a message has come over a socket that does not block.
enum class Progress { kMore, kWhole, kGone };

/// A message on its way out.
class Outgoing {
 public:
  /// \param body  outlives the sending
  void start(Header header, std::span<const char> body);
  /// Sends what the socket takes.
  [[nodiscard]] Progress send(int socket);
  [[nodiscard]] bool whole() const { return sent_ == kHeaderBytes + body_.size(); }

 private:
  HeaderBytes head_{};
  std::span<const char> body_;
  std::size_t sent_ = 0;
};

/// A message on its way in.
class Incoming {
 public:
  /// Where a message's body belongs, once its header is known; nothing when that is nonsense.
  using BufferFor = std::function<char*(const Header&)>;

  void start() { received_ = 0; }
  /// Reads what is there. \return kGone at the end of the connection, on errors and after nonsense
  [[nodiscard]] Progress receive(int socket, const BufferFor& buffer_for);
  /// Of a whole message.
  [[nodiscard]] const Header& header() const { return header_; }
  [[nodiscard]] std::span<char> body() const { return {body_, header_.body}; }

 private:
  [[nodiscard]] bool knows_header() const { return received_ >= kHeaderBytes; }

  HeaderBytes head_{};
  Header header_;
  char* body_ = nullptr;
  std::size_t received_ = 0;
};

}  // namespace laggard::lab::striped
