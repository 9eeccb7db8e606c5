#include "archive/file_set_readers.h"

#include <algorithm>

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
    // Each has its own codec, because several blocks are unpacked at a time.
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
    std::unique_ptr<PackedTable> packed;
    while (packed == nullptr) {
      Result<bool> more = blocks_.next([&](const BlockRef& block) { return fetch(block, packed); });
      if (!more) return forward(more);
      if (!*more) break;
    }
    return packed;
  }

 private:
  /// Leaves `packed` null when the block is damaged.
  Status fetch(const BlockRef& block, std::unique_ptr<PackedTable>& packed) {
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
    packed = std::make_unique<PackedBlock>(files_, request_, std::move(fetched));
    return {};
  }

  FileSet& files_;
  ReadRequest request_;
  BlockQueue blocks_;
};

}  // namespace

std::unique_ptr<TableReader> make_table_reader(FileSet& files, ReadRequest request) {
  return std::make_unique<ArchiveTableReader>(files, std::move(request));
}

}  // namespace laggard::archive
