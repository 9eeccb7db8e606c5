#pragma once

#include <cstddef>
#include <span>

#include "base/file.h"
#include "lab/striped/transfer.h"

namespace laggard::lab::striped {

/// A client's connection at a server, which carries one request at a time.
class Connection {
 public:
  explicit Connection(Fd socket) : socket_(std::move(socket)) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  /// Reads what is there. \return kWhole when a request is complete
  [[nodiscard]] Progress read();
  /// Sends what the socket takes. \return kWhole when the answer has gone, and the next request may come
  [[nodiscard]] Progress write();

  [[nodiscard]] const Header& request() const { return request_.header(); }
  /// What came with the request.
  [[nodiscard]] std::span<const char> body() const { return request_.body(); }
  /// Where the answer's body is put. Both are of 4 MB, which are allocated with the first request, as PVFS's
  /// flows are (S §5), and are aligned to a page.
  [[nodiscard]] std::span<char> answer_buffer() { return {buffers_ + kMostBody, kMostBody}; }
  /// What is to be sent, with the first `header.body` bytes of `answer_buffer`.
  void answer(const Header& header);

  [[nodiscard]] int socket() const { return socket_.get(); }

 private:
  [[nodiscard]] char* buffer_for(const Header& request);

  Fd socket_;
  Incoming request_;
  Outgoing answer_;
  char* buffers_ = nullptr;
};

}  // namespace laggard::lab::striped
