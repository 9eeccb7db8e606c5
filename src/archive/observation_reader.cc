#include "archive/file_set_readers.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "archive/block_queue.h"
#include "archive/observation_columns.h"
#include "base/text.h"

namespace laggard::archive {

namespace {

/// The sound part of a block; nothing, with a notice, when there is none.
Result<std::optional<Batch>> read_batch(FileSet& files, const BlockRef& block) {
  const std::filesystem::path& path = files.files()[block.file].path;
  Result<ColumnsHeader> header = files.columns_header(block.file, block.row);
  if (!header && header.error().code != ErrorCode::kDamaged) return forward(header);
  if (!header) {
    files.damage(path, header.error().message());
    return std::nullopt;
  }
  Result<DayFile*> file = files.open(block.file);
  if (!file) return forward(file);
  const ColumnSource chunks = [&](std::size_t c) { return (*file)->chunk(block.row.id, c); };
  Result<LoadedBatch> loaded = load_batch(chunks, *header, path.string(), files.codec());
  if (Status same = files.check_unchanged(block.file); !same) return forward(same);
  if (!loaded && loaded.error().code != ErrorCode::kDamaged) return forward(loaded);
  if (!loaded) {
    files.damage(path, loaded.error().message());
    return std::nullopt;
  }
  for (const Error& damage : loaded->damage) files.damage(path, damage.message());
  return std::move(loaded->batch);
}

template <typename Table>
class ArchiveObservationReader final : public ObservationReader<Table> {
 public:
  ArchiveObservationReader(FileSet& files, const ObservationRequest& request)
      : files_(files),
        request_(request),
        blocks_(files, {.stream = kStreamOf<Table>,
                        .from = request.from,
                        .to = request.to,
                        .kinds = request.kinds,
                        .hosts = request.hosts}) {}

  Result<std::optional<Table>> next() override {
    for (;;) {
      std::optional<Table> table;
      Result<bool> more = blocks_.next([&](const BlockRef& block) -> Status {
        Result<std::optional<Batch>> batch = read_batch(files_, block);
        if (!batch) return forward(batch);
        if (*batch) table = cut(std::get<Table>(std::move(**batch)), request_.from, request_.to);
        return {};
      });
      if (!more) return forward(more);
      if (!*more) return std::nullopt;
      if (table && !table->empty()) return table;
    }
  }

 private:
  FileSet& files_;
  ObservationRequest request_;
  BlockQueue blocks_;
};

/// Summarises the blocks and gaps of a stream.
class StreamLister {
 public:
  explicit StreamLister(FileSet& files, bool verify) : files_(files), verify_(verify) {}

  Status add_file(std::size_t index) {
    Result<std::vector<BlockRow>> rows = files_.rows(index);
    if (!rows) return forward(rows);
    for (const BlockRow& row : *rows) {
      Result<ColumnsHeader> header = files_.columns_header(index, row);
      if (!header && header.error().code != ErrorCode::kDamaged) return forward(header);
      if (!header) {
        files_.damage(files_.files()[index].path, header.error().message());
        continue;
      }
      add_block(*header);
      if (!verify_) continue;
      if (Result<std::optional<Batch>> read = read_batch(files_, {.file = index, .row = row}); !read)
        return forward(read);
    }
    Status gaps = add_gaps(index);
    files_.close(index);
    return gaps;
  }

  std::vector<ObservationStream> finish() {
    std::vector<ObservationStream> list;
    for (auto& [key, stream] : streams_) list.push_back(std::move(stream));
    std::ranges::stable_sort(list, [](const ObservationStream& a, const ObservationStream& b) {
      if (a.shape != b.shape) return a.shape < b.shape;
      return a.host != b.host && natural_less(a.host, b.host);
    });
    return list;
  }

 private:
  ObservationStream& stream_of(Stream stream, const std::string& host, const std::string& kind) {
    const auto [entry, added] = streams_.try_emplace({stream, host, kind});
    if (added) {
      entry->second.shape =
          stream == Stream::kEvents ? ObservationShape::kEvents : ObservationShape::kProfiles;
      entry->second.host = host;
      entry->second.kind = kind;
      entry->second.first = WallTime::max();
      entry->second.last = WallTime::min();
    }
    return entry->second;
  }

  static void extend(ObservationStream& stream, WallTime from, WallTime to) {
    stream.first = std::min(stream.first, from);
    stream.last = std::max(stream.last, to);
  }

  void add_block(const ColumnsHeader& header) {
    ObservationStream& stream = stream_of(header.stream, header.host, header.kind);
    extend(stream, header.earliest, header.latest);
    stream.count += header.rows;
    stream.lost += header.lost;
    ++stream.blocks;
  }

  /// Observations that were given up before there was a file for them have no kind.
  Status add_gaps(std::size_t index) {
    Result<DayFile*> file = files_.open(index);
    if (!file) return forward(file);
    const SourceFile& source = files_.files()[index];
    Result<Notes> notes = (*file)->notes(files_.codec());
    if (!notes && notes.error().code != ErrorCode::kDamaged) return forward(notes);
    if (!notes || notes->damaged > 0) {
      files_.damage(source.path, fmt::format("{}: notes of what is missing are lost", source.path.string()));
    }
    if (!notes) return {};
    for (const GapRow& gap : notes->gaps) {
      if (gap.lost == 0) continue;
      ObservationStream& stream = stream_of(source.stream, source.host, "");
      extend(stream, gap.first, gap.last);
      stream.lost += gap.lost;
    }
    return {};
  }

  using Key = std::tuple<Stream, std::string, std::string>;

  FileSet& files_;
  bool verify_;
  std::map<Key, ObservationStream> streams_;
};

}  // namespace

template <typename Table>
std::unique_ptr<ObservationReader<Table>> make_observation_reader(FileSet& files,
                                                                  const ObservationRequest& request) {
  return std::make_unique<ArchiveObservationReader<Table>>(files, request);
}

template std::unique_ptr<EventReader> make_observation_reader(FileSet&, const ObservationRequest&);
template std::unique_ptr<ProfileReader> make_observation_reader(FileSet&, const ObservationRequest&);

Result<std::vector<ObservationStream>> list_observations(FileSet& files, bool verify) {
  StreamLister lister{files, verify};
  for (const Stream stream : {Stream::kEvents, Stream::kProfiles}) {
    const auto [begin, end] = files.of_stream(stream);
    for (std::size_t index = begin; index < end; ++index) {
      if (Status added = lister.add_file(index); !added) return forward(added);
    }
  }
  return lister.finish();
}

}  // namespace laggard::archive
