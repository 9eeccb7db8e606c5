#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <tuple>
#include <vector>

#include "archive/file_set.h"

namespace laggard::archive {

/// One block of one file of a FileSet.
struct BlockRef {
  std::size_t file = 0;
  BlockRow row;
};

/// What is wanted of a stream's blocks, told without looking into them. Empty lists mean everything.
struct BlockRequest {
  Stream stream = Stream::kMetrics;
  std::optional<WallTime> from;  ///< Inclusive.
  std::optional<WallTime> to;    ///< Exclusive.
  std::vector<std::string> kinds;
  std::vector<std::string> hosts;
};

/// Gives the blocks of a stream, of one host and kind in reading order (groups of blocks that overlap in time
/// follow each other by time, blocks within a group by recording), and over hosts by their first time. Holds
/// the files open that it is at.
class BlockQueue {
 public:
  /// \param files  outlives this.
  BlockQueue(FileSet& files, BlockRequest request);
  BlockQueue(const BlockQueue&) = delete;
  BlockQueue& operator=(const BlockQueue&) = delete;
  ~BlockQueue();

  /// The next block, or nothing at the end. `use` fetches what is needed of it while its file is open.
  [[nodiscard]] Result<bool> next(const std::function<Status(const BlockRef&)>& use);

 private:
  class HostBlocks;
  struct Head {
    WallTime first;
    std::size_t host;
    bool operator>(const Head& other) const {
      return std::tie(first, host) > std::tie(other.first, other.host);
    }
  };
  [[nodiscard]] Status push(std::size_t host);

  BlockRequest request_;
  std::vector<std::unique_ptr<HostBlocks>> hosts_;
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heap_;
  bool started_ = false;
};

}  // namespace laggard::archive
