#include "archive/file_writer.h"

#include <algorithm>

#include "archive/displaced.h"
#include "archive/file_name.h"
#include "archive/format.h"
#include "archive/load.h"
#include "archive/observation_columns.h"

namespace laggard::archive {

namespace {

/// Rows that compaction gathers into one block of a stream; blocks of fewer than half of it are merged with
/// their neighbours.
std::size_t block_rows(Stream stream) { return stream == Stream::kMetrics ? kBlockSamples : kBlockRows; }

}  // namespace

FileWriter::FileWriter(FileIdentity identity, std::int64_t day, Options options, ZstdCodec& codec)
    : identity_(std::move(identity)), day_(day), options_(std::move(options)), codec_(codec) {}

Status FileWriter::add(Batch batch, std::uint64_t order) {
  if (const Dictionary* words = words_of(batch); words != nullptr && !words_.add(*words)) {
    return fail(
        ErrorCode::kBadInput, "",
        fmt::format("{} of kind {} of host {} name more than {} different strings, or {} bytes of them, in "
                    "one day; record what they have in common and not each name",
                    folder_of(identity_.stream), kind_of(batch), identity_.host, kMaxFileWords,
                    kMaxFileWordBytes));
  }
  const std::string kind = kind_of(batch);
  const auto* const events = std::get_if<EventTable>(&batch);
  if (events != nullptr && !events->bookmark().empty()) facts_[bookmark_key(kind)] = events->bookmark();
  Queue& queue = queues_[kind];
  queue.written.kind = kind;
  pending_bytes_ += bytes_of(batch);
  queue.pending_rows += rows_of(batch);
  queue.pending.push_back({std::move(batch), order});
  return {};
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
  for (const auto& [kind, queue] : queues_) {
    if (queue.pending.empty()) continue;
    const WallTime start = start_of(queue.pending.front().batch);
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
    if (is_metrics() && !device_kind(row.kind)) continue;
    Written& written = queues_[row.kind].written;
    written.kind = row.kind;
    if (row.samples >= block_rows(identity_.stream) / 2) {
      written.tail.clear();
    } else {
      written.tail.push_back(
          {.id = row.id, .earliest = row.earliest, .latest = row.latest, .samples = row.samples, .cells = 0});
    }
    extend_span(row.earliest, row.latest);
  }
  if (Status known = is_metrics() ? Status{} : load_headers(*rows); !known) return known;
  if (span_ && !options_.goes_on) resumed_after_ = span_->to;
  return {};
}

/// Counts the words that the file already names, and continues its numbering. Damaged blocks count for
/// nothing.
Status FileWriter::load_headers(const std::vector<BlockRow>& rows) {
  for (const BlockRow& row : rows) {
    Result<ColumnsHeader> header = file_->columns_header(row.id, codec_);
    if (!header && header.error().code != ErrorCode::kDamaged) return forward(header);
    if (!header) continue;
    const ColumnSource chunks = [&](std::size_t c) { return file_->chunk(row.id, c); };
    Result<Dictionary> words = decode_words(chunks, *header, file_->path().string(), codec_);
    if (!words && words.error().code != ErrorCode::kDamaged) return forward(words);
    if (words) words_.add_written(*words);
    std::uint64_t& next = queues_[row.kind].written.next_number;
    next = std::max(next, header->end_number());
  }
  return {};
}

void FileWriter::extend_span(WallTime from, WallTime to) {
  if (!span_) span_ = TimeSpan{from, to};
  span_->from = std::min(span_->from, from);
  span_->to = std::max(span_->to, to);
}

/// Makes sure that what is written next will be found under the file's path, or at least within the
/// recording.
Status FileWriter::follow_file() {
  if (file_->place() == FilePlace::kInPlace) return {};
  if (!file_->is_writable()) {
    forget_file();
    return {};
  }
  Result<Displaced> left = leave_displaced(file_, options_.vfs);
  if (!left) return forward(left);
  options_.say(left->said);
  foreign_ = left->foreign;
  options_.goes_on = true;
  if (left->lost && span_) {
    gaps_.push_back({.first = span_->from, .last = span_->to, .lost = 0, .reason = "file removed"});
  }
  forget_file();
  return {};
}

/// What was in it is to be in the next one: its facts, and what is pending.
void FileWriter::forget_file() {
  file_.reset();
  facts_.insert(facts_in_file_.begin(), facts_in_file_.end());
  facts_in_file_.clear();
  for (auto& [kind, queue] : queues_) {
    queue.written.tail.clear();
    queue.written.next_number = 0;
  }
  resumed_after_.reset();
  span_.reset();
}

void FileWriter::note_restart(WallTime first) {
  if (options_.existing == Existing::kAppend && resumed_after_ && first > *resumed_after_) {
    gaps_.push_back({.first = *resumed_after_, .last = first, .lost = 0, .reason = "recorder stopped"});
  }
  resumed_after_.reset();
}

bool FileWriter::has_full_block() const {
  return std::ranges::any_of(
      queues_, [&](const auto& entry) { return entry.second.pending_rows >= block_rows(identity_.stream); });
}

std::optional<std::uint64_t> FileWriter::oldest() const {
  std::optional<std::uint64_t> oldest;
  for (const auto& [kind, queue] : queues_) {
    if (queue.pending.empty()) continue;
    const std::uint64_t order = queue.pending.front().order;
    if (!oldest || order < *oldest) oldest = order;
  }
  return oldest;
}

bool FileWriter::has_dropped() const {
  return std::ranges::any_of(queues_, [](const auto& entry) { return entry.second.dropped.has_value(); });
}

std::vector<GapRow> FileWriter::take_gaps() {
  if (dropped_) gaps_.push_back(*std::exchange(dropped_, std::nullopt));
  for (auto& [kind, queue] : queues_) {
    if (!queue.dropped) continue;
    const Loss loss = *std::exchange(queue.dropped, std::nullopt);
    gaps_.push_back({.first = loss.from, .last = loss.to, .lost = loss.count, .reason = loss.reason});
  }
  return std::exchange(gaps_, {});
}

std::uint64_t FileWriter::drop_oldest(const std::string& reason) {
  const std::optional<std::uint64_t> order = oldest();
  if (!order) return 0;
  const auto holds_it = [&](auto& entry) {
    return !entry.second.pending.empty() && entry.second.pending.front().order == *order;
  };
  Queue& queue = std::ranges::find_if(queues_, holds_it)->second;
  const Batch& batch = queue.pending.front().batch;
  pending_bytes_ -= bytes_of(batch);
  queue.pending_rows -= rows_of(batch);
  std::uint64_t lost = rows_of(batch);
  if (const auto* samples = std::get_if<SampleTable>(&batch)) {
    lost = drop_samples(*samples, reason);
  } else {
    drop_observations(queue, batch, reason);
  }
  queue.pending.pop_front();
  return lost;
}

std::uint64_t FileWriter::drop_samples(const SampleTable& table, const std::string& reason) {
  const auto [first, last] = std::ranges::minmax(table.times());
  std::uint64_t lost = 0;
  if (!dropped_) {
    dropped_ = GapRow{.first = first, .last = last, .lost = 0, .reason = reason};
    lost = table.times().size();
  } else {
    // Disks, interfaces and sockets are sampled together, so a time that several kinds lost is counted once.
    lost = static_cast<std::uint64_t>(
        std::ranges::count_if(table.times(), [&](WallTime t) { return t > dropped_->last; }));
    dropped_->first = std::min(dropped_->first, first);
    dropped_->last = std::max(dropped_->last, last);
  }
  dropped_->lost += lost;
  return lost;
}

/// The loss becomes part of the stream itself, together with the losses that the batch would have reported.
void FileWriter::drop_observations(Queue& queue, const Batch& batch, const std::string& reason) const {
  const TimeSpan span = extent_of(batch);
  if (!queue.dropped) queue.dropped = Loss{.from = span.from, .to = span.to, .count = 0, .reason = reason};
  queue.dropped->from = std::min(queue.dropped->from, span.from);
  queue.dropped->to = std::max(queue.dropped->to, span.to);
  queue.dropped->count += rows_of(batch);
  for (const Loss& loss : losses_of(batch)) queue.dropped->count += loss.count;
}

/// Makes sure that there is a file in place to write to, unless there is none and no sample needs one.
Status FileWriter::take_file() {
  if (file_ != nullptr) {
    if (Status followed = follow_file(); !followed) return followed;
  }
  if (pending_bytes_ == 0) return {};
  if (Status open = ensure_open(); !open) return open;
  for (const auto& [kind, queue] : queues_) {
    if (!queue.pending.empty()) note_restart(start_of(queue.pending.front().batch));
  }
  return {};
}

Status FileWriter::flush() {
  const bool idle = pending_bytes_ == 0 && gaps_.empty() && !dropped_ && facts_.empty() && !has_dropped();
  if (idle) return {};
  if (Status taken = take_file(); !taken) return taken;
  if (file_ == nullptr) return {};
  WriteStats added = stats_;
  if (!file_->is_writable()) {
    Result<bool> known = holds_all(added);
    if (!known) return forward(known);
    if (*known) {
      forget_pending();
      stats_ = added;
      return {};
    }
    if (Status begun = begin_writing(); !begun) return begun;
    added = stats_;
  }
  std::vector<Written> before;
  for (const auto& [kind, queue] : queues_) before.push_back(queue.written);
  Status written = file_->begin();
  if (written) written = write_all(added);
  if (written) written = file_->commit();
  if (!written) {
    file_->rollback();
    auto saved = before.begin();
    for (auto& [kind, queue] : queues_) queue.written = std::move(*saved++);
    return written;
  }
  forget_pending();
  stats_ = added;
  if (foreign_) return tl::unexpected<Error>(*std::exchange(foreign_, std::nullopt));
  return {};
}

/// Whether the file, which is open to read, has all that is pending. Then it stays untouched: to open it,
/// mark it and close it again waits for the disk some twenty times, and makes minutes of an import of
/// thousands of hosts that is done again.
Result<bool> FileWriter::holds_all(WriteStats& stats) {
  if (!facts_.empty() || !gaps_.empty() || dropped_ || has_dropped()) return false;
  ExistingCells existing(*file_, codec_);
  bool all = true;
  for (const auto& [kind, queue] : queues_) {
    Status looked = for_each_piece(queue, [&](Batch piece) -> Status {
      auto* const samples = std::get_if<SampleTable>(&piece);
      all = all && samples != nullptr;
      if (!all) return {};
      Result<std::uint64_t> removed = existing.remove_from(*samples);
      if (!removed) return forward(removed);
      stats.cells_already_there += *removed;
      all = samples->times().empty();
      return {};
    });
    if (!looked) return forward(looked);
  }
  return all;
}

/// Under the host's lock the file is still what was read.
Status FileWriter::begin_writing() {
  const std::filesystem::path path = file_->path();
  file_.reset();
  Result<std::unique_ptr<DayFile>> file = DayFile::open_for_writing(path, options_.vfs);
  if (file) {
    file_ = std::move(*file);
    return {};
  }
  forget_file();
  return forward(file);
}

/// Forgets what was pending, since all of it is in the file now.
void FileWriter::forget_pending() {
  for (auto& [kind, queue] : queues_) {
    for (const Pending& pending : queue.pending) {
      const TimeSpan span = extent_of(pending.batch);
      extend_span(span.from, span.to);
    }
    queue.pending.clear();
    queue.pending_rows = 0;
    queue.dropped.reset();
  }
  pending_bytes_ = 0;
  gaps_.clear();
  dropped_.reset();
  for (auto& [key, value] : facts_) facts_in_file_[key] = std::move(value);
  facts_.clear();
}

Status FileWriter::write_all(WriteStats& stats) {
  for (auto& entry : queues_) {
    auto& queue = entry.second;
    Status written = for_each_piece(
        queue, [&](Batch piece) { return write_piece(std::move(piece), queue.written, stats); });
    if (!written) return written;
    if (Status compacted = compact(queue.written, false); !compacted) return compacted;
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

/// What is pending, joined to pieces that each make a block, and in order.
Status FileWriter::for_each_piece(const Queue& queue, const std::function<Status(Batch)>& f) const {
  Joiner joiner;
  for (const Pending& pending : queue.pending) {
    if (!joiner.fits(pending.batch)) {
      if (Status done = f(joiner.take()); !done) return done;
    }
    joiner.add(pending.batch);
  }
  if (queue.dropped) {
    const Batch lost = loss_alone(identity_, queue.written.kind, *queue.dropped);
    if (!joiner.fits(lost)) {
      if (Status done = f(joiner.take()); !done) return done;
    }
    joiner.add(lost);
  }
  return joiner.empty() ? Status{} : f(joiner.take());
}

Status FileWriter::write_piece(Batch piece, Written& written, WriteStats& stats) {
  auto* const samples = std::get_if<SampleTable>(&piece);
  if (samples != nullptr && options_.existing == Existing::kSkipEqual) {
    Result<std::uint64_t> removed = ExistingCells(*file_, codec_).remove_from(*samples);
    if (!removed) return forward(removed);
    stats.cells_already_there += *removed;
    if (samples->times().empty()) return {};
  }
  if (samples != nullptr) {
    stats.cells_added += samples->present_cells();
  } else {
    stats.rows_added += rows_of(piece);
  }
  const StoredBlock block = encode(piece, written);
  Result<std::int64_t> id = file_->add_block(block);
  if (!id) return forward(id);
  written.next_number += block.samples + losses_of(piece).size();
  if (block.samples >= block_rows(identity_.stream) / 2) {
    if (Status compacted = compact(written, true); !compacted) return compacted;
    written.tail.clear();
  } else {
    written.tail.push_back({.id = *id,
                            .earliest = block.earliest,
                            .latest = block.latest,
                            .samples = block.samples,
                            .cells = values_of(piece)});
  }
  return {};
}

StoredBlock FileWriter::encode(const Batch& piece, Written& written) {
  if (const auto* samples = std::get_if<SampleTable>(&piece)) {
    return stored(encode_block(*samples, written.activity.count(*samples), codec_), codec_);
  }
  return encode_observations(piece, written.next_number, codec_);
}

/// Whether no other block of samples of the kind lies between these in time: merging across it would give
/// tables that overlap, which readers would have to return out of order. Events are kept as they were
/// recorded, and a long one is recorded late anyway.
Result<bool> FileWriter::may_merge(const std::vector<TailBlock>& tail, const std::string& kind) {
  if (!is_metrics()) return true;
  const WallTime earliest = std::ranges::min_element(tail, {}, &TailBlock::earliest)->earliest;
  const WallTime latest = std::ranges::max_element(tail, {}, &TailBlock::latest)->latest;
  Result<std::vector<BlockRow>> rows = file_->rows();
  if (!rows) return forward(rows);
  return std::ranges::none_of(*rows, [&](const BlockRow& row) {
    const bool between = row.earliest < latest && row.latest > earliest;
    return between && row.kind == kind && std::ranges::find(tail, row.id, &TailBlock::id) == tail.end();
  });
}

Result<std::optional<StoredBlock>> FileWriter::merge(std::span<const std::int64_t> ids) {
  if (!is_metrics()) return merge_observations(*file_, ids, codec_);
  Result<std::optional<Block>> merged = merge_blocks(*file_, ids, codec_);
  if (!merged) return forward(merged);
  if (!merged->has_value()) return std::nullopt;
  return stored(std::move(**merged), codec_);
}

Status FileWriter::compact(Written& written, bool all) {
  std::size_t samples = 0;
  std::size_t cells = 0;
  for (const TailBlock& block : written.tail) {
    samples += block.samples;
    cells += block.cells;
  }
  const bool many = !is_metrics() && written.tail.size() >= kMostSmallBlocks;
  const bool full = samples >= block_rows(identity_.stream) || cells >= kMaxBlockCells / 2 || many;
  if (written.tail.size() < 2 || (!full && !all)) return {};
  Result<bool> alone = may_merge(written.tail, written.kind);
  if (!alone) return forward(alone);
  std::vector<std::int64_t> ids;
  for (const TailBlock& block : written.tail) ids.push_back(block.id);
  written.tail.clear();
  while (*alone && ids.size() > 1) {
    Result<std::optional<StoredBlock>> merged = merge(ids);
    // A block that cannot be read stays as it is, for the reader to report.
    if (!merged && merged.error().code == ErrorCode::kDamaged) return {};
    if (!merged) return forward(merged);
    if (merged->has_value()) return file_->replace_blocks(ids, **merged);
    ids.resize(ids.size() / 2);  // Too many devices or words came and went: the rest stays small.
  }
  return {};
}

Result<std::optional<std::filesystem::path>> FileWriter::finish() {
  if (Status flushed = flush(); !flushed) return forward(flushed);
  if (file_ != nullptr) {
    if (Status followed = follow_file(); !followed) return forward(followed);
  }
  if (file_ != nullptr && !file_->is_writable()) file_.reset();  // Nothing was to be written to it.
  if (file_ == nullptr) return std::nullopt;
  Status done = file_->begin();
  for (auto& [kind, queue] : queues_) {
    if (done) done = compact(queue.written, true);
  }
  if (done) done = file_->commit();
  // Everything is safe already; merging only saves space, and a full disk may prevent it.
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
  const bool worth_it = stats_.cells_added + stats_.rows_added > 0 && file_->is_sound();
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
