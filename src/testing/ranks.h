#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "cmd/ranks.h"

namespace laggard::cmd::testing_support {

/// The post between ranks that are threads of a test.
struct PostOffice {
  std::mutex mutex;
  std::condition_variable arrived;
  std::map<std::pair<std::size_t, std::size_t>, std::deque<std::string>> boxes;  ///< By from and to.
  std::atomic<bool> called_off{false};
  std::atomic<std::size_t> bytes{0};
  std::atomic<std::size_t> left{0};
};

class ThreadRanks final : public Ranks {
 public:
  ThreadRanks(PostOffice& post, std::size_t rank, std::size_t count)
      : post_(post), rank_(rank), count_(count) {}

  [[nodiscard]] std::size_t rank() const override { return rank_; }
  [[nodiscard]] std::size_t count() const override { return count_; }
  void send(std::size_t to, std::string_view message) override {
    const std::lock_guard lock(post_.mutex);
    post_.boxes[{rank_, to}].emplace_back(message);
    post_.bytes += message.size();
    post_.arrived.notify_all();
  }
  [[nodiscard]] std::string receive(std::size_t from) override {
    std::unique_lock lock(post_.mutex);
    std::deque<std::string>& box = post_.boxes[{from, rank_}];
    post_.arrived.wait(lock, [&] { return !box.empty(); });
    std::string message = std::move(box.front());
    box.pop_front();
    return message;
  }
  void call_off() override { post_.called_off = true; }
  [[nodiscard]] bool called_off() override { return post_.called_off; }
  void leave() override { ++post_.left; }

 private:
  PostOffice& post_;
  std::size_t rank_;
  std::size_t count_;
};

}  // namespace laggard::cmd::testing_support
