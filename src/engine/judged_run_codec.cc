#include "engine/judged_run_codec.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <span>
#include <utility>

#include "base/bytes.h"
#include "base/number_runs.h"

namespace laggard::engine {

namespace {

/// Flags of a window.
constexpr std::uint8_t kIdle = 1;
constexpr std::uint8_t kHasActiveLatency = 2;
constexpr std::uint8_t kHasAbsent = 4;
constexpr std::uint8_t kHasSlowMinutes = 8;
constexpr std::uint8_t kAllFlags = 15;

/// More than any version judges in one window: metrics times distances.
constexpr std::size_t kMostTracks = 1000;
constexpr std::size_t kLongestName = 64;
/// Far beyond what is recorded in one go; keeps sums of cells within their type.
constexpr std::int64_t kLongestRun = std::int64_t{1} << 20;
constexpr std::int64_t kLargestCell = std::int64_t{1} << 61;

void put_numbers(ByteWriter& out, std::span<const double> numbers) { put_number_runs(out, numbers); }

std::vector<double> take_numbers(ByteReader& in, std::size_t count) {
  return take_number_runs<double>(in, count);
}

/// Nothing, or a number per member.
void put_optional(ByteWriter& out, std::span<const double> numbers) {
  out.u8(numbers.empty() ? 0 : 1);
  put_numbers(out, numbers);
}

std::vector<double> take_optional(ByteReader& in, std::size_t count) {
  const std::uint8_t there = in.u8();
  if (there > 1) in.fail();
  return there == 1 ? take_numbers(in, count) : std::vector<double>{};
}

/// Ones among zeros, by the distance from the one before.
void put_ones(ByteWriter& out, std::span<const std::uint8_t> flags) {
  out.varint(static_cast<std::uint64_t>(std::ranges::count_if(flags, [](auto flag) { return flag != 0; })));
  std::size_t next = 0;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (flags[i] == 0) continue;
    out.varint(i - next);
    next = i + 1;
  }
}

std::vector<std::uint8_t> take_ones(ByteReader& in, std::size_t count) {
  std::vector<std::uint8_t> flags(count, 0);
  std::size_t next = 0;
  for (std::size_t left = in.count(count); left > 0 && in.ok(); --left) {
    const std::uint64_t skipped = in.varint();
    if (skipped >= count - next) {
      in.fail();
      break;
    }
    flags[next + skipped] = 1;
    next += skipped + 1;
    if (next == count && left > 1) in.fail();
  }
  return flags;
}

void put_number(ByteWriter& out, double x) { out.u64(std::bit_cast<std::uint64_t>(x)); }
double take_number(ByteReader& in) { return std::bit_cast<double>(in.u64()); }

void put_track(ByteWriter& out, const detect::TrackJudgement& track) {
  const std::span<const MetricSpec> metrics = metric_catalogue();
  out.varint(static_cast<std::uint64_t>(track.metric - metrics.data()));
  out.text(track.detector);
  out.u8(static_cast<std::uint8_t>(track.regime));
  put_number(out, track.floor);
  put_number(out, track.scale.zero);
  put_number(out, track.scale.unit);
  put_numbers(out, track.distance);
  put_optional(out, track.below);
}

detect::TrackJudgement take_track(ByteReader& in, std::size_t members) {
  const std::span<const MetricSpec> metrics = metric_catalogue();
  detect::TrackJudgement track;
  track.metric = &metrics[in.count(metrics.size() - 1)];
  track.detector = in.text(kLongestName);
  const std::uint8_t regime = in.u8();
  if (regime > static_cast<std::uint8_t>(detect::Regime::kWrites)) in.fail();
  track.regime = static_cast<detect::Regime>(in.ok() ? regime : 0);
  track.floor = take_number(in);
  track.scale.zero = take_number(in);
  track.scale.unit = take_number(in);
  track.distance = take_numbers(in, members);
  track.below = take_optional(in, members);
  return track;
}

void put_window(ByteWriter& out, const detect::WindowJudgement& window) {
  out.zigzag(to_unix_ns(window.start));
  out.zigzag((window.end - window.start).count());
  out.zigzag(window.index);
  std::uint8_t flags = window.idle ? kIdle : 0;
  if (!window.active_latency.empty()) flags |= kHasActiveLatency;
  if (!window.slow_minutes.empty()) flags |= kHasSlowMinutes;
  if (!window.absent.empty()) flags |= kHasAbsent;
  out.u8(flags);
  out.varint(window.latency_column);
  put_number(out, window.latency_floor);
  put_numbers(out, window.active_latency);
  put_numbers(out, window.slow_minutes);
  if (!window.absent.empty()) put_ones(out, window.absent);
  for (const std::vector<double>& levels : window.levels) put_numbers(out, levels);
  out.varint(window.tracks.size());
  for (const detect::TrackJudgement& track : window.tracks) put_track(out, track);
}

void put_slow(ByteWriter& out, const detect::SlowMember& slow, std::int64_t begin) {
  out.varint(slow.group);
  out.varint(slow.member);
  out.varint(static_cast<std::uint64_t>(slow.cell - begin));
  out.varint(static_cast<std::uint64_t>(slow.metric - metric_catalogue().data()));
  for (const double x :
       {slow.latency, slow.peers, slow.ratio, slow.moved, slow.moved_by_peers, slow.moved_scatter}) {
    put_number(out, x);
  }
}

detect::SlowMember take_slow(ByteReader& in, const RunShape& shape, const CellRuns::Run& run) {
  const std::span<const MetricSpec> metrics = metric_catalogue();
  detect::SlowMember slow;
  slow.group = in.count(shape.groups.empty() ? 0 : shape.groups.size() - 1);
  slow.member = static_cast<std::size_t>(in.varint());
  if (!in.ok() || slow.group >= shape.groups.size() || slow.member >= shape.groups[slow.group].members) {
    in.fail();
  }
  slow.cell =
      run.begin + static_cast<std::int64_t>(in.count(static_cast<std::size_t>(run.end - run.begin - 1)));
  slow.metric = &metrics[in.count(metrics.size() - 1)];
  for (double* x :
       {&slow.latency, &slow.peers, &slow.ratio, &slow.moved, &slow.moved_by_peers, &slow.moved_scatter}) {
    *x = take_number(in);
  }
  return slow;
}

detect::WindowJudgement take_window(ByteReader& in, const GroupShape& shape) {
  detect::WindowJudgement window;
  const std::int64_t start = in.zigzag();
  const std::int64_t length = in.zigzag();
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 2;
  if (start > kMost || start < -kMost || length > kMost || length < 0) in.fail();
  window.start = from_unix_ns(in.ok() ? start : 0);
  window.end = from_unix_ns(in.ok() ? start + length : 0);
  window.index = in.zigzag();
  const std::uint8_t flags = in.u8();
  if (flags > kAllFlags) in.fail();
  window.idle = (flags & kIdle) != 0;
  window.latency_column = in.count(shape.columns == 0 ? 0 : shape.columns - 1);
  window.latency_floor = take_number(in);
  if ((flags & kHasActiveLatency) != 0) window.active_latency = take_numbers(in, shape.members);
  if ((flags & kHasSlowMinutes) != 0) window.slow_minutes = take_numbers(in, shape.members);
  if ((flags & kHasAbsent) != 0) window.absent = take_ones(in, shape.members);
  for (std::size_t c = 0; c < shape.columns && in.ok(); ++c) {
    window.levels.push_back(take_numbers(in, shape.members));
  }
  const std::size_t tracks = in.count(kMostTracks);
  for (std::size_t t = 0; t < tracks && in.ok(); ++t) window.tracks.push_back(take_track(in, shape.members));
  return window;
}

void put_windows(ByteWriter& out, std::span<const detect::JudgedWindow> windows, std::int64_t begin) {
  out.varint(windows.size());
  for (const detect::JudgedWindow& one : windows) {
    out.varint(one.group);
    out.varint(static_cast<std::uint64_t>(one.cell - begin));
    put_window(out, one.window);
  }
}

/// \param most  windows: each takes more than a byte, so that a wrong count ends early.
std::vector<detect::JudgedWindow> take_windows(ByteReader& in, const RunShape& shape,
                                               const CellRuns::Run& run, std::size_t most) {
  std::vector<detect::JudgedWindow> windows;
  const std::size_t count = in.ok() ? in.count(most) : 0;
  for (std::size_t w = 0; w < count && in.ok(); ++w) {
    detect::JudgedWindow one;
    const std::uint64_t group = in.varint();
    const std::uint64_t cell = in.varint();
    if (!in.ok() || group >= shape.groups.size() || cell >= static_cast<std::uint64_t>(run.end - run.begin)) {
      in.fail();
      break;
    }
    one.group = static_cast<std::size_t>(group);
    one.cell = run.begin + static_cast<std::int64_t>(cell);
    one.window = take_window(in, shape.groups[one.group]);
    windows.push_back(std::move(one));
  }
  return windows;
}

}  // namespace

std::string encode_run(const detect::JudgedRun& run) {
  ByteWriter out;
  out.zigzag(run.run.begin);
  out.varint(static_cast<std::uint64_t>(run.run.end - run.run.begin));
  put_windows(out, run.windows, run.run.begin);
  put_windows(out, run.beside, run.run.begin);
  put_numbers(out, run.loads);
  for (const auto* members : {&run.slow, &run.bursts}) {
    out.varint(members->size());
    for (const detect::SlowMember& one : *members) put_slow(out, one, run.run.begin);
  }
  return out.take();
}

Result<detect::JudgedRun> decode_run(std::string_view bytes, const RunShape& shape) {
  ByteReader in(bytes);
  detect::JudgedRun run;
  run.run.begin = in.zigzag();
  const std::uint64_t length = in.varint();
  if (length == 0 || length > kLongestRun || run.run.begin > kLargestCell || run.run.begin < -kLargestCell) {
    in.fail();
  }
  if (in.ok()) run.run.end = run.run.begin + static_cast<std::int64_t>(length);
  run.windows = take_windows(in, shape, run.run, bytes.size());
  run.beside = take_windows(in, shape, run.run, bytes.size());
  if (in.ok()) run.loads = take_numbers(in, static_cast<std::size_t>(length) * shape.loads);
  for (auto* members : {&run.slow, &run.bursts}) {
    const std::size_t count = in.ok() ? in.count(bytes.size()) : 0;
    for (std::size_t s = 0; s < count && in.ok(); ++s) members->push_back(take_slow(in, shape, run.run));
  }
  if (!in.ok() || !in.rest().empty()) {
    return fail(ErrorCode::kDamaged, "", "a record of judged windows makes no sense");
  }
  return run;
}

}  // namespace laggard::engine
