#include "collect/import/sysstat/sadf.h"

#include <sys/stat.h>

#include <utility>

#include "base/text.h"
#include "collect/import/line_reader.h"

namespace laggard::collect {

namespace {

/// Limits that grow with a file begin here.
constexpr std::uint64_t kRoomForSmall = std::uint64_t{64} << 20U;

/// The first line that a program complained with, in what a terminal can show.
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
  // Everything that changes what sadf prints: language, zone, form of dates, colours.
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
    // `Invalid system activity file: /tmp/…` names the file once more, or a scratch one.
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
