#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"

namespace laggard::net {

/// A server on the loopback interface for tests of the client: reads a request, sends the bytes that `answer`
/// returns, and keeps the connection unless told otherwise. One connection at a time.
class TestingPeer {
 public:
  struct Answer {
    std::string bytes;
    bool close = false;
    bool wait = false;  ///< Wait after the bytes until the client closes the connection.
  };
  using Answerer = std::function<Answer(const std::string& request)>;

  explicit TestingPeer(Answerer answer)
      : answer_(std::move(answer)), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(listener_.get(), generic, length), 0);
    EXPECT_EQ(::getsockname(listener_.get(), generic, &length), 0);
    EXPECT_EQ(::listen(listener_.get(), 16), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  TestingPeer(const TestingPeer&) = delete;
  TestingPeer& operator=(const TestingPeer&) = delete;
  ~TestingPeer() {
    stop_ = true;
    thread_.join();
  }

  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] std::vector<std::string> requests() {
    const std::scoped_lock lock(mutex_);
    return requests_;
  }
  [[nodiscard]] int connections() const { return connections_; }

  /// A response with its Content-Length.
  static std::string reply(const std::string& status, const std::string& headers = {},
                           const std::string& body = {}) {
    return "HTTP/1.1 " + status + "\r\n" + headers + "Content-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
  }

 private:
  static constexpr int kLookMs = 5;

  [[nodiscard]] bool readable(const Fd& fd) const {
    pollfd wanted{fd.get(), POLLIN, 0};
    while (!stop_) {
      if (::poll(&wanted, 1, kLookMs) > 0) return true;
    }
    return false;
  }

  void serve() {
    while (readable(listener_)) {
      const Fd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      ++connections_;
      while (one_request(client)) {
      }
    }
  }

  bool one_request(const Fd& client) {
    std::string request;
    std::size_t wanted = std::string::npos;
    while (request.size() < wanted) {
      char bytes[65536];
      const ssize_t got = readable(client) ? ::recv(client.get(), bytes, sizeof bytes, 0) : 0;
      if (got <= 0) return false;
      request.append(bytes, static_cast<std::size_t>(got));
      constexpr char kTls = '\x16';
      if (request.front() == kTls) break;  // A TLS greeting, which no request follows.
      const std::size_t end = request.find("\r\n\r\n");
      if (end == std::string::npos) continue;
      const std::size_t length = request.find("Content-Length: ");
      wanted = end + 4 + (length < end ? std::stoul(request.substr(length + 16)) : 0);
    }
    {
      const std::scoped_lock lock(mutex_);
      requests_.push_back(request);
    }
    const Answer answer = answer_(request);
    std::size_t sent = 0;
    while (sent < answer.bytes.size()) {
      const ssize_t now =
          ::send(client.get(), answer.bytes.data() + sent, answer.bytes.size() - sent, MSG_NOSIGNAL);
      if (now <= 0) return false;
      sent += static_cast<std::size_t>(now);
    }
    if (answer.wait && readable(client)) return false;
    return !answer.close;
  }

  Answerer answer_;
  Fd listener_;
  int port_ = 0;
  std::atomic<bool> stop_ = false;
  std::atomic<int> connections_ = 0;
  std::mutex mutex_;
  std::vector<std::string> requests_;
  std::thread thread_;
};

}  // namespace laggard::net
