// Judged windows as bytes: every bit comes back, and bytes that are not as they were written are refused.
#include "engine/frame_log.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "engine/judged_run_codec.h"

namespace laggard::engine {
namespace {

/// Mostly what most members of a large system give: nothing, or the same; and whatever bits there are.
std::vector<double> any_numbers(std::size_t count, std::mt19937_64& random) {
  std::vector<double> numbers;
  while (numbers.size() < count) {
    const std::size_t length = std::min<std::size_t>(1 + random() % 9, count - numbers.size());
    const std::uint64_t kind = random() % 4;
    for (std::size_t i = 0; i < length; ++i) {
      const auto wild = std::bit_cast<double>(random());
      const double x = kind == 0   ? 0.0
                       : kind == 1 ? std::numeric_limits<double>::quiet_NaN()
                       : kind == 2 ? -0.0
                                   : wild;
      numbers.push_back(x);
    }
  }
  return numbers;
}

detect::TrackJudgement any_track(std::size_t members, std::mt19937_64& random) {
  detect::TrackJudgement track;
  track.metric = &metric_catalogue()[random() % metric_catalogue().size()];
  track.detector = random() % 2 == 0 ? "cdf" : "cwnd";
  track.regime = static_cast<detect::Regime>(random() % 3);
  track.floor = std::bit_cast<double>(random());
  track.scale = {std::bit_cast<double>(random()), std::bit_cast<double>(random())};
  track.distance = any_numbers(members, random);
  if (random() % 2 == 0) track.below = any_numbers(members, random);
  return track;
}

detect::WindowJudgement any_window(const GroupShape& shape, std::mt19937_64& random) {
  detect::WindowJudgement window;
  window.start = from_unix_ns(static_cast<std::int64_t>(random() >> 3) - (std::int64_t{1} << 60));
  window.end = window.start + Duration{static_cast<std::int64_t>(random() >> 20)};
  window.index = static_cast<std::int64_t>(random());
  for (std::size_t t = random() % 4; t > 0; --t) window.tracks.push_back(any_track(shape.members, random));
  for (std::size_t c = 0; c < shape.columns; ++c) window.levels.push_back(any_numbers(shape.members, random));
  if (random() % 2 == 0) window.active_latency = any_numbers(shape.members, random);
  if (random() % 2 == 0) window.slow_minutes = any_numbers(shape.members, random);
  window.latency_column = random() % shape.columns;
  window.latency_floor = std::bit_cast<double>(random());
  window.idle = random() % 2 == 0;
  for (std::size_t i = 0; i < shape.members; ++i) window.absent.push_back(random() % 5 == 0 ? 1 : 0);
  return window;
}

detect::JudgedRun any_run(const RunShape& shape, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  detect::JudgedRun run;
  run.run.begin = static_cast<std::int64_t>(random() >> 5) - (std::int64_t{1} << 57);
  run.run.end = run.run.begin + 1 + static_cast<std::int64_t>(random() % 100);
  const auto cells = static_cast<std::uint64_t>(run.run.end - run.run.begin);
  for (std::vector<detect::JudgedWindow>* windows : {&run.windows, &run.beside}) {
    for (std::size_t w = random() % 5; w > 0; --w) {
      detect::JudgedWindow& one = windows->emplace_back();
      one.group = random() % shape.groups.size();
      one.cell = run.run.begin + static_cast<std::int64_t>(random() % cells);
      one.window = any_window(shape.groups[one.group], random);
    }
  }
  run.loads = any_numbers(cells * shape.loads, random);
  for (std::size_t s = random() % 5; s > 0; --s) {
    detect::SlowMember& slow = run.slow.emplace_back();
    slow.group = random() % shape.groups.size();
    slow.member = random() % shape.groups[slow.group].members;
    slow.cell = run.run.begin + static_cast<std::int64_t>(random() % cells);
    slow.metric = &metric_catalogue()[random() % metric_catalogue().size()];
    slow.latency = std::bit_cast<double>(random());
    slow.moved = std::bit_cast<double>(random());
  }
  return run;
}

void expect_same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  RC_ASSERT(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    RC_ASSERT(std::bit_cast<std::uint64_t>(a[i]) == std::bit_cast<std::uint64_t>(b[i]));
  }
}

void expect_same(const detect::TrackJudgement& a, const detect::TrackJudgement& b) {
  RC_ASSERT(a.metric == b.metric);
  RC_ASSERT(a.detector == b.detector);
  RC_ASSERT(a.regime == b.regime);
  expect_same_bits({a.floor, a.scale.zero, a.scale.unit}, {b.floor, b.scale.zero, b.scale.unit});
  expect_same_bits(a.distance, b.distance);
  expect_same_bits(a.below, b.below);
}

void expect_same(const detect::WindowJudgement& a, const detect::WindowJudgement& b) {
  RC_ASSERT(a.start == b.start);
  RC_ASSERT(a.end == b.end);
  RC_ASSERT(a.index == b.index);
  RC_ASSERT(a.tracks.size() == b.tracks.size());
  for (std::size_t t = 0; t < a.tracks.size(); ++t) expect_same(a.tracks[t], b.tracks[t]);
  RC_ASSERT(a.levels.size() == b.levels.size());
  for (std::size_t c = 0; c < a.levels.size(); ++c) expect_same_bits(a.levels[c], b.levels[c]);
  expect_same_bits(a.active_latency, b.active_latency);
  expect_same_bits(a.slow_minutes, b.slow_minutes);
  RC_ASSERT(a.latency_column == b.latency_column);
  expect_same_bits({a.latency_floor}, {b.latency_floor});
  RC_ASSERT(a.idle == b.idle);
  RC_ASSERT(a.absent == b.absent);
}

void expect_same(const std::vector<detect::JudgedWindow>& a, const std::vector<detect::JudgedWindow>& b) {
  RC_ASSERT(a.size() == b.size());
  for (std::size_t w = 0; w < b.size(); ++w) {
    RC_ASSERT(a[w].group == b[w].group);
    RC_ASSERT(a[w].cell == b[w].cell);
    expect_same(a[w].window, b[w].window);
  }
}

const RunShape kShape{{{3, 1}, {40, 4}, {17, 2}}, 5};

RC_GTEST_PROP(TapeCodec, EveryBitComesBack, (std::uint64_t seed)) {
  const detect::JudgedRun run = any_run(kShape, seed);
  const std::string bytes = encode_run(run);
  const Result<detect::JudgedRun> back = decode_run(bytes, kShape);
  RC_ASSERT(back.has_value());
  RC_ASSERT(back->run == run.run);
  expect_same(back->windows, run.windows);
  expect_same(back->beside, run.beside);
  expect_same_bits(back->loads, run.loads);
  RC_ASSERT(back->slow.size() == run.slow.size());
  for (std::size_t s = 0; s < run.slow.size(); ++s) {
    const detect::SlowMember& a = back->slow[s];
    const detect::SlowMember& b = run.slow[s];
    RC_ASSERT(std::tie(a.group, a.member, a.cell, a.metric) == std::tie(b.group, b.member, b.cell, b.metric));
    expect_same_bits({a.latency, a.peers, a.ratio, a.moved, a.moved_by_peers, a.moved_scatter},
                     {b.latency, b.peers, b.ratio, b.moved, b.moved_by_peers, b.moved_scatter});
  }
  RC_ASSERT(encode_run(*back) == bytes);
}

RC_GTEST_PROP(TapeCodec, BytesOfAnotherShapeAreRefused, (std::uint64_t seed)) {
  const detect::JudgedRun run = any_run(kShape, seed);
  RC_PRE(!run.windows.empty());
  const std::string bytes = encode_run(run);
  RC_ASSERT(!decode_run(bytes, {}).has_value());
  RC_ASSERT(!decode_run(bytes, {{{4, 1}, {41, 4}, {18, 2}}, 5}).has_value());
  RC_ASSERT(!decode_run(bytes + "x", kShape).has_value());
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    RC_ASSERT(!decode_run(std::string_view(bytes).substr(0, cut), kShape).has_value());
  }
}

TEST(TapeCodec, WhoDoesNothingCostsNothing) {
  detect::JudgedRun run;
  run.run = {10, 20};
  detect::JudgedWindow& one = run.windows.emplace_back();
  one.window.levels.assign(4, std::vector<double>(9000, 0.0));
  one.window.absent.assign(9000, 0);
  EXPECT_LT(encode_run(run).size(), 60U);
}

std::string a_log() {
  FrameLogWriter writer;
  std::string log(FrameLogWriter::magic());
  log += writer.frame(FrameKind::kHead, "about this");
  log += writer.frame(FrameKind::kRun, encode_run(any_run(kShape, 7)));
  log += writer.frame(FrameKind::kNotice, "");
  log += writer.frame(FrameKind::kEnd, {});
  return log;
}

std::vector<std::string> payloads(FrameLogReader& reader) {
  std::vector<std::string> out;
  while (const auto frame = reader.next()) {
    out.push_back(static_cast<char>(frame->kind) + std::string(frame->payload));
  }
  return out;
}

TEST(Tape, GivesWhatWasWritten) {
  const std::string log = a_log();
  FrameLogReader reader(log);
  const auto frames = payloads(reader);
  EXPECT_EQ(reader.state(), FrameLogState::kSound);
  EXPECT_EQ(reader.sound(), log.size());
  ASSERT_EQ(frames.size(), 4U);
  EXPECT_EQ(frames[0], "Habout this");
  EXPECT_EQ(frames[1], "R" + encode_run(any_run(kShape, 7)));
  EXPECT_EQ(frames[2], "N");
  EXPECT_EQ(frames[3], "E");
}

TEST(Tape, CutAnywhereGivesABeginningAndCanGoOn) {
  const std::string log = a_log();
  FrameLogReader whole(log);
  const auto all = payloads(whole);
  for (std::size_t cut = FrameLogWriter::magic().size(); cut < log.size(); ++cut) {
    const std::string part = log.substr(0, cut);
    FrameLogReader reader(part);
    const auto frames = payloads(reader);
    EXPECT_EQ(reader.state(), reader.sound() == cut ? FrameLogState::kSound : FrameLogState::kTorn) << cut;
    ASSERT_LT(frames.size(), all.size());
    std::string mended = part.substr(0, reader.sound());
    FrameLogWriter writer(reader.chain());
    for (std::size_t f = frames.size(); f < all.size(); ++f) {
      mended += writer.frame(static_cast<FrameKind>(all[f].front()), std::string_view(all[f]).substr(1));
    }
    EXPECT_EQ(mended, log) << cut;
  }
}

TEST(Tape, AnyFlippedBitIsNoticed) {
  const std::string log = a_log();
  FrameLogReader whole(log);
  const auto all = payloads(whole);
  for (std::size_t at = 0; at < log.size(); ++at) {
    std::string flipped = log;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
    FrameLogReader reader(flipped);
    const auto frames = payloads(reader);
    EXPECT_NE(reader.state(), FrameLogState::kSound) << at;
    ASSERT_LT(frames.size(), all.size());
    for (std::size_t f = 0; f < frames.size(); ++f) EXPECT_EQ(frames[f], all[f]) << "nothing wrong before it";
  }
}

TEST(Tape, FramesCannotChangePlaces) {
  FrameLogWriter writer;
  const std::string one = writer.frame(FrameKind::kNotice, "one");
  const std::string two = writer.frame(FrameKind::kNotice, "two");
  const std::string three = writer.frame(FrameKind::kNotice, "three");
  for (const std::string& order : {two + one + three, one + three, three}) {
    const std::string log = std::string(FrameLogWriter::magic()) + order;
    FrameLogReader reader(log);
    const auto frames = payloads(reader);
    EXPECT_NE(reader.state(), FrameLogState::kSound);
    EXPECT_LE(frames.size(), 1U);
  }
}

TEST(Tape, KnowsForeignBytesAndOtherVersions) {
  const auto state = [](std::string_view bytes) { return FrameLogReader(bytes).state(); };
  EXPECT_EQ(state("[servers]\nname = 1\n"), FrameLogState::kForeign);
  EXPECT_EQ(state("laggard tape 4\n"), FrameLogState::kOther);
  EXPECT_EQ(state("laggard ta"), FrameLogState::kTorn);
  EXPECT_EQ(state(""), FrameLogState::kTorn);
  const std::string zeros = a_log() + std::string(100, '\0');
  FrameLogReader reader(zeros);
  EXPECT_EQ(payloads(reader).size(), 4U);
  EXPECT_EQ(reader.state(), FrameLogState::kTorn) << "what a power cut may leave";
}

}  // namespace
}  // namespace laggard::engine
