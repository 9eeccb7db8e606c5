#include "collect/import/event_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

namespace laggard::collect {

namespace {

/// Events that are gathered before they go to the sink, of all hosts together.
constexpr std::size_t kMostWaiting = std::size_t{1} << 16;

std::uint64_t size_of(const std::filesystem::path& file) {
  std::error_code unknown;
  const auto size = file == "-" ? 0 : std::filesystem::file_size(file, unknown);
  return unknown ? 0 : size;
}

}  // namespace

Status EventImport::flush() {
  events_waiting_ = 0;
  for (const auto& [host, table] : waiting_) {
    if (Status appended = sink_.append(table); !appended) {
      sink_failed_ = true;
      return appended;
    }
  }
  waiting_.clear();
  return {};
}

EventTable& EventImport::table_of(std::string_view host) {
  const auto known = waiting_.find(host);
  if (known != waiting_.end()) return known->second;
  return waiting_.emplace(std::string(host), EventTable(std::string(host), kind_)).first->second;
}

Status EventImport::put(std::string_view host, WallTime time, const Append& append) {
  if (!append(table_of(host))) {
    if (Status flushed = flush(); !flushed) return flushed;
    if (!append(table_of(host))) return fail(ErrorCode::kBadInput, "", "has a name that is too long");
  }
  if (!hosts_.contains(host)) hosts_.emplace(host);
  ++result_.values;
  result_.first = std::min(result_.first.value_or(time), time);
  result_.last = std::max(result_.last.value_or(time), time);
  return ++events_waiting_ < kMostWaiting ? Status{} : flush();
}

Status EventImport::read_member(const std::filesystem::path& file, Members& members, const ReadLines& read) {
  const std::uint64_t before = result_.values;
  LineReader lines([&](std::span<char> buffer) {
    state_.done = done_ + members.consumed();
    state_.values = result_.values;
    observer_.progress(state_);
    return members.read(buffer);
  });
  Status done = read(lines, {file, members.where()});
  if (done) done = lines.status();
  if (!done && !sink_failed_ && done.error().where.empty()) {
    done.error().where =
        fmt::format("{}:{}", members.where(), std::max<std::uint64_t>(lines.line_number(), 1));
  }
  if (result_.values > before) ++result_.sources;
  return done;
}

Status EventImport::read_file(const std::filesystem::path& file, const ReadLines& read) {
  // Refuses a damaged file before its first line is taken.
  Result<std::vector<std::string>> names = list_members(file, limits_);
  if (!names) return forward(names);
  Result<Members> members = Members::open(file, limits_);
  if (!members) return forward(members);
  for (bool any = false;; any = true) {
    Result<std::optional<Members::Member>> member = members->next();
    if (!member) return forward(member);
    if (!*member) return any ? Status{} : fail(ErrorCode::kBadInput, file.string(), "is empty");
    if (Status done = read_member(file, *members, read); !done) return done;
  }
}

Status EventImport::run(std::span<const std::filesystem::path> files, const ReadLines& read) {
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

ImportResult EventImport::finish() {
  result_.lines = state_.lines;
  result_.hosts = hosts_.size();
  return std::move(result_);
}

}  // namespace laggard::collect
