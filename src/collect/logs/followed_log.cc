#include "collect/logs/followed_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace laggard::collect {

void FollowedLog::say_once(const std::string& sentence) {
  constexpr std::size_t kMost = 100;
  if (said_.size() < kMost && said_.insert(sentence).second) options_.say(sentence);
}

FollowedLog::Part* FollowedLog::current() {
  return parts_.empty() || parts_.back().is_old ? nullptr : &parts_.back();
}

void FollowedLog::look(MonoTime now) {
  if (!std::exchange(begun_, true)) return begin(now);
  look_at_files(now);
  look_at_path(now);
}

void FollowedLog::begin(MonoTime now) {
  const bool known = !options_.positions.empty();
  std::optional<LogFile> present = find_positions(now);
  std::optional<std::int64_t> rotated;
  for (const Part& part : parts_) {
    if (part.is_old) rotated = std::max(rotated.value_or(0), part.file.state().modified_ns);
  }
  if (rotated) add_rotated_since(*rotated, now);
  if (present) {
    parts_.push_back({.file = std::move(*present), .grown = now});
  } else {
    open_path(now, known || options_.from_start);
  }
  if (parts_.empty() && !FileState::at(options_.path))
    say_once(options_.path + ": is not there; it is followed once it is");
}

/// Goes on in the files that earlier recorders read, under whatever name they have now. \return the one that
/// has the path, if it is one of them.
std::optional<LogFile> FollowedLog::find_positions(MonoTime now) {
  std::optional<LogFile> present;
  if (auto file = LogFile::open(options_.path, options_.path)) present = std::move(*file);
  bool goes_on = false;
  for (const FilePosition& position : std::exchange(options_.positions, {})) {
    if (present && !goes_on && present->resume(position)) {
      goes_on = true;
    } else if (!resume_old(position, now)) {
      say_once(
          fmt::format("{}: the file that was read up to byte {} is gone, or was truncated; what was "
                      "written to it since then is not recorded",
                      options_.path, position.offset));
    }
  }
  if (!goes_on) present.reset();
  return present;
}

namespace {

/// Whether a name is that of a log and what rotation puts behind it: `.1`, `-20261120`, `-2026-11-20.2`.
bool is_rotated_name(std::string_view name, std::string_view log) {
  if (!name.starts_with(log)) return false;
  name.remove_prefix(log.size());
  return name.size() > 1 && (name[0] == '.' || name[0] == '-') &&
         name.find_first_not_of("0123456789.-_T") == std::string_view::npos &&
         name.find_first_of("0123456789") != std::string_view::npos;
}

/// The files beside a path, in the order of their names.
std::vector<std::filesystem::path> files_beside(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    found.push_back(at->path());
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace

/// Looks for a file that was renamed, which rotation does within its folder.
bool FollowedLog::resume_old(const FilePosition& position, MonoTime now) {
  for (const std::filesystem::path& path : files_beside(options_.path)) {
    const std::optional<FileState> state = FileState::at(path);
    if (!state || state->inode != position.inode) continue;
    auto file = LogFile::open(path, options_.path);
    if (!file || !file->resume(position)) continue;
    parts_.push_back({.file = std::move(*file), .grown = now, .is_old = true});
    return true;
  }
  auto copy = find_copy(position);
  if (copy) parts_.push_back({.file = std::move(*copy), .grown = now, .is_old = true});
  return copy.has_value();
}

/// Looks for the copy that rotation makes before it truncates a log: `messages.1`. Several that it could be
/// are none.
std::optional<LogFile> FollowedLog::find_copy(const FilePosition& position) {
  const std::filesystem::path log = options_.path;
  std::optional<LogFile> copy;
  for (const std::filesystem::path& path : files_beside(log)) {
    if (!is_rotated_name(path.filename().string(), log.filename().string())) continue;
    auto file = LogFile::open(path, options_.path);
    if (!file || !file->resume_in_copy(position)) continue;
    if (copy) return std::nullopt;
    copy = std::move(*file);
  }
  return copy;
}

/// Those that were written to later than the one that is known to be rotated: nobody has read them.
void FollowedLog::add_rotated_since(std::int64_t modified_ns, MonoTime now) {
  struct Rotated {
    FileState state;
    std::filesystem::path path;
  };
  const std::filesystem::path log = options_.path;
  std::vector<Rotated> found;
  for (const std::filesystem::path& path : files_beside(log)) {
    if (!is_rotated_name(path.filename().string(), log.filename().string())) continue;
    const std::optional<FileState> state = FileState::at(path);
    if (!state || state->modified_ns <= modified_ns) continue;
    const auto is_it = [&](const Part& part) { return part.file.state().is_same_file(*state); };
    if (std::ranges::none_of(parts_, is_it)) found.push_back({*state, path});
  }
  std::ranges::stable_sort(found, {}, [](const Rotated& one) { return one.state.modified_ns; });
  for (const Rotated& one : found) {
    auto file = LogFile::open(one.path, options_.path);
    if (file) parts_.push_back({.file = std::move(*file), .grown = now, .is_old = true});
    if (!file) say_once(file.error().message());
  }
}

void FollowedLog::open_path(MonoTime now, bool from_start) {
  auto file = LogFile::open(options_.path, options_.path);
  if (!file) {
    if (file.error().code != ErrorCode::kNotFound) say_once(file.error().message());
    return;
  }
  if (!from_start) file->skip_to_end();
  parts_.push_back({.file = std::move(*file), .grown = now});
}

void FollowedLog::look_at_files(MonoTime now) {
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    Part& part = parts_[p];
    const std::uint64_t bytes = part.file.state().bytes;
    const FilePosition before = part.file.position();
    const Result<bool> truncated = part.file.look();
    if (!truncated) {
      say_once(truncated.error().message());
      continue;
    }
    if (part.file.state().bytes != bytes) part.grown = now;
    newest_ns_ = std::max(newest_ns_.value_or(0), part.file.state().modified_ns);
    if (part.is_old && now - part.grown >= kLinger) part.is_over = true;
    if (*truncated && add_copy(before, p, now)) ++p;
  }
}

/// Has what a log had before it was truncated read from its copy, before what it has now.
bool FollowedLog::add_copy(const FilePosition& before, std::size_t at, MonoTime now) {
  auto copy = find_copy(before);
  options_.say(options_.path + ": was truncated; it is read from its new beginning" +
               (copy ? "" : ", and what it had that was not read yet is lost"));
  if (!copy) return false;
  parts_.insert(parts_.begin() + static_cast<std::ptrdiff_t>(at),
                {.file = std::move(*copy), .grown = now, .is_old = true});
  return true;
}

void FollowedLog::look_at_path(MonoTime now) {
  const std::optional<FileState> there = FileState::at(options_.path);
  if (Part* const part = current(); part != nullptr) {
    // Renamed, with no new one yet, it may still be written to for a long time.
    const bool is_gone = there ? !there->is_same_file(part->file.state()) : !part->file.state().has_name;
    if (!is_gone) return;
    part->is_old = true;
    part->grown = now;
  }
  if (!there) return;
  if (newest_ns_) add_rotated_since(*newest_ns_, now);
  open_path(now, true);
  end_oldest();
}

void FollowedLog::end_oldest() {
  for (std::size_t p = 0; p + kMostOld < parts_.size(); ++p) parts_[p].is_over = true;
}

bool FollowedLog::peek(std::string_view& line) {
  for (peeked_ = 0; peeked_ < parts_.size();) {
    Part& part = parts_[peeked_];
    const Result<bool> has_line = part.file.peek(line, part.is_over);
    if (!has_line) say_once(has_line.error().message());
    if (has_line && *has_line) return true;
    if (part.is_over) {
      left_ = part.file.position();
      parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(peeked_));
    } else {
      ++peeked_;
    }
  }
  return false;
}

void FollowedLog::take() { parts_[peeked_].file.take(); }

void FollowedLog::add_positions(std::vector<FilePosition>& positions) const {
  for (const Part& part : parts_) positions.push_back(part.file.position());
  // With nothing to go on in, what was rotated since is still found by it.
  if (parts_.empty() && left_) positions.push_back(*left_);
}

}  // namespace laggard::collect
