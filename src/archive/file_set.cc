#include "archive/file_set.h"

#include <sys/resource.h>

#include <algorithm>
#include <tuple>

#include "archive/format.h"
#include "archive/stranger.h"

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

bool is_archive_name(const fs::path& path) { return path.filename().string().ends_with(kFileSuffix); }

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

Status FileSet::add(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    return fail(ErrorCode::kNotFound, path.string(), "there is no such recording");
  }
  if (error) return fail_errno(error.value(), path.string(), "cannot look at the recording");
  if (!fs::is_directory(status)) {
    const std::optional<std::string> stranger = why_no_recording(path);
    if (!stranger) return add_file(path);
    strangers_.push_back({.code = ErrorCode::kBadInput, .where = path.string(), .what = *stranger});
    return {};
  }
  const std::size_t before = found();
  const std::vector<fs::path> inside = entries(path, error);
  if (error) return fail_errno(error.value(), path.string(), "cannot list the folder");
  for (const fs::path& entry : inside) {
    if (!fs::is_directory(entry, error)) continue;
    if (entry.filename() == kStreamFolder) {
      if (Status added = add_folder(entry); !added) return added;
    } else {
      notice(fmt::format("{}: stream '{}' is skipped, this version does not know it", path.string(),
                         entry.filename().string()));
    }
  }
  if (Status added = add_folder(path); !added) return added;
  if (found() > before) return {};
  return fail(ErrorCode::kNotFound, path.string(), "this folder holds no recording (no metrics/*.lgd)");
}

Status FileSet::add_folder(const fs::path& folder) {
  std::error_code error;
  const std::vector<fs::path> inside = entries(folder, error);
  if (error) return fail_errno(error.value(), folder.string(), "cannot list the folder");
  for (const fs::path& entry : inside) {
    if (!is_archive_name(entry)) continue;
    if (Status added = add_file(entry); !added) return added;
  }
  return {};
}

Status FileSet::add_file(const fs::path& path) {
  std::error_code error;
  const fs::path canonical = fs::canonical(path, error);
  if (!known_.insert(error ? path : canonical).second) return {};
  Result<std::unique_ptr<DayFile>> file = DayFile::open_for_reading(path, options_.vfs);
  if (!file) {
    // A recorder has made it and not yet written to it, or is about to fail to.
    if (file.error().code == ErrorCode::kNotFound) return {};
    if (file.error().code == ErrorCode::kTooOld) {
      strangers_.push_back(file.error());
      return {};
    }
    if (file.error().code != ErrorCode::kDamaged) return forward(file);
    const auto name = parse_file_name(path.filename().string());
    notice(file.error().message() +
           (name ? fmt::format("; samples of {} from {} on are lost", name->host, to_iso8601(name->start))
                 : ""));
    return {};
  }
  SourceFile source{
      .path = path, .host = (*file)->identity().host, .boot = (*file)->identity().boot, .start = {}};
  if (const auto name = parse_file_name(path.filename().string())) {
    source.start = name->start;
    source.copy = name->copy;
  }
  files_.push_back(std::move(source));
  return {};
}

Status FileSet::name_strangers() {
  // Beside recordings they are a `*` too many; alone they are a mistake.
  if (!strangers_.empty() && files_.empty() && notices_.empty()) {
    return tl::unexpected<Error>(strangers_.front());
  }
  for (const Error& stranger : strangers_) notice(stranger.message());
  strangers_.clear();
  return {};
}

void FileSet::sort() {
  std::ranges::sort(files_, [](const SourceFile& a, const SourceFile& b) {
    return std::tie(a.host, a.start, a.copy, a.path) < std::tie(b.host, b.start, b.copy, b.path);
  });
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
  if (Status read = (*file)->read_rows(rows); !read) {
    if (read.error().code != ErrorCode::kDamaged) return forward(read);
    notice(read.error().message());
  }
  std::erase_if(rows, [&](const BlockRow& row) {
    if (device_kind(row.kind)) return false;
    notice(fmt::format("{}: samples of kind '{}' are skipped, this version does not know it",
                       files_[index].path.string(), row.kind));
    return true;
  });
  std::optional<TimeSpan>& extent = files_[index].extent;
  for (const BlockRow& row : rows) {
    if (!extent) extent = TimeSpan{row.earliest, row.latest};
    extent->from = std::min(extent->from, row.earliest);
    extent->to = std::max(extent->to, row.latest);
  }
  return rows;
}

Result<BlockHeader> FileSet::header(std::size_t index, const BlockRow& row) {
  Result<DayFile*> file = open(index);
  if (!file) return forward(file);
  Result<BlockHeader> header = (*file)->header(row.id, codec_);
  const bool sound = header && header->kind == row.kind && header->host == files_[index].host &&
                     header->times.size() == row.samples && header->earliest() == row.earliest &&
                     header->latest() == row.latest;
  if (sound) return header;
  if (!header && header.error().code != ErrorCode::kDamaged) return header;
  return fail(ErrorCode::kDamaged, files_[index].path.string(),
              fmt::format("{} samples of {} from {} to {} are lost: {}", row.kind, files_[index].host,
                          to_iso8601(row.earliest), to_iso8601(row.latest),
                          header ? "header and index differ" : header.error().what));
}

}  // namespace laggard::archive
