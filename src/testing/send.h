#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "model/sample_table.h"
#include "net/http.h"

/// What the tests of this room share: a clock that only sleeping moves, and a scripted server.
namespace laggard::send {

class FakeClock final : public Clock {
 public:
  WallTime wall() override { return from_unix_ns(1'795'202'494'000'000'000) + (now_ - MonoTime{}); }
  MonoTime mono() override { return now_; }
  void sleep_until(MonoTime deadline) override {
    sleeps.push_back(deadline - now_);
    now_ = deadline;
  }
  void advance(Duration by) { now_ += by; }

  std::vector<Duration> sleeps;

 private:
  MonoTime now_{};
};

/// Returns the scripted answers, else 204; keeps what was posted.
class PaperServer : public net::HttpTransport {
 public:
  Result<net::HttpReply> get(const std::string& /*path*/,
                             const std::multimap<std::string, std::string>& /*parameters*/) override {
    return reply(405);
  }
  Result<net::HttpReply> post(const std::string& path, const net::HttpHeaders& headers,
                              std::string_view body) override {
    paths.push_back(path);
    last_headers = headers;
    posted.emplace_back(body);
    if (!refuses.empty() && body == refuses) return reply(503);
    if (answers.empty()) return answer_to(body);
    Result<net::HttpReply> next = std::move(answers.front());
    answers.pop_front();
    return next;
  }

  [[nodiscard]] net::HttpReply reply(int status, std::string text = {}) const {
    net::HttpReply out;
    out.status = status;
    out.body = std::move(text);
    out.reconnected = always_reconnected;
    return out;
  }
  [[nodiscard]] static tl::unexpected<Error> away() {
    return fail(ErrorCode::kUnavailable, "http://x", "cannot connect");
  }

  std::deque<Result<net::HttpReply>> answers;
  std::vector<std::string> posted;
  std::vector<std::string> paths;
  net::HttpHeaders last_headers;
  bool always_reconnected = false;  ///< Silently closes every connection.
  std::string refuses;              ///< A body that it always refuses; empty: none.

 protected:
  virtual Result<net::HttpReply> answer_to(std::string_view /*body*/) { return reply(204); }
};

/// A temporary folder that is removed at the end.
class Scratch {
 public:
  Scratch() {
    std::string pattern = ::testing::TempDir() + "send-XXXXXX";
    path_ = ::mkdtemp(pattern.data());
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// One disk with one counter, a sample a second from `first_s` on: 0, 1, 2, …
inline SampleTable counting_table(const std::string& host, std::int64_t first_s, std::size_t samples) {
  std::vector<WallTime> times;
  for (std::size_t t = 0; t < samples; ++t) {
    times.push_back(from_unix_ns((first_s + static_cast<std::int64_t>(t)) * 1'000'000'000));
  }
  SampleTable table(host, DeviceKind::kDisk, {{"rd_ios", CounterForm::kCumulative}}, {"sda"}, times);
  for (std::size_t t = 0; t < samples; ++t) table.set(0, 0, t, t);
  return table;
}

}  // namespace laggard::send
