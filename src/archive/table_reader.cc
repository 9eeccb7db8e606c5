#include "archive/file_set_readers.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>

#include "archive/block_queue.h"
#include "archive/join.h"
#include "archive/load.h"

namespace laggard::archive {

namespace {

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

/// The sample times [begin, end) of a block.
struct BlockPart {
  std::shared_ptr<const FetchedBlock> block;
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// A block or a part of one on its way to a table.
class PackedBlock final : public PackedTable {
 public:
  PackedBlock(FileSet& files, const ReadRequest& request, BlockPart part)
      : files_(files), request_(request), part_(std::move(part)) {}

  /// A part, too, is unpacked with the whole of its block.
  [[nodiscard]] std::size_t cells() const override {
    const BlockHeader& header = part_.block->header;
    const std::size_t counters =
        request_.counters.empty() ? header.counters.size() : request_.counters.size();
    return counters * header.devices.size() * header.times.size();
  }

  void unpack() override {
    // Each has its own codec, because several blocks are unpacked at a time.
    ZstdCodec codec;
    loaded_ = load_block(*part_.block, request_.counters, codec);
    if (!loaded_) return;
    const bool whole = part_.end - part_.begin == loaded_->table.times().size();
    if (!whole) loaded_->table = rows_between(loaded_->table, part_.begin, part_.end);
    loaded_->table = cut(std::move(loaded_->table), request_);
  }

  Result<std::optional<SampleTable>> take() override {
    const std::string& file = part_.block->file;
    if (!loaded_ && loaded_.error().code != ErrorCode::kDamaged) return forward(loaded_);
    if (!loaded_) {
      files_.damage(file, loaded_.error().message());
      return std::nullopt;
    }
    for (const Error& damage : loaded_->damage) files_.damage(file, damage.message());
    if (loaded_->table.cells() == 0) return std::nullopt;
    return std::move(loaded_->table);
  }

 private:
  FileSet& files_;
  const ReadRequest& request_;
  BlockPart part_;
  Result<LoadedBlock> loaded_;
};

BlockRequest blocks_of(const ReadRequest& request) {
  BlockRequest blocks{.stream = Stream::kMetrics,
                      .from = request.from,
                      .to = request.to,
                      .kinds = {},
                      .hosts = request.hosts};
  for (const DeviceKind kind : request.kinds) blocks.kinds.emplace_back(to_name(kind));
  return blocks;
}

class ArchiveTableReader final : public TableReader {
 public:
  ArchiveTableReader(FileSet& files, ReadRequest request)
      : files_(files), request_(std::move(request)), blocks_(files, blocks_of(request_)) {}

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
    if (Status looked = look_ahead(); !looked) return forward(looked);
    if (!rests_.empty() && (ahead_ == nullptr || rests_.top().begins <= ahead_begins_)) {
      const Rest rest = rests_.top();
      rests_.pop();
      return part_of(rest);
    }
    if (ahead_ == nullptr) return std::unique_ptr<PackedTable>();
    return part_of({.begins = ahead_begins_, .order = blocks_read_++, .block = std::move(ahead_), .from = 0});
  }

 private:
  /// What is left of a block of which parts were handed out.
  struct Rest {
    WallTime begins;
    std::uint64_t order = 0;  ///< Of its block.
    std::shared_ptr<const FetchedBlock> block;
    std::size_t from = 0;
    bool operator>(const Rest& other) const {
      return std::tie(begins, order) > std::tie(other.begins, other.order);
    }
  };

  /// Makes `ahead_` the next block that is not damaged; null at the end.
  Status look_ahead() {
    while (ahead_ == nullptr) {
      Result<bool> more = blocks_.next([&](const BlockRef& block) { return fetch(block); });
      if (!more) return forward(more);
      if (!*more) break;
    }
    return {};
  }

  Status fetch(const BlockRef& block) {
    Result<BlockHeader> header = files_.header(block.file, block.row);
    if (!header && header.error().code != ErrorCode::kDamaged) return forward(header);
    if (!header) {
      files_.damage(files_.files()[block.file].path, header.error().message());
      return {};
    }
    Result<DayFile*> file = files_.open(block.file);
    if (!file) return forward(file);
    FetchedBlock fetched = fetch_block(**file, block.row.id, std::move(*header), request_.counters);
    if (Status same = files_.check_unchanged(block.file); !same) return same;
    ahead_ = std::make_shared<const FetchedBlock>(std::move(fetched));
    ahead_begins_ = block.row.earliest;
    ahead_overlaps_ = block.overlaps;
    return {};
  }

  /// Connections of several hosts add up in the order of whole tables, and where blocks overlap the later
  /// record of a time comes later.
  [[nodiscard]] bool may_cut(const FetchedBlock& block) const {
    const std::vector<WallTime>& times = block.header.times;
    return request_.most_times > 0 && times.size() > request_.most_times && !ahead_overlaps_ &&
           device_kind(block.header.kind) == DeviceKind::kDisk &&
           std::ranges::adjacent_find(times, std::greater_equal()) == times.end();
  }

  std::unique_ptr<PackedTable> part_of(const Rest& rest) {
    const std::vector<WallTime>& times = rest.block->header.times;
    BlockPart part{.block = rest.block, .begin = rest.from, .end = times.size()};
    if (rest.from > 0 || may_cut(*rest.block)) {
      part.end = std::min(times.size(), rest.from + request_.most_times);
      if (part.end < times.size()) rests_.push({times[part.end], rest.order, rest.block, part.end});
    }
    return std::make_unique<PackedBlock>(files_, request_, std::move(part));
  }

  FileSet& files_;
  ReadRequest request_;
  BlockQueue blocks_;
  std::shared_ptr<const FetchedBlock> ahead_;
  WallTime ahead_begins_;
  bool ahead_overlaps_ = false;
  std::uint64_t blocks_read_ = 0;
  std::priority_queue<Rest, std::vector<Rest>, std::greater<>> rests_;
};

}  // namespace

std::unique_ptr<TableReader> make_table_reader(FileSet& files, ReadRequest request) {
  return std::make_unique<ArchiveTableReader>(files, std::move(request));
}

}  // namespace laggard::archive
