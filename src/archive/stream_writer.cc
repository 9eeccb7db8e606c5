#include "archive/stream_writer.h"

#include <algorithm>
#include <limits>
#include <new>

#include "archive/day_paths.h"
#include "archive/file_name.h"
#include "archive/limits.h"
#include "archive/stream_folder.h"
#include "base/file.h"

namespace laggard::archive {

namespace {

/// Nothing is appended to a damaged file: a new one is begun beside it. A recorder does the same beside a
/// file of an earlier version; an import cannot, because it could not tell which cells are there already.
bool is_begun_beside(ErrorCode code, Existing existing) {
  return code == ErrorCode::kNotFound || code == ErrorCode::kDamaged || code == ErrorCode::kBadInput ||
         (code == ErrorCode::kTooOld && existing == Existing::kAppend);
}

}  // namespace

/// A recorder outlives every error that may pass. To its caller these are all the same: samples wait in
/// memory.
Status StreamWriter::settle(Status done) {
  if (done) return done;
  const ErrorCode code = done.error().code;
  const bool may_pass =
      code == ErrorCode::kNoPermission || code == ErrorCode::kTemporary || code == ErrorCode::kNotFound;
  if (code != ErrorCode::kNoSpace && !(may_pass && options_.existing == Existing::kAppend)) return done;
  refusal_ = done.error();
  done.error().code = ErrorCode::kNoSpace;
  return done;
}

Status StreamWriter::claim(const std::string& host) {
  if (Status fit = check_host(host); !fit) return fit;
  Status held = hold_lock(host);
  if (!held && held.error().code == ErrorCode::kNoSpace) return {};
  return held;
}

Result<std::vector<std::string>> StreamWriter::bookmarks(const std::string& host, const std::string& kind) {
  LAGGARD_CHECK(!is_open(host));
  Result<std::vector<std::filesystem::path>> paths = files_of(folder_.path(), writer_of(host));
  if (!paths) return forward(paths);
  std::vector<std::string> found;
  for (const std::filesystem::path& path : *paths) {
    Result<std::unique_ptr<DayFile>> file = DayFile::open_under_lock(path, LookAtIndex::kYes, options_.vfs);
    if (!file) continue;
    const Result<Notes> notes = (*file)->notes(codec_);
    if (!notes) continue;
    const auto bookmark = notes->facts.find(bookmark_key(kind));
    if (bookmark != notes->facts.end()) found.push_back(bookmark->second);
  }
  return found;
}

Status StreamWriter::hold_lock(const std::string& host) {
  const auto held = locks_.find(host);
  const bool first = held == locks_.end();
  const bool removed = !first && !held->second.is_current();
  if (!first && !removed) return {};
  Result<LockFile> lock = first ? lock_another(host) : lock_files(folder_.path(), writer_of(host));
  if (!lock) return forward(lock);
  locks_.insert_or_assign(host, std::move(*lock));
  if (removed) {
    options_.say(fmt::format("{}: the lock of host {} was removed while recording, and is taken again",
                             folder_.path().string(), host));
  }
  if (first && options_.existing == Existing::kAppend)
    fold_logs(folder_.path(), writer_of(host), options_.vfs);
  return {};
}

/// An import of many hosts must not use up the descriptors: when they run short, a finished host's lock is
/// given up.
Result<LockFile> StreamWriter::lock_another(const std::string& host) {
  constexpr std::size_t kMostLocks = 256;
  if (locks_.size() < kMostLocks) return lock_files(folder_.path(), writer_of(host));
  const auto idle = std::ranges::find_if(locks_, [&](const auto& entry) {
    return !new_files_.hosts().contains(entry.first) && !is_open(entry.first);
  });
  if (idle == locks_.end()) return lock_files(folder_.path(), writer_of(host));
  LockFile spare = std::move(idle->second);
  locks_.erase(idle);
  return lock_files(folder_.path(), writer_of(host), std::move(spare));
}

Status StreamWriter::keep_folder() {
  Result<bool> changed = folder_.keep(options_.say);
  if (!changed) return forward(changed);
  if (*changed) locks_.clear();  // The lock files are gone with the folder.
  return {};
}

/// Makes sure that nothing is written where nobody will find it, or where another process writes.
Status StreamWriter::keep_places() {
  if (Status kept = keep_folder(); !kept) return kept;
  std::set<std::string> hosts;
  for (const OpenFile& open : files_) hosts.insert(open.writer->identity().host);
  for (const std::string& host : hosts) {
    if (Status held = hold_lock(host); !held) return held;
  }
  return {};
}

bool StreamWriter::is_open(const std::string& host) const {
  return std::ranges::any_of(files_, [&](const OpenFile& f) { return f.writer->identity().host == host; });
}

Status StreamWriter::append(Batch batch) {
  if (Status ok = check_batch(batch); !ok) return ok;
  Status result;
  for (Batch& part : by_day(std::move(batch))) {
    // A full disk must not prevent the rest from being kept in memory.
    Status added = append_part(std::move(part));
    if (!added && added.error().code != ErrorCode::kNoSpace) return added;
    if (!added) result = added;
  }
  const Status flushed = flush_when_due();
  return flushed ? result : flushed;
}

Status StreamWriter::append_part(Batch part) {
  Result<FileWriter*> writer = writer_for(part);
  if (!writer) return forward(writer);
  // Opened before the part is added, because the words that the file already names count too.
  if (Status added = (*writer)->add(std::move(part), ++order_); !added) return added;
  if (options_.flush_interval > Duration::zero() && !due_) due_ = clock_.mono() + options_.flush_interval;
  if (Status open = open_at_once(**writer); !open) return open;
  if (options_.existing == Existing::kAppend) {
    if (Status closed = settle(close_others(**writer)); !closed && closed.error().code != ErrorCode::kNoSpace)
      return closed;
  }
  if ((*writer)->pending().has_full_block() && !refusal_) {
    Status flushed = settle((*writer)->flush());
    count(**writer);
    if (!flushed && !refusal_) return flushed;
  }
  return bound_pending();
}

/// Opens the file now, so that one that cannot be continued is an error at once. Errors that may pass are
/// left to the next flush.
Status StreamWriter::open_at_once(const FileWriter& writer) {
  if (refusal_) return {};
  const auto open =
      std::ranges::find_if(files_, [&](const OpenFile& f) { return f.writer.get() == &writer; });
  Status opened = settle(open->writer->ensure_open());
  if (opened || refusal_) return {};
  if (path_of_hidden(open->writer->path())) static_cast<void>(open->writer->keep_committed());
  files_.erase(open);
  return opened;
}

Result<FileWriter*> StreamWriter::writer_for(const Batch& part) {
  const FileIdentity identity = identity_of(part);
  const WallTime t = start_of(part);
  const std::int64_t day = recording_day(t);
  OpenFile* found = nullptr;
  for (OpenFile& open : files_) {
    if (open.writer->identity() != identity) continue;
    if (open.writer->day() == day) {
      found = &open;
      break;
    }
    // Only a recorder sees clocks that are set back; an import must find each sample's file again.
    if (options_.existing == Existing::kAppend && stays_in_day(t, open.writer->day())) found = &open;
  }
  if (found == nullptr) return add_writer(identity, day);
  found->used = order_;
  return found->writer.get();
}

Result<FileWriter*> StreamWriter::add_writer(const FileIdentity& identity, std::int64_t day) {
  if (files_.size() >= options_.max_open_files) {
    // When the disk is full the file stays open, one too many, rather than lose what waits in it.
    Status closed = settle(close_least_used());
    if (!closed && closed.error().code != ErrorCode::kNoSpace) return forward(closed);
  }
  const std::string& host = identity.host;
  // If it fails now, the flush will report it: without room for a lock file there is none for samples either.
  if (Status locked = settle(hold_lock(host)); !locked && !refusal_) return forward(locked);
  OpenFile open;
  open.writer = std::make_unique<FileWriter>(
      identity, day,
      FileWriter::Options{
          .open = [this, identity, day](WallTime first) { return open_file(identity, day, first); },
          .existing = options_.existing,
          .goes_on = recorded_.contains(host),
          .vfs = options_.vfs,
          .say = options_.say},
      codec_);
  open.used = order_;
  if (const auto facts = facts_.find(host); facts != facts_.end()) open.writer->set_facts(facts->second);
  if (const auto notes = notes_.extract(host); !notes.empty()) {
    for (GapRow& note : notes.mapped()) open.writer->add_gap(std::move(note));
  }
  files_.push_back(std::move(open));
  return files_.back().writer.get();
}

Result<std::unique_ptr<DayFile>> StreamWriter::open_file(const FileIdentity& identity, std::int64_t day,
                                                         WallTime first) {
  if (Status kept = keep_folder(); !kept) return forward(kept);
  if (Status held = hold_lock(identity.host); !held) return forward(held);
  Result<std::unique_ptr<DayFile>> found = find_file(identity, day);
  if (found && *found != nullptr) recorded_.insert(identity.host);
  if (!found || *found != nullptr) return found;
  FileName name{.writer = writer_of(identity.host), .start = first, .copy = 1};
  for (;; ++name.copy) {
    const std::filesystem::path path = folder_.path() / to_file_name(name);
    if (is_path_taken(path, options_.vfs)) continue;
    const bool hidden = makes_hidden() && is_name_free(path);
    if (hidden && is_hidden_taken(hidden_path(path))) continue;
    if (hidden) return DayFile::create_hidden(hidden_path(path), identity);
    Result<std::unique_ptr<DayFile>> file = DayFile::create(path, identity, options_.vfs);
    if (!file) return file;
    if (Status synced = sync_folder(folder_.path()); !synced) return forward(synced);
    recorded_.insert(identity.host);
    return file;
  }
}

/// Whether another boot's file of ours, which begins in the same second, has the path. Any other hidden file
/// there is a dead process's.
bool StreamWriter::is_hidden_taken(const std::filesystem::path& hidden) const {
  return new_files_.has_path(hidden) ||
         std::ranges::any_of(files_, [&](const OpenFile& open) { return open.writer->path() == hidden; });
}

namespace {

/// Whether a file is the one that is meant and whole enough to go on with.
bool goes_on(DayFile& file, const FileIdentity& identity) {
  if (file.identity() != identity || !file.loss().empty()) return false;
  const Result<std::vector<BlockRow>> rows = file.rows();
  return rows || rows.error().code != ErrorCode::kDamaged;
}

}  // namespace

Result<std::unique_ptr<DayFile>> StreamWriter::find_file(const FileIdentity& identity, std::int64_t day) {
  // A file that still waits for its name is found under that name afterwards.
  if (new_files_.has(identity, day)) {
    if (Status named = name_new_files(); !named) return forward(named);
  }
  Result<std::vector<std::filesystem::path>> candidates =
      files_of(folder_.path(), writer_of(identity.host), day);
  if (!candidates) return forward(candidates);
  for (const std::filesystem::path& path : *candidates) {
    const auto is_here = [&](const OpenFile& open) { return open.writer->path() == path; };
    if (std::ranges::any_of(files_, is_here)) continue;  // It belongs to another boot.
    Result<std::unique_ptr<DayFile>> file = DayFile::open_under_lock(path, LookAtIndex::kYes, options_.vfs);
    if (!file) {
      if (is_begun_beside(file.error().code, options_.existing)) continue;
      return file;
    }
    if (!goes_on(**file, identity)) continue;
    // An import may find that everything is there. A log that a crash has left is taken over all the same.
    if (options_.existing == Existing::kSkipEqual && (*file)->is_plain()) return file;
    file->reset();
    return DayFile::open_for_writing(path, options_.vfs);
  }
  return std::unique_ptr<DayFile>{};
}

Status StreamWriter::finish(std::size_t index) {
  FileWriter& writer = *files_[index].writer;
  Result<std::optional<std::filesystem::path>> path = writer.finish();
  if (!path) return forward(path);
  const FileIdentity identity = writer.identity();
  if (*path && path_of_hidden(**path)) {
    new_files_.add(
        {.hidden = **path, .identity = identity, .day = writer.day(), .stats = writer.take_stats()});
  } else {
    count(writer);
  }
  std::vector<GapRow> left = writer.take_gaps();
  files_.erase(files_.begin() + static_cast<std::ptrdiff_t>(index));
  // A day for which nothing could be written has no file in which that could be noted.
  for (GapRow& gap : left) keep_note(identity.host, std::move(gap));
  return new_files_.full() ? name_new_files() : Status{};
}

/// Names the new files while their hosts are locked, which they no longer are once a lock file has been
/// removed.
Status StreamWriter::name_new_files() {
  if (new_files_.hosts().empty()) return {};
  if (Status kept = keep_folder(); !kept) return kept;
  for (const std::string& host : new_files_.hosts()) {
    if (Status held = hold_lock(host); !held) return held;
  }
  return new_files_.name_all(stats_);
}

/// The content of a hidden file counts only once the file has its name.
void StreamWriter::count(FileWriter& writer) {
  if (path_of_hidden(writer.path())) return;
  const WriteStats added = writer.take_stats();
  stats_.cells_added += added.cells_added;
  stats_.cells_already_there += added.cells_already_there;
  stats_.rows_added += added.rows_added;
}

/// A failed import is not retried: hidden files get their names with what was committed to them; the rest is
/// lost, as the error says.
void StreamWriter::keep_committed() {
  for (std::size_t i = files_.size(); i-- > 0;) {
    FileWriter& writer = *files_[i].writer;
    if (!path_of_hidden(writer.path())) continue;
    if (const std::optional<std::filesystem::path> kept = writer.keep_committed()) {
      new_files_.add({.hidden = *kept,
                      .identity = writer.identity(),
                      .day = writer.day(),
                      .stats = writer.take_stats()});
    }
    files_.erase(files_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  static_cast<void>(name_new_files());
  new_files_.discard();
}

/// Notes it in the host's file, or in the next one that the host gets.
void StreamWriter::keep_note(const std::string& host, GapRow note) {
  const auto open =
      std::ranges::find_if(files_, [&](const OpenFile& f) { return f.writer->identity().host == host; });
  if (open != files_.end()) {
    open->writer->add_gap(std::move(note));
    return;
  }
  constexpr std::size_t kMostNotes = 1000;
  std::vector<GapRow>& notes = notes_[host];
  if (notes.size() == kMostNotes) notes.erase(notes.begin());
  notes.push_back(std::move(note));
}

Status StreamWriter::close_others(const FileWriter& keep) {
  for (std::size_t i = files_.size(); i-- > 0;) {
    const FileWriter& other = *files_[i].writer;
    if (&other == &keep || other.identity().host != keep.identity().host) continue;
    if (Status done = finish(i); !done) return done;
  }
  return {};
}

Status StreamWriter::close_least_used() {
  const auto least = std::ranges::min_element(files_, {}, &OpenFile::used);
  return finish(static_cast<std::size_t>(least - files_.begin()));
}

std::size_t StreamWriter::pending_bytes() const {
  std::size_t sum = 0;
  for (const OpenFile& open : files_) sum += open.writer->pending().bytes();
  return sum;
}

Status StreamWriter::bound_pending() {
  if (pending_bytes() <= options_.max_pending_bytes) return {};
  Status flushed = flush();
  if (flushed || flushed.error().code != ErrorCode::kNoSpace) return flushed;
  const std::string reason =
      refusal_->code == ErrorCode::kNoSpace ? "disk full" : "could not be written: " + refusal_->what;
  while (pending_bytes() > options_.max_pending_bytes) {
    const auto oldest = std::ranges::min_element(files_, {}, [](const OpenFile& open) {
      return open.writer->pending().oldest().value_or(std::numeric_limits<std::uint64_t>::max());
    });
    stats_.samples_lost += oldest->writer->drop_oldest(reason);
  }
  return flushed;
}

Status StreamWriter::flush_when_due() {
  if (!due_ || clock_.mono() < *due_) return {};
  return flush();
}

Status StreamWriter::flush() {
  due_.reset();
  refusal_.reset();
  Status result = files_.empty() ? Status{} : settle(keep_places());
  if (result) result = flush_files();
  // A hidden file gets its name after it is closed, and is safe then.
  for (std::size_t i = files_.size(); result && i-- > 0;) {
    if (path_of_hidden(files_[i].writer->path())) result = settle(finish(i));
  }
  if (result) result = settle(name_new_files());
  if (refusal_ && options_.flush_interval > Duration::zero()) due_ = clock_.mono() + options_.flush_interval;
  return result;
}

/// Flushes every file that can be. \return the first error that waiting will not heal, else the first error.
Status StreamWriter::flush_files() {
  Status result;
  for (OpenFile& open : files_) {
    Status flushed = settle(open.writer->flush());
    count(*open.writer);
    const bool worse = !flushed && !result && flushed.error().code != ErrorCode::kNoSpace &&
                       result.error().code == ErrorCode::kNoSpace;
    if (!flushed && (result || worse)) result = flushed;
  }
  return result;
}

Status StreamWriter::close() {
  Status result = flush();
  while (result && !files_.empty()) result = settle(finish(files_.size() - 1));
  if (result) result = settle(name_new_files());
  if (result) {
    locks_.clear();
  } else {
    keep_committed();
  }
  return result;
}

Status StreamWriter::describe(const DeviceInfo& device) {
  if (Status host = check_host(device.host); !host) return host;
  const auto too_long = [](const auto& fact) {
    return fact.first.size() > kMaxNameBytes || fact.second.size() > kMaxFactBytes;
  };
  if (device.device.size() > kMaxNameBytes || std::ranges::any_of(device.facts, too_long)) {
    return fail(ErrorCode::kBadInput, "",
                fmt::format("a fact of a device of host {} is longer than any can be", device.host));
  }
  Facts& facts = facts_[device.host];
  for (const auto& [key, value] : device.facts) {
    facts[{.kind = std::string(to_name(device.kind)), .device = device.device, .key = key}] = value;
  }
  for (OpenFile& open : files_) {
    if (open.writer->identity().host == device.host) open.writer->set_facts(facts);
  }
  return {};
}

Status StreamWriter::note_gap(const Gap& gap) {
  keep_note(gap.host, {.first = gap.from, .last = gap.to, .lost = 0, .reason = gap.reason});
  return {};
}

StreamWriter::~StreamWriter() {
  try {
    static_cast<void>(close());
  } catch (const std::bad_alloc&) {  // What was not flushed is lost, as when the process is killed.
  }
}

Result<std::unique_ptr<StreamWriter>> StreamWriter::open(const std::filesystem::path& directory,
                                                         Stream stream, const WriterOptions& options,
                                                         Clock& clock) {
  Result<StreamFolder> folder = StreamFolder::open(directory, stream);
  if (!folder) return forward(folder);
  NewFiles::remove_stale(folder->path());
  return std::unique_ptr<StreamWriter>{new StreamWriter(std::move(*folder), options, clock)};
}

}  // namespace laggard::archive
