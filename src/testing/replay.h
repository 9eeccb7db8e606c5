#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "archive/reader.h"
#include "archive/writer.h"
#include "testing/archive.h"

namespace laggard::archive::testing {

/// A finished recording, written again piece by piece as if it were being recorded now.
class Replay {
 public:
  /// \param open_files  of the writer; the files of other hosts are finished, and continued later.
  Replay(const std::filesystem::path& from, const std::filesystem::path& to, std::size_t open_files = 16) {
    const std::vector<std::filesystem::path> paths{from};
    reader_ = std::move(*archive::Reader::open(paths));
    const Inventory inventory = *reader_->inventory();
    for (const DeviceInfo& device : inventory.devices) {
      const auto [host, added] = written_.try_emplace(device.host, device.first);
      host->second = std::min(host->second, device.first);
      first_ = std::min(first_, device.first);
      last_ = std::max(last_, device.last);
      devices_.push_back(device);
    }
    restart(to, open_files);
  }

  [[nodiscard]] WallTime first() const { return first_; }
  [[nodiscard]] WallTime last() const { return last_; }

  /// The host's samples before `until` are recorded.
  void record(const std::string& host, WallTime until) {
    WallTime& from = written_.at(host);
    if (until <= from) return;
    ReadRequest request;
    request.from = from;
    request.to = until;
    request.hosts = {host};
    auto tables = reader_->read(request);
    ASSERT_TRUE(tables);
    for (auto table = (*tables)->next(); table && *table; table = (*tables)->next()) {
      ASSERT_TRUE(writer_->append(**table));
    }
    from = until;
  }
  /// All hosts, each up to a moment of its own in the last `lag` before `until`.
  void record_all(WallTime until, Duration lag, std::mt19937_64& random) {
    for (const auto& [host, from] : std::map(written_)) {
      record(host, until - lag * static_cast<std::int64_t>(random() % 101) / 100);
    }
    flush();
  }
  void flush() {
    for (const DeviceInfo& device : std::exchange(devices_, {})) ASSERT_TRUE(writer_->describe(device));
    ASSERT_TRUE(writer_->flush());
  }
  /// The recorder ends and another one goes on.
  void restart(const std::filesystem::path& to, std::size_t open_files) {
    if (writer_ != nullptr) close();
    writer_ = open_writer(to, clock_, {.max_open_files = open_files});
  }
  void close() { ASSERT_TRUE(writer_->close()); }
  [[nodiscard]] std::vector<std::string> hosts() const {
    std::vector<std::string> hosts;
    for (const auto& [host, from] : written_) hosts.push_back(host);
    return hosts;
  }

 private:
  ManualClock clock_;
  std::unique_ptr<archive::Reader> reader_;
  std::unique_ptr<archive::Writer> writer_;
  std::map<std::string, WallTime> written_;
  std::vector<DeviceInfo> devices_;
  WallTime first_ = WallTime::max();
  WallTime last_ = WallTime::min();
};

}  // namespace laggard::archive::testing
