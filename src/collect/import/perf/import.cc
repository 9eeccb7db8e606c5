#include "collect/import/perf/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>

#include "base/text.h"
#include "collect/import/code_samples.h"
#include "collect/import/other_lines.h"
#include "collect/import/perf/perf_clock.h"
#include "collect/import/perf/perf_object.h"
#include "collect/import/perf/perf_samples.h"
#include "collect/import/profile_import.h"

namespace laggard::collect {

namespace {

constexpr Duration kPeriod = std::chrono::seconds(10);
constexpr std::size_t kLongestHost = 255;

/// Whether the event counts nanoseconds.
bool is_clock(std::string_view event) { return event == "cpu-clock" || event == "task-clock"; }

class PerfImport {
 public:
  PerfImport(const PerfImportOptions& options, ObservationSink& sink, ImportObserver& observer,
             const UnpackLimits& limits)
      : options_(options),
        import_(sink, observer, limits),
        code_(import_),
        clock_({.start = options.start, .zone = options.zone}) {}

  [[nodiscard]] Status run(std::span<const std::filesystem::path> files) {
    return import_.run(
        files, [&](LineReader& lines, const LineImport::Place& place) { return read_member(lines, place); });
  }
  [[nodiscard]] ImportResult finish();

 private:
  [[nodiscard]] Status read_member(LineReader& lines, const LineImport::Place& place);
  [[nodiscard]] Status take(const ScriptSample& sample, const PerfCapture& capture);
  /// Once the first sample of a text is there.
  [[nodiscard]] Status begin(const ScriptSample& first, const PerfCapture& capture);
  [[nodiscard]] bool wants(const std::string& event);
  [[nodiscard]] Status put(const ScriptSample& sample, WallTime time);

  const PerfImportOptions& options_;
  ProfileImport import_;
  CodeSamples code_;
  PerfClock clock_;
  OtherLines others_;
  std::string where_;                 ///< The text that is being read.
  std::string host_;                  ///< Whose it is; empty before its first sample.
  std::optional<std::string> event_;  ///< Whose samples are taken of it.
  std::set<std::string, std::less<>> other_events_;
  std::uint64_t of_other_events_ = 0;
  std::uint64_t untimely_ = 0;
};

Status PerfImport::begin(const ScriptSample& first, const PerfCapture& capture) {
  host_ = options_.host.empty() ? capture.host : options_.host;
  if (host_.empty() || host_.size() > kLongestHost) {
    return fail(ErrorCode::kBadInput, "", "names no host; say with --host whose samples they are");
  }
  if (Status set = clock_.set(host_, first.moment, capture); !set) return set;
  if (clock_.assumed() == PerfClock::Assumed::kZone) {
    import_.notice(fmt::format("{}: the header's time names no zone and is taken for UTC (--tz)", where_));
  } else if (clock_.assumed() == PerfClock::Assumed::kFirstSample) {
    import_.notice(fmt::format(
        "{}: the header does not say when the last sample was; the first one is taken to be of {}, when "
        "perf stopped to write (--start)",
        where_, to_iso8601(clock_.wall(first.moment))));
  }
  return {};
}

bool PerfImport::wants(const std::string& event) {
  if (!options_.events.empty()) {
    return std::ranges::any_of(options_.events,
                               [&](const std::string& wanted) { return event_name(wanted) == event; });
  }
  if (is_tracepoint(event)) return false;
  if (!event_) event_ = event;
  return *event_ == event;
}

Status PerfImport::put(const ScriptSample& sample, WallTime time) {
  std::vector<std::string> names;
  std::string binary;
  for (const ScriptSample::Frame& frame : sample.frames) {
    binary = binary_name(frame.object);
    const bool is_named = !frame.function.empty() || binary.empty() || binary.starts_with('[');
    names.push_back(!frame.function.empty() ? frame.function : is_named ? binary : "[" + binary + "]");
  }
  const auto seen = std::ranges::find(sample.frames, false, &ScriptSample::Frame::is_inlined);
  const bool is_known = seen != sample.frames.end();
  binary = is_known ? binary_name(seen->object) : "";
  const std::vector<std::string_view> stack(names.rbegin(), names.rend());
  const bool has_time = is_clock(sample.event) && sample.period && *sample.period > 0 &&
                        *sample.period <= static_cast<std::uint64_t>(kPeriod.count());
  return code_.put({.host = host_,
                    .time = time,
                    .start = floor_to(time, kPeriod),
                    .length = kPeriod,
                    .thread = sample.comm,
                    .binary = binary,
                    .function = is_known ? std::string_view(seen->function) : std::string_view(),
                    .stack = sample.has_chain ? std::span<const std::string_view>(stack)
                                              : std::span<const std::string_view>(),
                    .count = 1,
                    .each = has_time ? Duration(static_cast<std::int64_t>(*sample.period)) : options_.each});
}

Status PerfImport::take(const ScriptSample& sample, const PerfCapture& capture) {
  if (host_.empty()) {
    if (Status begun = begin(sample, capture); !begun) return begun;
  }
  if (!wants(sample.event)) {
    constexpr std::size_t kMostNames = 100;
    if (other_events_.size() < kMostNames) other_events_.insert(sample.event);
    ++of_other_events_;
    return {};
  }
  const WallTime time = clock_.wall(sample.moment);
  if (time < WallTime{} || time >= kLatestTime) {
    ++untimely_;
    return {};
  }
  return put(sample, time);
}

Status PerfImport::read_member(LineReader& lines, const LineImport::Place& place) {
  where_ = place.where;
  host_.clear();
  event_.reset();
  PerfSamples samples([&](const ScriptSample& sample) { return take(sample, samples.capture()); });
  std::string_view text;
  while (lines.next(text)) {
    import_.count_line();
    if (!samples.any()) {
      if (Status usable = check_perf_script(text); !usable) return usable;
    }
    if (Status added = samples.add(text); !added) return added;
    if (!samples.was_other()) continue;
    import_.pass_over();
    others_.count(place.where, lines.line_number());
  }
  if (Status finished = samples.finish(); !finished) return finished;
  if (samples.any() || !lines.status()) return {};
  return fail(
      ErrorCode::kBadInput, place.where,
      "has no sample with a time, as perf script writes them; write it again with its usual fields: perf "
      "script --header -i perf.data");
}

ImportResult PerfImport::finish() {
  others_.notice(import_, "is no line of perf script", "are none of perf script");
  code_.notice_idle();
  if (of_other_events_ > 0) {
    const std::vector<std::string> names(other_events_.begin(), other_events_.end());
    constexpr std::size_t kMostNames = 5;
    import_.notice(
        fmt::format("{} of other events {} left out: {} (--event)",
                    of_other_events_ == 1 ? "1 sample" : with_separators(of_other_events_) + " samples",
                    of_other_events_ == 1 ? "was" : "were", first_few(names, kMostNames)));
  }
  if (untimely_ > 0) {
    import_.notice(fmt::format("{} {} left out: before 1970 or after 2099", with_separators(untimely_),
                               untimely_ == 1 ? "sample was" : "samples were"));
  }
  ImportResult result = import_.finish();
  if (!result.passed_over) result.passed_over = 0;
  return result;
}

}  // namespace

Result<ImportResult> import_perf(std::span<const std::filesystem::path> files,
                                 const PerfImportOptions& options, ObservationSink& sink,
                                 ImportObserver& observer, const UnpackLimits& limits) {
  PerfImport import(options, sink, observer, limits);
  if (Status done = import.run(files); !done) return forward(done);
  return import.finish();
}

}  // namespace laggard::collect
