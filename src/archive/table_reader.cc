#include "archive/table_reader.h"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>

#include "archive/join.h"
#include "archive/load.h"

namespace laggard::archive {

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
    begin = end;
  }
  return blocks;
}

namespace {

bool wants_host(const ReadRequest& request, const std::string& host) {
  return request.hosts.empty() || std::ranges::find(request.hosts, host) != request.hosts.end();
}

/// Whether nothing of the file can be wanted, as far as is known without opening it.
bool misses_file(const ReadRequest& request, const SourceFile& file) {
  if (!file.extent) return false;
  return (request.from && file.extent->to < *request.from) ||
         (request.to && file.extent->from >= *request.to);
}

bool wants_block(const ReadRequest& request, const BlockRow& row) {
  if (request.from && row.latest < *request.from) return false;
  if (request.to && row.earliest >= *request.to) return false;
  return request.kinds.empty() ||
         std::ranges::any_of(request.kinds, [&](DeviceKind kind) { return to_name(kind) == row.kind; });
}

/// The blocks of one host, one group of overlapping files after the other.
class HostStream {
 public:
  /// \param begin, end  the host's files.
  HostStream(FileSet& files, const ReadRequest& request, std::size_t begin, std::size_t end)
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
  /// One file, and those after it that begin before it ends: recordings put side by side, clocks set back.
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
      Result<std::vector<BlockRow>> rows = files_.rows(next_file_);
      if (!rows) return forward(rows);
      for (BlockRow& row : *rows) {
        if (!latest || row.latest > *latest) latest = row.latest;
        if (!wants_block(request_, row)) continue;
        std::string kind = row.kind;
        kinds[kind].push_back({.file = next_file_, .row = std::move(row)});
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
  const ReadRequest& request_;
  std::size_t next_file_;
  std::size_t end_;
  std::vector<std::size_t> loaded_;
  std::deque<BlockRef> queue_;
};

SampleTable cut(SampleTable table, const ReadRequest& request) {
  std::vector<std::uint8_t> keep(table.times().size(), 1);
  bool all = true;
  for (std::size_t t = 0; t < keep.size(); ++t) {
    const WallTime time = table.times()[t];
    if ((request.from && time < *request.from) || (request.to && time >= *request.to)) {
      keep[t] = 0;
      all = false;
    }
  }
  return all ? std::move(table) : keep_rows(table, keep);
}

/// A block on its way to a table.
class PackedBlock final : public PackedTable {
 public:
  PackedBlock(FileSet& files, const ReadRequest& request, FetchedBlock block)
      : files_(files), request_(request), block_(std::move(block)) {}

  [[nodiscard]] std::size_t cells() const override {
    const BlockHeader& header = block_.header;
    const std::size_t counters =
        request_.counters.empty() ? header.counters.size() : request_.counters.size();
    return counters * header.devices.size() * header.times.size();
  }

  void unpack() override {
    // A codec of its own: several are unpacked at a time.
    ZstdCodec codec;
    loaded_ = load_block(block_, request_.counters, codec);
    if (loaded_) loaded_->table = cut(std::move(loaded_->table), request_);
  }

  Result<std::optional<SampleTable>> take() override {
    if (!loaded_ && loaded_.error().code != ErrorCode::kDamaged) return forward(loaded_);
    if (!loaded_) {
      files_.damage(block_.file, loaded_.error().message());
      return std::nullopt;
    }
    for (const Error& damage : loaded_->damage) files_.damage(block_.file, damage.message());
    if (loaded_->table.cells() == 0) return std::nullopt;
    return std::move(loaded_->table);
  }

 private:
  FileSet& files_;
  const ReadRequest& request_;
  FetchedBlock block_;
  Result<LoadedBlock> loaded_;
};

class ArchiveTableReader final : public TableReader {
 public:
  ArchiveTableReader(FileSet& files, ReadRequest request) : files_(files), request_(std::move(request)) {
    const std::vector<SourceFile>& sources = files.files();
    for (std::size_t begin = 0; begin < sources.size();) {
      std::size_t end = begin;
      while (end < sources.size() && sources[end].host == sources[begin].host) ++end;
      if (wants_host(request_, sources[begin].host)) {
        hosts_.push_back(std::make_unique<HostStream>(files_, request_, begin, end));
      }
      begin = end;
    }
  }

  Result<std::optional<SampleTable>> next() override {
    for (;;) {
      Result<std::unique_ptr<PackedTable>> packed = next_packed();
      if (!packed) return forward(packed);
      if (*packed == nullptr) return std::nullopt;
      (*packed)->unpack();
      Result<std::optional<SampleTable>> table = (*packed)->take();
      if (!table || table->has_value()) return table;
    }
  }

  Result<std::unique_ptr<PackedTable>> next_packed() override {
    if (!started_) {
      for (std::size_t h = 0; h < hosts_.size(); ++h) {
        if (Status pushed = push(h); !pushed) return forward(pushed);
      }
      started_ = true;
    }
    while (!heap_.empty()) {
      const std::size_t host = heap_.top().host;
      heap_.pop();
      const BlockRef block = hosts_[host]->front();
      hosts_[host]->pop();
      Result<std::unique_ptr<PackedTable>> packed = fetch(block);
      if (Status pushed = push(host); !pushed) return forward(pushed);
      if (!packed || *packed != nullptr) return packed;
    }
    return std::unique_ptr<PackedTable>();
  }

 private:
  struct Head {
    WallTime first;
    std::size_t host;
    bool operator>(const Head& other) const {
      return std::tie(first, host) > std::tie(other.first, other.host);
    }
  };

  Status push(std::size_t host) {
    Result<bool> more = hosts_[host]->fill();
    if (!more) return forward(more);
    if (*more) heap_.push({.first = hosts_[host]->front().row.earliest, .host = host});
    return {};
  }

  /// Null when the block is damaged.
  Result<std::unique_ptr<PackedTable>> fetch(const BlockRef& block) {
    Result<BlockHeader> header = files_.header(block.file, block.row);
    if (!header && header.error().code != ErrorCode::kDamaged) return forward(header);
    if (!header) {
      files_.damage(files_.files()[block.file].path, header.error().message());
      return std::unique_ptr<PackedTable>();
    }
    Result<DayFile*> file = files_.open(block.file);
    if (!file) return forward(file);
    FetchedBlock fetched = fetch_block(**file, block.row.id, std::move(*header), request_.counters);
    if (Status same = files_.check_unchanged(block.file); !same) return forward(same);
    return std::make_unique<PackedBlock>(files_, request_, std::move(fetched));
  }

  FileSet& files_;
  ReadRequest request_;
  std::vector<std::unique_ptr<HostStream>> hosts_;
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heap_;
  bool started_ = false;
};

}  // namespace

std::unique_ptr<TableReader> make_table_reader(FileSet& files, ReadRequest request) {
  return std::make_unique<ArchiveTableReader>(files, std::move(request));
}

}  // namespace laggard::archive
