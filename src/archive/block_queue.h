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
  bool overlaps = false;  ///< Others of its host and kind are of the same time.
};

/// Which blocks of a stream are wanted, by what can be told without unpacking them. Empty lists mean
/// everything.
struct BlockRequest {
  Stream stream = Stream::kMetrics;
  std::optional<WallTime> from;  ///< Inclusive.
  std::optional<WallTime> to;    ///< Exclusive.
  std::vector<std::string> kinds;
  std::vector<std::string> hosts;
};

/// Yields the blocks of a stream: over hosts by their first time, and for one host and kind in reading order
/// (groups of blocks that overlap in time follow each other by time, blocks within a group by recording).
/// Keeps open the files that it is reading.
class BlockQueue {
 public:
  /// \param files  outlives this.
  BlockQueue(FileSet& files, BlockRequest request);
  BlockQueue(const BlockQueue&) = delete;
  BlockQueue& operator=(const BlockQueue&) = delete;
  ~BlockQueue();

  /// Calls `use` with the next block; false at the end. `use` fetches what it needs while the file is open.
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
