#include "collect/import/sysstat/sadf.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "collect/import/line_reader.h"

namespace laggard::collect {

namespace {

constexpr std::size_t kLongestHostName = 64;
constexpr std::size_t kLongestVersion = 32;

/// `Linux 6.1.0 (fs1) <tab>11/20/26 …` -> fs1. Bytes that cannot be in a host name become `?`.
std::string node_name(std::string_view line) {
  const std::size_t end = line.rfind(')', line.find('\t'));
  const std::size_t begin = end == std::string_view::npos ? end : line.rfind('(', end);
  if (begin == std::string_view::npos) return {};
  std::string name(line.substr(begin + 1, std::min(end - begin - 1, kLongestHostName)));
  for (char& c : name) {
    if (c <= ' ' || c > '~' || c == '/') c = '?';
  }
  return name;
}

/// `11: [8c] A_DISK <blanks> Y: 10 <tab>(3,3,8) <tab>[Unknown format]`
void read_activity(std::string_view line, SadfHeader& header) {
  const std::size_t name = line.find("] A_");
  if (name == std::string_view::npos || line.find(": [") > 4) return;
  const bool unknown = line.find("[Unknown format]") != std::string_view::npos;
  line.remove_prefix(name + 2);
  (unknown ? header.unknown : header.activities).emplace_back(take_word(line));
}

}  // namespace

bool SadfHeader::has(std::string_view activity) const {
  return std::find(activities.begin(), activities.end(), activity) != activities.end();
}

SadfHeader parse_sadf_header(std::string_view text) {
  constexpr std::string_view kVersion = "File created by sar/sadc from sysstat version ";
  constexpr std::string_view kHost = "Host: ";
  SadfHeader header;
  for (std::string_view line : split(text, '\n')) {
    if (line.starts_with(kVersion)) {
      line.remove_prefix(kVersion.size());
      header.version = take_word(line).substr(0, kLongestVersion);
    } else if (line.starts_with(kHost)) {
      header.readable = true;
      header.host = node_name(line.substr(kHost.size()));
    } else {
      read_activity(line, header);
    }
  }
  return header;
}

namespace {

/// The part of the limits that does not depend on a file's size.
constexpr std::uint64_t kRoomForSmall = std::uint64_t{64} << 20U;

/// The first line of a program's standard error, with unprintable characters replaced.
std::string first_line(std::string_view text) {
  constexpr std::size_t kMost = 200;
  std::string out;
  for (const char c : trim(text).substr(0, kMost)) {
    if (c == '\n') break;
    out.push_back(c >= ' ' && c <= '~' ? c : '?');
  }
  return out;
}

}  // namespace

ChildSpec Sadf::spec(std::vector<std::string> arguments) const {
  ChildSpec spec;
  spec.argv.reserve(arguments.size() + 1);
  spec.argv.push_back(options_.sadf);
  for (std::string& argument : arguments) spec.argv.push_back(std::move(argument));
  // Everything that affects what sadf prints: language, time zone, date format, colours.
  spec.environment = {"LC_ALL=C", "TZ=UTC", "S_TIME_FORMAT=ISO", "S_COLORS=never"};
  spec.patience = options_.patience;
  spec.input = unnamed_;
  return spec;
}

std::uint64_t Sadf::size() const {
  struct stat info = {};
  const bool known = unnamed_ >= 0 ? ::fstat(unnamed_, &info) == 0 : ::stat(file_.c_str(), &info) == 0;
  return known && info.st_size > 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
}

tl::unexpected<Error> Sadf::refused(const ChildEnd& end, const std::string& doing) const {
  std::string said = first_line(end.complaints);
  if (const std::size_t at = said.find(file_.string()); at != std::string::npos) {
    // `Invalid system activity file: /tmp/…` repeats the name of the file, or names a temporary one.
    const std::size_t from = said.substr(0, at).ends_with(": ") ? at - 2 : at;
    said.erase(from, file_.string().size() + (at - from));
  }
  if (end.signal != 0 || !end.stopped.empty() || said.empty()) said = end.how();
  return fail(ErrorCode::kBadInput, shown_, fmt::format("sadf {}: {}", doing, said));
}

Result<SadfHeader> Sadf::header() {
  Result<Child> child = Child::start(spec({"-H", file_.string()}));
  if (!child) {
    if (child.error().code == ErrorCode::kNotFound) {
      return fail(ErrorCode::kUnavailable, "",
                  fmt::format("`{}` is not installed; sysstat files are read through it (package sysstat)",
                              options_.sadf));
    }
    return forward(child);
  }
  std::string text;
  std::vector<char> buffer(64U << 10U);
  while (true) {
    Result<std::size_t> got = child->read(buffer);
    if (!got) return forward(got);
    if (*got == 0) break;
    text.append(buffer.data(), *got);
  }
  Result<ChildEnd> end = child->finish();
  if (!end) return forward(end);
  if (!end->clean()) return refused(*end, "cannot read it");
  SadfHeader header = parse_sadf_header(text);
  if (header.version.empty()) return refused(*end, "says nothing about it");
  return header;
}

Status Sadf::convert(int into, const std::string& version) {
  ChildSpec child_spec = spec({"-c", file_.string()});
  child_spec.into = into;
  // Formats grew by less than half over the years; the rest is room for small files.
  child_spec.most_bytes = size() * 8 + kRoomForSmall;
  Result<Child> child = Child::start(child_spec);
  if (!child) return forward(child);
  Result<ChildEnd> end = child->finish();
  if (!end) return forward(end);
  if (end->clean()) return {};
  return refused(*end, fmt::format("cannot convert it from the format of sysstat {}", version));
}

Status Sadf::read(const std::vector<std::string>& activity, SampleCollector& collector, SadfRawReader& reader,
                  const std::function<void()>& pulse) {
  constexpr std::uint64_t kLinesPerPulse = 1U << 14U;
  std::vector<std::string> arguments{"-r", "-U", "-O", "debug", file_.string(), "--"};
  arguments.insert(arguments.end(), activity.begin(), activity.end());
  ChildSpec child_spec = spec(std::move(arguments));
  // A device's 80 bytes of a record become a line of 300.
  child_spec.most_output = size() * 100 + kRoomForSmall;
  Result<Child> child = Child::start(child_spec);
  if (!child) return forward(child);
  LineReader lines([&](std::span<char> buffer) { return child->read(buffer); });
  std::string_view line;
  while (lines.next(line)) {
    if (Status status = reader.read(line); !status) {
      status.error().where = shown_;
      return status;
    }
    if (lines.line_number() % kLinesPerPulse == 0) pulse();
    if (!collector.full()) continue;
    if (Status status = collector.flush_older(); !status) return status;
  }
  if (!lines.status())
    return fail(ErrorCode::kBadInput, shown_,
                "sadf prints what it never does: " + lines.status().error().what);
  Result<ChildEnd> end = child->finish();
  if (!end) return forward(end);
  if (!end->clean()) {
    return refused(*end, reader.samples() == 0 ? "cannot read it" : "could read only the beginning of it");
  }
  Status status = reader.finish();
  if (!status) status.error().where = shown_;
  return status;
}

}  // namespace laggard::collect
