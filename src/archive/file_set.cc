#include "archive/file_set.h"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <tuple>

#include "archive/cached_files.h"
#include "archive/file_name.h"
#include "archive/format.h"
#include "archive/recordings_in.h"
#include "archive/stream_folder.h"

namespace laggard::archive {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> entries(const fs::path& folder, std::error_code& error) {
  std::vector<fs::path> paths;
  for (fs::directory_iterator at{folder, error}, end; !error && at != end; at.increment(error)) {
    paths.push_back(at->path());
  }
  std::ranges::sort(paths);
  return paths;
}

std::optional<Stream> stream_of_folder(const fs::path& folder) {
  for (const Stream stream : kStreams) {
    if (folder.filename() == folder_of(stream)) return stream;
  }
  return std::nullopt;
}

bool is_archive_name(const fs::path& path) { return path.filename().string().ends_with(kFileSuffix); }

/// The file that this is the journal or write-ahead log of.
std::optional<fs::path> database_of_side_file(const fs::path& path) {
  const std::string name = path.filename().string();
  for (const std::string_view suffix : {"-wal", "-journal"}) {
    if (!name.ends_with(suffix)) continue;
    const fs::path database = path.parent_path() / name.substr(0, name.size() - suffix.size());
    if (is_archive_name(database)) return database;
  }
  return std::nullopt;
}

/// Whether an empty file is one that a writer has only just begun: the latest of its writer's files,
/// while their lock is held.
bool is_being_made(const fs::path& path) {
  std::error_code error;
  fs::path target = fs::canonical(path, error);
  if (error) target = path;
  const auto name = parse_file_name(target.filename().string());
  if (!name || !are_files_locked(target.parent_path(), name->writer)) return false;
  const std::vector<fs::path> inside = entries(target.parent_path(), error);
  const bool is_latest = std::ranges::none_of(inside, [&](const fs::path& other) {
    const auto theirs = parse_file_name(other.filename().string());
    return theirs && theirs->writer == name->writer &&
           std::tie(theirs->start, theirs->copy) > std::tie(name->start, name->copy);
  });
  return is_latest && !error;
}

/// What is wrong with an empty file; nothing when it is as it should be.
std::optional<std::string> why_nothing_is_there(const fs::path& path) {
  std::error_code error;
  if (fs::exists(path, error)) {
    if (is_being_made(path)) return std::nullopt;
    return "nothing is in this file: it was emptied, copied without its write-ahead log, or left by a "
           "recorder "
           "that was stopped as it began";
  }
  if (fs::is_symlink(path, error)) return "is a link to a file that is not there";
  const bool rest = std::ranges::any_of(std::array{"-wal", "-journal"}, [&](const char* suffix) {
    return fs::exists(path.string() + suffix, error);
  });
  if (!rest) return std::nullopt;  // A recorder has deleted it meanwhile because of its age.
  return "is gone, and what lay beside it is not; 'laggard info --recover' saves what is in its write-ahead "
         "log";
}

std::size_t quarter_of_file_limit() {
  constexpr std::size_t kLeast = 16;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return kLeast;
  return std::max<std::size_t>(kLeast, limit.rlim_cur / 4);
}

}  // namespace

FileSet::FileSet(const ReaderOptions& options) : options_(options) {
  if (options_.max_open_files == 0) options_.max_open_files = quarter_of_file_limit();
}

void FileSet::notice(std::string sentence) {
  if (std::ranges::find(notices_, sentence) == notices_.end()) notices_.push_back(std::move(sentence));
}

void FileSet::damage(const fs::path& path, std::string sentence) {
  damaged_.insert(path.string());
  notice(std::move(sentence));
}

void FileSet::miss(const fs::path& path, std::string sentence) {
  absent_.push_back(sentence);
  damage(path, std::move(sentence));
}

Status FileSet::add(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    return fail(ErrorCode::kNotFound, path.string(), "there is no such recording");
  }
  if (error) return fail_errno(error.value(), path.string(), "cannot look at the recording");
  if (!fs::is_directory(status)) {
    const std::optional<std::string> foreign = why_no_recording(path);
    if (!foreign) return add_file(path, std::nullopt);
    foreign_.push_back({.code = ErrorCode::kBadInput, .where = path.string(), .what = *foreign});
    return {};
  }
  const std::size_t before = found();
  const std::vector<fs::path> inside = entries(path, error);
  if (error) return fail_errno(error.value(), path.string(), "cannot list the folder");
  for (const fs::path& entry : inside) {
    if (Status added = add_subfolder(path, entry); !added) return added;
  }
  if (Status added = add_folder(path, std::nullopt); !added) return added;
  if (found() > before) return {};
  return fail(ErrorCode::kNotFound, path.string(), "this folder holds no recording (no metrics/*.lgd)");
}

Status FileSet::add_subfolder(const fs::path& recording, const fs::path& entry) {
  const std::optional<Stream> stream = stream_of_folder(entry);
  std::error_code error;
  const fs::file_status status = fs::status(entry, error);
  // A dangling link counts as not found; it is no error unless it should lead to a stream.
  if (error && (stream || status.type() != fs::file_type::not_found)) {
    return fail_errno(error.value(), entry.string(), "cannot look at what the recording holds");
  }
  if (fs::is_directory(status) && stream) return add_folder(entry, stream);
  if (stream) {
    return fail(ErrorCode::kDamaged, entry.string(),
                fmt::format("is no folder, and the recording's {} should be in it", things_of(*stream)));
  }
  if (!fs::is_directory(status) || is_archive_name(entry)) return {};
  if (!is_recording(recording) && is_recording(entry)) return add(entry);
  notice(fmt::format("{}: stream '{}' is skipped, this version does not know it", recording.string(),
                     entry.filename().string()));
  return {};
}

Status FileSet::add_folder(const fs::path& folder, std::optional<Stream> stream) {
  std::error_code error;
  const std::vector<fs::path> inside = entries(folder, error);
  if (error) return fail_errno(error.value(), folder.string(), "cannot list the folder");
  for (const fs::path& entry : inside) {
    const std::optional<fs::path> database = database_of_side_file(entry);
    const bool orphan = database && !std::ranges::binary_search(inside, *database);
    if (!orphan && !is_archive_name(entry)) continue;
    if (Status added = add_file(orphan ? *database : entry, stream); !added) return added;
  }
  return {};
}

Status FileSet::add_file(const fs::path& path, std::optional<Stream> stream) {
  std::error_code error;
  const CachedFile* finished = options_.cache == nullptr ? nullptr : options_.cache->content().finished(path);
  if (finished != nullptr && (!stream || finished->source.stream == *stream)) {
    if (known_.insert(finished->canonical).second) {
      files_.push_back(finished->source);
    } else {
      ++again_;
    }
    return {};
  }
  // Two links to one file are one source; two links to a device are two lost files.
  const bool regular = fs::is_regular_file(path, error);
  const fs::path canonical = regular ? fs::canonical(path, error) : path;
  if (!known_.insert(error ? path : canonical).second) {
    ++again_;
    return {};
  }
  if (options_.cache != nullptr) options_.cache->content().file(path).canonical = error ? path : canonical;
  const std::optional<FileStamp> stamp = options_.cache == nullptr ? std::nullopt : stamp_of_plain(path);
  KnownLog* const log = options_.cache == nullptr ? nullptr : &options_.cache->content().file(path).log;
  Result<std::unique_ptr<DayFile>> file = DayFile::open_for_reading(path, options_.vfs, log);
  if (!file) return leave_out(path, file.error());
  const Stream own = (*file)->identity().stream;
  if (stream && own != *stream) {
    damage(path,
           fmt::format("{}: holds {} and lies among {}, so that nothing is read of it; it was moved or its "
                       "table of contents is damaged",
                       path.string(), things_of(own), things_of(*stream)));
    return {};
  }
  const std::size_t notices = notices_.size();
  add_source(path, **file);
  if (options_.cache == nullptr) return {};
  return add_to_cache(std::move(*file), notices_.size() == notices ? stamp : std::nullopt);
}

/// The last one of `files_`, which stays open where it may. \param stamp  as it was before it was opened, if
/// it may be finished.
Status FileSet::add_to_cache(std::unique_ptr<DayFile> file, std::optional<FileStamp> stamp) {
  SourceFile& source = files_.back();
  if (!file->has_writer_journal() && file->is_plain()) source.finished = stamp;
  options_.cache->content().file(source.path).source = source;
  if (open_.size() >= options_.max_open_files) return {};
  if (Status held = file->hold_snapshot(); !held) return held;
  open_[files_.size() - 1] = {.file = std::move(file), .used = ++uses_};
  return {};
}

Status FileSet::leave_out(const fs::path& path, const Error& error) {
  std::string what = error.what;
  switch (error.code) {
    case ErrorCode::kNotFound: {
      const std::optional<std::string> why = why_nothing_is_there(path);
      if (!why) return {};
      what = *why;
      break;
    }
    case ErrorCode::kTooOld:
      foreign_.push_back(error);
      return {};
    case ErrorCode::kDamaged:
    case ErrorCode::kBadInput:
    case ErrorCode::kNoPermission:
      break;
    case ErrorCode::kBadUse:
    case ErrorCode::kTooNew:
    case ErrorCode::kNoSpace:
    case ErrorCode::kUnavailable:
    case ErrorCode::kTemporary:
    case ErrorCode::kBrokenPipe:
    case ErrorCode::kInternal:
      return tl::unexpected<Error>(error);
  }
  const auto name = parse_file_name(path.filename().string());
  damage(path, fmt::format("{}: {}{}", path.string(), what,
                           name ? fmt::format("; samples of {} from {} on are lost", name->writer.host,
                                              to_iso8601(name->start))
                                : ""));
  return {};
}

void FileSet::add_source(const fs::path& path, const DayFile& file) {
  SourceFile source{.path = path,
                    .host = file.identity().host,
                    .boot = file.identity().boot,
                    .stream = file.identity().stream,
                    .start = {}};
  const auto name = parse_file_name(path.filename().string());
  if (name) {
    source.start = name->start;
    source.copy = name->copy;
  }
  if (!file.loss().empty()) {
    miss(path,
         fmt::format("{}: {} ({} of {})", path.string(), file.loss(), things_of(source.stream), source.host));
  }
  if (name && name->writer.host != source.host) {
    miss(path, fmt::format("{}: holds {} of {}; those of {} that its name speaks of are lost, or it was "
                           "renamed",
                           path.string(), things_of(source.stream), source.host, name->writer.host));
  }
  files_.push_back(std::move(source));
}

Status FileSet::name_foreign_files() {
  // Beside recordings they come from a careless `*`; alone they are a mistake.
  if (!foreign_.empty() && files_.empty() && notices_.empty()) {
    return tl::unexpected<Error>(foreign_.front());
  }
  for (const Error& foreign : foreign_) {
    if (foreign.code == ErrorCode::kTooOld) {
      damage(foreign.where, foreign.message());
    } else {
      notice(foreign.message());
    }
  }
  foreign_.clear();
  return {};
}

void FileSet::end_listing() {
  std::vector<std::size_t> order(files_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t i, std::size_t j) {
    const SourceFile& a = files_[i];
    const SourceFile& b = files_[j];
    return std::tie(a.stream, a.host, a.start, a.copy, a.path) <
           std::tie(b.stream, b.host, b.start, b.copy, b.path);
  });
  std::vector<SourceFile> files;
  std::map<std::size_t, Open> open;
  for (const std::size_t i : order) {
    if (const auto one = open_.find(i); one != open_.end()) open[files.size()] = std::move(one->second);
    files.push_back(std::move(files_[i]));
  }
  files_ = std::move(files);
  open_ = std::move(open);
  if (options_.cache != nullptr) options_.cache->content().end_listing();
}

void FileSet::close(std::size_t index) {
  if (options_.cache == nullptr || open_.size() > options_.max_open_files) open_.erase(index);
}

void FileSet::remember(std::size_t index) {
  CachedFile& cached = options_.cache->content().file(files_[index].path);
  cached.source = files_[index];
  cached.finished = files_[index].finished;
}

void FileSet::make_room() {
  while (open_.size() >= options_.max_open_files) {
    // A file that is being written must keep its snapshot: its blocks move when it is opened again.
    auto victim = open_.end();
    for (auto at = open_.begin(); at != open_.end(); ++at) {
      if (at->second.file->has_writer_journal()) continue;
      if (victim == open_.end() || at->second.used < victim->second.used) victim = at;
    }
    if (victim == open_.end()) return;
    open_.erase(victim);
  }
}

Result<DayFile*> FileSet::open(std::size_t index) {
  const auto found = open_.find(index);
  if (found != open_.end()) {
    found->second.used = ++uses_;
    return found->second.file.get();
  }
  make_room();
  Result<std::unique_ptr<DayFile>> file = DayFile::open_for_reading(files_[index].path, options_.vfs);
  if (!file) return forward(file);
  if (Status held = (*file)->hold_snapshot(); !held) return forward(held);
  Open& open = open_[index];
  open = {.file = std::move(*file), .used = ++uses_};
  return open.file.get();
}

Result<std::vector<BlockRow>> FileSet::rows(std::size_t index) {
  Result<DayFile*> file = open(index);
  if (!file) return forward(file);
  std::vector<BlockRow> rows;
  Status read = (*file)->read_rows(rows);
  if (Status same = check_unchanged(index); !same) return forward(same);
  if (!read) {
    if (read.error().code != ErrorCode::kDamaged) return forward(read);
    damage(files_[index].path, read.error().message());
  }
  if (files_[index].stream == Stream::kMetrics) leave_unknown_kinds(index, rows);
  for (const BlockRow& row : rows) extend(index, {row.earliest, row.latest});
  check_extent(files_[index]);
  return rows;
}

void FileSet::extend(std::size_t index, TimeSpan span) {
  std::optional<TimeSpan>& extent = files_[index].extent;
  if (!extent) extent = span;
  extent->from = std::min(extent->from, span.from);
  extent->to = std::max(extent->to, span.to);
}

Result<std::optional<std::vector<BlockRow>>> FileSet::new_rows(std::size_t index, const ListedRows& listed) {
  if (listed.newest.empty() || files_[index].stream != Stream::kMetrics) return std::nullopt;
  Result<DayFile*> file = open(index);
  if (!file) return forward(file);
  if (!(*file)->has_writer_journal()) return std::nullopt;
  Result<std::vector<BlockRow>> rows = (*file)->rows_from(listed.newest.front().id);
  Result<std::optional<std::uint64_t>> count = (*file)->block_count();
  if (!rows || !count || !*count) return std::nullopt;  // Whoever looks at all of them says what is wrong.
  const std::size_t before = listed.newest.size();
  const bool grown =
      rows->size() >= before && std::equal(listed.newest.begin(), listed.newest.end(), rows->begin());
  if (!grown || **count != listed.count + (rows->size() - before)) return std::nullopt;
  rows->erase(rows->begin(), rows->begin() + static_cast<std::ptrdiff_t>(before));
  const auto known = [](const BlockRow& row) { return device_kind(row.kind).has_value(); };
  if (!std::ranges::all_of(*rows, known)) return std::nullopt;
  extend(index, *listed.extent);
  for (const BlockRow& row : *rows) extend(index, {row.earliest, row.latest});
  return std::move(*rows);
}

Result<std::vector<BlockRow>> FileSet::rows_from(std::size_t index, std::optional<WallTime> from) {
  if (options_.cache == nullptr || !from) return rows(index);
  const std::optional<ListedRows>& listed = options_.cache->content().file(files_[index].path).rows;
  if (!listed || listed->rest_until >= *from) return rows(index);
  Result<std::optional<std::vector<BlockRow>>> added = new_rows(index, *listed);
  if (!added) return forward(added);
  if (!*added) return rows(index);
  std::vector<BlockRow> newest = listed->newest;
  newest.insert(newest.end(), std::make_move_iterator((*added)->begin()),
                std::make_move_iterator((*added)->end()));
  return newest;
}

void FileSet::leave_unknown_kinds(std::size_t index, std::vector<BlockRow>& rows) {
  std::erase_if(rows, [&](const BlockRow& row) {
    if (device_kind(row.kind)) return false;
    // A kind of a later version, or a known kind with a flipped bit: its header tells which.
    if (const Result<BlockHeader> sound = header(index, row); !sound) {
      damage(files_[index].path, sound.error().message());
      return true;
    }
    notice(fmt::format("{}: samples of kind '{}' are skipped, this version does not know it",
                       files_[index].path.string(), row.kind));
    return true;
  });
}

/// A file begins with the sample that it is named after, so a file that was copied over another is noticed.
void FileSet::check_extent(const SourceFile& file) {
  if (!file.extent || !parse_file_name(file.path.filename().string())) return;
  const bool later = recording_day(file.extent->from) > recording_day(file.start);
  if (!later && file.extent->to >= file.start) return;
  miss(file.path,
       fmt::format("{}: holds {} of {} from {} to {}; those from {} on that its name speaks of "
                   "are lost, or it was renamed",
                   file.path.string(), things_of(file.stream), file.host, to_iso8601(file.extent->from),
                   to_iso8601(file.extent->to), to_iso8601(file.start)));
}

Status FileSet::check_unchanged(std::size_t index) {
  const auto open = open_.find(index);
  if (open == open_.end() || !open->second.file->has_changed()) return {};
  return fail(
      ErrorCode::kUnavailable, files_[index].path.string(),
      "was written to while it was read, by a recorder that was started meanwhile or by a copy; start "
      "again");
}

Result<BlockHeader> FileSet::header(std::size_t index, const BlockRow& row) {
  Result<DayFile*> file = open(index);
  if (!file) return forward(file);
  Result<BlockHeader> header = (*file)->header(row.id, codec_);
  if (Status same = check_unchanged(index); !same) return forward(same);
  const bool sound = header && header->kind == row.kind && header->host == files_[index].host &&
                     header->times.size() == row.samples && header->earliest() == row.earliest &&
                     header->latest() == row.latest;
  if (sound) return header;
  if (!header && header.error().code != ErrorCode::kDamaged) return header;
  return lost_block(index, row, header ? "header and index differ" : header.error().what);
}

Result<ColumnsHeader> FileSet::columns_header(std::size_t index, const BlockRow& row) {
  Result<DayFile*> file = open(index);
  if (!file) return forward(file);
  Result<ColumnsHeader> header = (*file)->columns_header(row.id, codec_);
  if (Status same = check_unchanged(index); !same) return forward(same);
  const SourceFile& source = files_[index];
  const bool sound = header && header->kind == row.kind && header->host == source.host &&
                     header->stream == source.stream && header->rows == row.samples &&
                     header->earliest == row.earliest && header->latest == row.latest;
  if (sound) return header;
  if (!header && header.error().code != ErrorCode::kDamaged) return header;
  return lost_block(index, row, header ? "header and index differ" : header.error().what);
}

tl::unexpected<Error> FileSet::lost_block(std::size_t index, const BlockRow& row, std::string_view why) {
  const SourceFile& file = files_[index];
  return fail(ErrorCode::kDamaged, file.path.string(),
              fmt::format("{} {} of {} from {} to {} are lost: {}", row.kind, things_of(file.stream),
                          file.host, to_iso8601(row.earliest), to_iso8601(row.latest), why));
}

std::pair<std::size_t, std::size_t> FileSet::of_stream(Stream stream) const {
  const auto first = std::ranges::lower_bound(files_, stream, {}, &SourceFile::stream);
  const auto last = std::ranges::upper_bound(files_, stream, {}, &SourceFile::stream);
  return {static_cast<std::size_t>(first - files_.begin()), static_cast<std::size_t>(last - files_.begin())};
}

}  // namespace laggard::archive
