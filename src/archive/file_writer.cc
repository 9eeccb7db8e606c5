#include "archive/file_writer.h"

#include <algorithm>

#include "archive/displaced.h"
#include "archive/file_name.h"
#include "archive/format.h"
#include "archive/join.h"
#include "archive/load.h"

namespace laggard::archive {

namespace {

/// Blocks of fewer samples are merged with their neighbours.
constexpr std::size_t kSmallBlock = kBlockSamples / 2;

std::size_t bytes_of(const SampleTable& table) {
  return table.cells() * 9 + table.times().size() * 8 + table.devices().size() * 32;
}

/// Whether one more table still goes into the same block.
class PieceShape {
 public:
  [[nodiscard]] bool fits(const SampleTable& table) const {
    if (rows_ == 0) return true;
    const std::size_t rows = rows_ + table.times().size();
    if (rows > kBlockSamples) return false;
    // An upper bound: at worst the table shares nothing with those before.
    std::size_t devices = all_.devices().size();
    std::size_t counters = all_.counters().size();
    if (!same(table)) {
      devices += table.devices().size();
      counters += table.counters().size();
    }
    return counters <= kMaxCounters && devices * counters * rows <= kMaxBlockCells;
  }
  void add(const SampleTable& table) {
    rows_ += table.times().size();
    if (last_ != nullptr && same(table)) return;
    all_.add_devices(table.devices());
    all_.add_counters(table.counters());
    last_ = &table;
  }

 private:
  [[nodiscard]] bool same(const SampleTable& table) const {
    return table.devices() == last_->devices() && table.counters() == last_->counters();
  }

  Union all_;
  std::size_t rows_ = 0;
  const SampleTable* last_ = nullptr;  ///< Of the pending ones, which stay where they are.
};

}  // namespace

FileWriter::FileWriter(FileIdentity identity, std::int64_t day, Options options, ZstdCodec& codec)
    : identity_(std::move(identity)), day_(day), options_(std::move(options)), codec_(codec) {}

void FileWriter::add(SampleTable table, std::uint64_t order) {
  Stream& stream = streams_[table.kind()];
  stream.written.kind = table.kind();
  pending_bytes_ += bytes_of(table);
  stream.pending_rows += table.times().size();
  stream.pending.push_back({std::move(table), order});
}

void FileWriter::set_facts(const Facts& facts) {
  for (const auto& [key, value] : facts) {
    const auto there = facts_in_file_.find(key);
    if (there == facts_in_file_.end() || there->second != value) facts_[key] = value;
  }
}

Status FileWriter::ensure_open() {
  if (file_ != nullptr) return {};
  std::optional<WallTime> first;
  for (const auto& [kind, stream] : streams_) {
    if (stream.pending.empty()) continue;
    const WallTime start = stream.pending.front().table.times().front();
    if (!first || start < *first) first = start;
  }
  LAGGARD_CHECK(first.has_value());
  Result<std::unique_ptr<DayFile>> file = options_.open(*first);
  if (!file) return forward(file);
  file_ = std::move(*file);
  return load_state();
}

Status FileWriter::load_state() {
  Result<Notes> notes = file_->notes(codec_);
  if (!notes) return forward(notes);
  facts_in_file_ = std::move(notes->facts);
  std::erase_if(facts_, [&](const auto& fact) {
    const auto there = facts_in_file_.find(fact.first);
    return there != facts_in_file_.end() && there->second == fact.second;
  });
  Result<std::vector<BlockRow>> rows = file_->rows();
  if (!rows) return forward(rows);
  for (const BlockRow& row : *rows) {
    const std::optional<DeviceKind> kind = device_kind(row.kind);
    if (!kind) continue;
    streams_[*kind].written.kind = *kind;
    std::vector<TailBlock>& tail = streams_[*kind].written.tail;
    if (row.samples >= kSmallBlock) {
      tail.clear();
    } else {
      tail.push_back(
          {.id = row.id, .earliest = row.earliest, .latest = row.latest, .samples = row.samples, .cells = 0});
    }
    extend_span(row.earliest, row.latest);
  }
  if (span_ && !options_.goes_on) resumed_after_ = span_->to;
  return {};
}

void FileWriter::extend_span(WallTime from, WallTime to) {
  if (!span_) span_ = TimeSpan{from, to};
  span_->from = std::min(span_->from, from);
  span_->to = std::max(span_->to, to);
}

/// Sees to it that what is written next is found under the file's path, or under the recording's at least.
Status FileWriter::follow_file() {
  if (file_->place() == FilePlace::kInPlace) return {};
  Result<Displaced> left = leave_displaced(file_, options_.vfs);
  if (!left) return forward(left);
  options_.say(left->said);
  foreign_ = left->foreign;
  facts_.insert(facts_in_file_.begin(), facts_in_file_.end());
  facts_in_file_.clear();
  for (auto& [kind, stream] : streams_) stream.written.tail.clear();
  options_.goes_on = true;
  resumed_after_.reset();
  if (left->lost && span_) {
    gaps_.push_back({.first = span_->from, .last = span_->to, .lost = 0, .reason = "file removed"});
  }
  span_.reset();
  return {};
}

void FileWriter::note_restart(WallTime first) {
  if (options_.existing == Existing::kAppend && resumed_after_ && first > *resumed_after_) {
    gaps_.push_back({.first = *resumed_after_, .last = first, .lost = 0, .reason = "recorder stopped"});
  }
  resumed_after_.reset();
}

bool FileWriter::has_full_block() const {
  return std::ranges::any_of(streams_,
                             [](const auto& entry) { return entry.second.pending_rows >= kBlockSamples; });
}

std::optional<std::uint64_t> FileWriter::oldest() const {
  std::optional<std::uint64_t> oldest;
  for (const auto& [kind, stream] : streams_) {
    if (stream.pending.empty()) continue;
    const std::uint64_t order = stream.pending.front().order;
    if (!oldest || order < *oldest) oldest = order;
  }
  return oldest;
}

std::vector<GapRow> FileWriter::take_gaps() {
  if (dropped_) gaps_.push_back(*std::exchange(dropped_, std::nullopt));
  return std::exchange(gaps_, {});
}

std::uint64_t FileWriter::drop_oldest(const std::string& reason) {
  const std::optional<std::uint64_t> order = oldest();
  if (!order) return 0;
  const auto holds_it = [&](auto& entry) {
    return !entry.second.pending.empty() && entry.second.pending.front().order == *order;
  };
  Stream& stream = std::ranges::find_if(streams_, holds_it)->second;
  const SampleTable& table = stream.pending.front().table;
  pending_bytes_ -= bytes_of(table);
  stream.pending_rows -= table.times().size();
  const auto [first, last] = std::ranges::minmax(table.times());
  std::uint64_t lost = 0;
  if (!dropped_) {
    dropped_ = GapRow{.first = first, .last = last, .lost = 0, .reason = reason};
    lost = table.times().size();
  } else {
    // Disks, interfaces and sockets are sampled together: a time that another kind lost is counted once.
    lost = static_cast<std::uint64_t>(
        std::ranges::count_if(table.times(), [&](WallTime t) { return t > dropped_->last; }));
    dropped_->first = std::min(dropped_->first, first);
    dropped_->last = std::max(dropped_->last, last);
  }
  dropped_->lost += lost;
  stream.pending.pop_front();
  return lost;
}

/// The file to write to, in its place; none when there is none and no sample that needs one.
Status FileWriter::take_file() {
  if (file_ != nullptr) {
    if (Status followed = follow_file(); !followed) return followed;
  }
  if (pending_bytes_ == 0) return {};
  if (Status open = ensure_open(); !open) return open;
  for (const auto& [kind, stream] : streams_) {
    if (!stream.pending.empty()) note_restart(stream.pending.front().table.times().front());
  }
  return {};
}

Status FileWriter::flush() {
  const bool idle = pending_bytes_ == 0 && gaps_.empty() && !dropped_ && facts_.empty();
  if (idle) return {};
  if (Status taken = take_file(); !taken) return taken;
  if (file_ == nullptr) return {};
  WriteStats added = stats_;
  std::vector<Written> before;
  for (const auto& [kind, stream] : streams_) before.push_back(stream.written);
  Status written = file_->begin();
  if (written) written = write_all(added);
  if (written) written = file_->commit();
  if (!written) {
    file_->rollback();
    auto saved = before.begin();
    for (auto& [kind, stream] : streams_) stream.written = std::move(*saved++);
    return written;
  }
  forget_pending();
  stats_ = added;
  if (foreign_) return tl::unexpected<Error>(*std::exchange(foreign_, std::nullopt));
  return {};
}

/// All of it is in the file.
void FileWriter::forget_pending() {
  for (auto& [kind, stream] : streams_) {
    for (const Pending& pending : stream.pending) {
      const auto [first, last] = std::ranges::minmax(pending.table.times());
      extend_span(first, last);
    }
    stream.pending.clear();
    stream.pending_rows = 0;
  }
  pending_bytes_ = 0;
  gaps_.clear();
  dropped_.reset();
  for (auto& [key, value] : facts_) facts_in_file_[key] = std::move(value);
  facts_.clear();
}

Status FileWriter::write_all(WriteStats& stats) {
  for (auto& [kind, stream] : streams_) {
    if (Status written = write_stream(stream, stats); !written) return written;
    if (Status compacted = compact(stream.written, false); !compacted) return compacted;
  }
  if (dropped_) {
    if (Status gap = file_->add_gap(*dropped_); !gap) return gap;
  }
  for (const GapRow& gap : gaps_) {
    if (Status added = file_->add_gap(gap); !added) return added;
  }
  return write_facts();
}

Status FileWriter::write_facts() {
  if (facts_.empty()) return {};
  Facts all = facts_;
  all.insert(facts_in_file_.begin(), facts_in_file_.end());  // Where both have a value the new one stays.
  return file_->replace_facts(all, codec_);
}

Status FileWriter::write_stream(Stream& stream, WriteStats& stats) {
  std::vector<SampleTable> group;
  PieceShape shape;
  const auto write_group = [&]() -> Status {
    if (group.empty()) return {};
    SampleTable piece = group.size() == 1 ? std::move(group.front()) : concatenate(group);
    group.clear();
    shape = PieceShape{};
    return write_piece(std::move(piece), stream.written, stats);
  };
  for (const Pending& pending : stream.pending) {
    if (!shape.fits(pending.table)) {
      if (Status written = write_group(); !written) return written;
    }
    shape.add(pending.table);
    group.push_back(pending.table);
  }
  return write_group();
}

Status FileWriter::write_piece(SampleTable piece, Written& written, WriteStats& stats) {
  if (options_.existing == Existing::kSkipEqual) {
    Result<std::uint64_t> removed = ExistingCells(*file_, codec_).remove_from(piece);
    if (!removed) return forward(removed);
    stats.cells_already_there += *removed;
    if (piece.times().empty()) return {};
  }
  stats.cells_added += piece.present_cells();
  const Block block = encode_block(piece, written.activity.count(piece), codec_);
  Result<std::int64_t> id = file_->add_block(block, codec_);
  if (!id) return forward(id);
  if (piece.times().size() >= kSmallBlock) {
    if (Status compacted = compact(written, true); !compacted) return compacted;
    written.tail.clear();
  } else {
    written.tail.push_back({.id = *id,
                            .earliest = block.header.earliest(),
                            .latest = block.header.latest(),
                            .samples = piece.times().size(),
                            .cells = piece.cells()});
  }
  return {};
}

/// Whether no other block of the kind lies between these in time. Merging across it would give tables that
/// run into each other, which readers would have to give out of order.
Result<bool> FileWriter::stands_alone(const std::vector<TailBlock>& tail, DeviceKind kind) {
  const WallTime earliest = std::ranges::min_element(tail, {}, &TailBlock::earliest)->earliest;
  const WallTime latest = std::ranges::max_element(tail, {}, &TailBlock::latest)->latest;
  Result<std::vector<BlockRow>> rows = file_->rows();
  if (!rows) return forward(rows);
  return std::ranges::none_of(*rows, [&](const BlockRow& row) {
    const bool between = row.earliest < latest && row.latest > earliest;
    return between && row.kind == to_name(kind) &&
           std::ranges::find(tail, row.id, &TailBlock::id) == tail.end();
  });
}

Status FileWriter::compact(Written& written, bool all) {
  std::size_t samples = 0;
  std::size_t cells = 0;
  for (const TailBlock& block : written.tail) {
    samples += block.samples;
    cells += block.cells;
  }
  const bool full = samples >= kBlockSamples || cells >= kMaxBlockCells / 2;
  if (written.tail.size() < 2 || (!full && !all)) return {};
  Result<bool> alone = stands_alone(written.tail, written.kind);
  if (!alone) return forward(alone);
  std::vector<std::int64_t> ids;
  for (const TailBlock& block : written.tail) ids.push_back(block.id);
  written.tail.clear();
  while (*alone && ids.size() > 1) {
    Result<std::optional<Block>> merged = merge_blocks(*file_, ids, codec_);
    // A block that cannot be read stays as it is, for the reader to report.
    if (!merged && merged.error().code == ErrorCode::kDamaged) return {};
    if (!merged) return forward(merged);
    if (merged->has_value()) return file_->replace_blocks(ids, **merged, codec_);
    ids.resize(ids.size() / 2);  // Too many devices came and went: the rest stays small.
  }
  return {};
}

Result<std::optional<std::filesystem::path>> FileWriter::finish() {
  if (Status flushed = flush(); !flushed) return forward(flushed);
  if (file_ != nullptr) {
    if (Status followed = follow_file(); !followed) return forward(followed);
  }
  if (file_ == nullptr) return std::nullopt;
  Status done = file_->begin();
  for (auto& [kind, stream] : streams_) {
    if (done) done = compact(stream.written, true);
  }
  if (done) done = file_->commit();
  // Everything is safe already; merging was only to save space, and a full disk may forbid it.
  if (!done) file_->rollback();
  std::filesystem::path finished = file_->path();
  if (path_of_hidden(finished)) {
    if (!done && !file_->is_sound()) return forward(done);
    if (Status closed = file_->finish_hidden(); !closed) return forward(closed);
  } else {
    file_->finish();
  }
  file_.reset();
  return finished;
}

std::optional<std::filesystem::path> FileWriter::keep_committed() {
  if (file_ == nullptr) return std::nullopt;
  std::filesystem::path kept = file_->path();
  const bool worth_it = stats_.cells_added > 0 && file_->is_sound();
  const bool in_place = file_->place() == FilePlace::kInPlace;
  file_.reset();
  if (worth_it && in_place) return kept;
  std::error_code ignored;
  if (in_place) std::filesystem::remove(kept, ignored);
  stats_ = {};
  return std::nullopt;
}

std::filesystem::path FileWriter::path() const { return file_ == nullptr ? "" : file_->path(); }

}  // namespace laggard::archive
