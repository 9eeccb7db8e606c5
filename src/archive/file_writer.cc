#include "archive/file_writer.h"

#include <algorithm>
#include <iterator>

#include "archive/displaced.h"
#include "archive/file_name.h"
#include "archive/format.h"
#include "archive/observation_columns.h"

namespace laggard::archive {

FileWriter::FileWriter(FileIdentity identity, std::int64_t day, Options options, ZstdCodec& codec)
    : identity_(std::move(identity)),
      day_(day),
      options_(std::move(options)),
      codec_(codec),
      pending_(identity_) {}

FileWriter::Written& FileWriter::written_of(const std::string& kind) {
  return written_
      .try_emplace(kind, Written{.small = {identity_.stream, kind}, .next_number = 0, .activity = {}})
      .first->second;
}

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
  pending_.add(std::move(batch), order);
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
  const std::optional<WallTime> start = pending_.start();
  LAGGARD_CHECK(start.has_value());
  Result<std::unique_ptr<DayFile>> file = options_.open(*start);
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
    written_of(row.kind).small.found(row);
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
    std::uint64_t& next = written_of(row.kind).next_number;
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
  for (auto& [kind, written] : written_) {
    written.small.forget();
    written.next_number = 0;
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

std::vector<GapRow> FileWriter::take_gaps() {
  std::ranges::move(pending_.take_lost(), std::back_inserter(gaps_));
  return std::exchange(gaps_, {});
}

/// Makes sure that there is a file in place to write to, unless there is none and no sample needs one.
Status FileWriter::take_file() {
  if (file_ != nullptr) {
    if (Status followed = follow_file(); !followed) return followed;
  }
  if (pending_.bytes() == 0) return {};
  if (Status open = ensure_open(); !open) return open;
  note_restart(*pending_.start());
  return {};
}

Status FileWriter::flush() {
  if (pending_.empty() && gaps_.empty() && facts_.empty()) return {};
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
  std::map<std::string, Written> before = written_;
  Status written = file_->begin();
  if (written) written = write_all(added);
  if (written) written = file_->commit();
  if (!written) {
    file_->rollback();
    written_ = std::move(before);
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
  if (!facts_.empty() || !gaps_.empty() || pending_.has_lost()) return false;
  ExistingCells existing(*file_, codec_);
  bool all = true;
  Status looked = pending_.for_each_piece([&](const std::string&, Batch piece) -> Status {
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
  if (const auto span = pending_.extent()) extend_span(span->from, span->to);
  pending_.forget();
  gaps_.clear();
  for (auto& [key, value] : facts_) facts_in_file_[key] = std::move(value);
  facts_.clear();
}

Status FileWriter::write_all(WriteStats& stats) {
  Status written = pending_.for_each_piece([&](const std::string& kind, Batch piece) {
    return write_piece(std::move(piece), written_of(kind), stats);
  });
  for (auto& [kind, of_kind] : written_) {
    if (written) written = of_kind.small.merge(*file_, codec_, false);
  }
  if (written && pending_.lost_samples()) written = file_->add_gap(*pending_.lost_samples());
  for (const GapRow& gap : gaps_) {
    if (written) written = file_->add_gap(gap);
  }
  return written ? write_facts() : written;
}

Status FileWriter::write_facts() {
  if (facts_.empty()) return {};
  Facts all = facts_;
  all.insert(facts_in_file_.begin(), facts_in_file_.end());  // Where both have a value the new one stays.
  return file_->replace_facts(all, codec_);
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
  return written.small.wrote(*id, block, values_of(piece), *file_, codec_);
}

StoredBlock FileWriter::encode(const Batch& piece, Written& written) {
  if (const auto* samples = std::get_if<SampleTable>(&piece)) {
    return stored(encode_block(*samples, written.activity.count(*samples), codec_), codec_);
  }
  return encode_observations(piece, written.next_number, codec_);
}

Result<std::optional<std::filesystem::path>> FileWriter::finish() {
  if (Status flushed = flush(); !flushed) return forward(flushed);
  if (file_ != nullptr) {
    if (Status followed = follow_file(); !followed) return forward(followed);
  }
  if (file_ != nullptr && !file_->is_writable()) file_.reset();  // Nothing was to be written to it.
  if (file_ == nullptr) return std::nullopt;
  Status done = file_->begin();
  for (auto& [kind, written] : written_) {
    if (done) done = written.small.merge(*file_, codec_, true);
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
