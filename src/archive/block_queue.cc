#include "archive/block_queue.h"

#include <algorithm>
#include <map>

namespace laggard::archive {

namespace {

/// Brings the blocks of one host and kind from order of recording into reading order (see BlockQueue).
std::vector<BlockRef> reading_order(std::vector<BlockRef> blocks) {
  const auto recorded_before = [](const BlockRef& a, const BlockRef& b) {
    return std::tie(a.file, a.row.id) < std::tie(b.file, b.row.id);
  };
  std::ranges::stable_sort(blocks, {}, [](const BlockRef& b) { return b.row.earliest; });
  for (auto begin = blocks.begin(); begin != blocks.end();) {
    WallTime latest = begin->row.latest;
    auto end = begin + 1;
    while (end != blocks.end() && end->row.earliest <= latest) {
      latest = std::max(latest, end->row.latest);
      ++end;
    }
    std::sort(begin, end, recorded_before);
    const bool overlap = end - begin > 1;
    for (; begin != end; ++begin) begin->overlaps = overlap;
  }
  return blocks;
}

bool wants_host(const BlockRequest& request, const std::string& host) {
  return request.hosts.empty() || std::ranges::find(request.hosts, host) != request.hosts.end();
}

/// Whether the request excludes the whole file, as far as is known without opening it.
bool misses_file(const BlockRequest& request, const SourceFile& file) {
  if (!file.extent) return false;
  return (request.from && file.extent->to < *request.from) ||
         (request.to && file.extent->from >= *request.to);
}

bool wants_block(const BlockRequest& request, const BlockRow& row) {
  if (request.from && row.latest < *request.from) return false;
  if (request.to && row.earliest >= *request.to) return false;
  return request.kinds.empty() || std::ranges::find(request.kinds, row.kind) != request.kinds.end();
}

}  // namespace

/// The blocks of one host, read one group of overlapping files after the other.
class BlockQueue::HostBlocks {
 public:
  /// \param begin, end  the host's files.
  HostBlocks(FileSet& files, const BlockRequest& request, std::size_t begin, std::size_t end)
      : files_(files), request_(request), next_file_(begin), end_(end) {}

  /// Makes front() the next block; false at the end.
  [[nodiscard]] Result<bool> fill() {
    while (queue_.empty()) {
      for (const std::size_t file : loaded_) files_.close(file);
      loaded_.clear();
      if (next_file_ == end_) return false;
      if (Status loaded = load_group(); !loaded) return forward(loaded);
    }
    return true;
  }
  [[nodiscard]] const BlockRef& front() const { return queue_.front(); }
  void pop() { queue_.pop_front(); }

 private:
  /// Loads a file and those after it that begin before it ends: recordings put side by side, or clocks set
  /// back.
  Status load_group() {
    std::map<std::string, std::vector<BlockRef>> kinds;
    std::optional<WallTime> latest;
    while (next_file_ != end_ && (!latest || files_.files()[next_file_].start <= *latest)) {
      const SourceFile& file = files_.files()[next_file_];
      if (misses_file(request_, file)) {
        latest = std::max(latest.value_or(file.extent->to), file.extent->to);
        ++next_file_;
        continue;
      }
      Result<std::vector<BlockRow>> rows = files_.rows_from(next_file_, request_.from);
      if (!rows) return forward(rows);
      if (file.extent) latest = std::max(latest.value_or(file.extent->to), file.extent->to);
      for (BlockRow& row : *rows) {
        if (!wants_block(request_, row)) continue;
        std::string kind = row.kind;
        kinds[kind].push_back({.file = next_file_, .row = std::move(row), .overlaps = false});
      }
      loaded_.push_back(next_file_++);
      if (!latest) break;
    }
    merge(kinds);
    return {};
  }

  void merge(std::map<std::string, std::vector<BlockRef>>& kinds) {
    std::vector<std::deque<BlockRef>> lists;
    for (auto& [kind, blocks] : kinds) {
      std::vector<BlockRef> ordered = reading_order(std::move(blocks));
      lists.emplace_back(std::make_move_iterator(ordered.begin()), std::make_move_iterator(ordered.end()));
    }
    for (;;) {
      std::deque<BlockRef>* first = nullptr;
      for (std::deque<BlockRef>& list : lists) {
        if (list.empty()) continue;
        if (first == nullptr || list.front().row.earliest < first->front().row.earliest) first = &list;
      }
      if (first == nullptr) return;
      queue_.push_back(std::move(first->front()));
      first->pop_front();
    }
  }

  FileSet& files_;
  const BlockRequest& request_;
  std::size_t next_file_;
  std::size_t end_;
  std::vector<std::size_t> loaded_;
  std::deque<BlockRef> queue_;
};

BlockQueue::BlockQueue(FileSet& files, BlockRequest request) : request_(std::move(request)) {
  const std::vector<SourceFile>& sources = files.files();
  const auto [first, last] = files.of_stream(request_.stream);
  for (std::size_t begin = first; begin < last;) {
    std::size_t end = begin;
    while (end < last && sources[end].host == sources[begin].host) ++end;
    if (wants_host(request_, sources[begin].host)) {
      hosts_.push_back(std::make_unique<HostBlocks>(files, request_, begin, end));
    }
    begin = end;
  }
}

BlockQueue::~BlockQueue() = default;

Status BlockQueue::push(std::size_t host) {
  Result<bool> more = hosts_[host]->fill();
  if (!more) return forward(more);
  if (*more) heap_.push({.first = hosts_[host]->front().row.earliest, .host = host});
  return {};
}

Result<bool> BlockQueue::next(const std::function<Status(const BlockRef&)>& use) {
  if (!started_) {
    for (std::size_t h = 0; h < hosts_.size(); ++h) {
      if (Status pushed = push(h); !pushed) return forward(pushed);
    }
    started_ = true;
  }
  if (heap_.empty()) return false;
  const std::size_t host = heap_.top().host;
  heap_.pop();
  const BlockRef block = hosts_[host]->front();
  hosts_[host]->pop();
  Status used = use(block);
  if (Status pushed = push(host); !pushed) return forward(pushed);
  if (!used) return forward(used);
  return true;
}

}  // namespace laggard::archive
