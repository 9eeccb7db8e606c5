#include "collect/import/line_import.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <system_error>
#include <vector>

namespace laggard::collect {

namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 20;

std::uint64_t size_of(const std::filesystem::path& file) {
  std::error_code unknown;
  const auto size = file == "-" ? 0 : std::filesystem::file_size(file, unknown);
  return unknown ? 0 : size;
}

}  // namespace

void LineImport::count_value(std::string_view host, WallTime time) {
  if (!hosts_.contains(host)) hosts_.emplace(host);
  ++result_.values;
  result_.first = std::min(result_.first.value_or(time), time);
  result_.last = std::max(result_.last.value_or(time), time);
}

Status LineImport::read_member(const std::filesystem::path& file, Members& members, const ReadLines& read) {
  const std::uint64_t before = result_.values;
  LineReader lines(
      [&](std::span<char> buffer) {
        state_.done = done_ + members.consumed();
        state_.values = result_.values;
        observer_.progress(state_);
        return members.read(buffer);
      },
      kBuffer, overlong_);
  Status done = read(lines, {file, members.where()});
  if (done) done = lines.status();
  if (!done && !sink_failed_ && done.error().where.empty()) {
    done.error().where =
        fmt::format("{}:{}", members.where(), std::max<std::uint64_t>(lines.line_number(), 1));
  }
  if (result_.values > before) ++result_.sources;
  return done;
}

Status LineImport::read_file(const std::filesystem::path& file, const ReadLines& read) {
  return read_members(file, limits_, [&](Members& members) { return read_member(file, members, read); });
}

Status LineImport::run(std::span<const std::filesystem::path> files, const ReadLines& read) {
  for (const auto& file : files) state_.total += size_of(file);
  for (const auto& file : files) {
    state_.source = file.string();
    if (Status done = read_file(file, read); !done) {
      // A failed sink ends the import: it would only fail again.
      if (sink_failed_) return done;
      result_.errors.push_back(done.error());
    }
    done_ += size_of(file);
  }
  return flush();
}

ImportResult LineImport::finish() {
  result_.lines = state_.lines;
  result_.hosts = hosts_.size();
  return std::move(result_);
}

std::optional<WallTime> last_written(const std::filesystem::path& file) {
  struct stat found {};
  if (file == "-" || ::stat(file.c_str(), &found) != 0) return std::nullopt;
  return from_unix_ns(found.st_mtim.tv_sec * 1'000'000'000 + found.st_mtim.tv_nsec);
}

}  // namespace laggard::collect
