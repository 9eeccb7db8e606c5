// Judged windows as bytes: every bit comes back, and bytes that are not as they were written are refused.
#include "analyse/judge/tape.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "analyse/judge/tape_codec.h"

namespace laggard::analyse {
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

TrackJudgement any_track(std::size_t members, std::mt19937_64& random) {
  TrackJudgement track;
  track.metric = &metric_catalogue()[random() % metric_catalogue().size()];
  track.detector = random() % 2 == 0 ? "cdf" : "cwnd";
  track.regime = static_cast<Regime>(random() % 3);
  track.floor = std::bit_cast<double>(random());
  track.yardstick = {std::bit_cast<double>(random()), std::bit_cast<double>(random())};
  track.distance = any_numbers(members, random);
  if (random() % 2 == 0) track.below = any_numbers(members, random);
  return track;
}

WindowJudgement any_window(const GroupShape& shape, std::mt19937_64& random) {
  WindowJudgement window;
  window.start = from_unix_ns(static_cast<std::int64_t>(random() >> 3) - (std::int64_t{1} << 60));
  window.end = window.start + Duration{static_cast<std::int64_t>(random() >> 20)};
  window.index = static_cast<std::int64_t>(random());
  for (std::size_t t = random() % 4; t > 0; --t) window.tracks.push_back(any_track(shape.members, random));
  for (std::size_t c = 0; c < shape.columns; ++c) window.levels.push_back(any_numbers(shape.members, random));
  if (random() % 2 == 0) window.active_latency = any_numbers(shape.members, random);
  window.latency_column = random() % shape.columns;
  window.latency_floor = std::bit_cast<double>(random());
  window.idle = random() % 2 == 0;
  for (std::size_t i = 0; i < shape.members; ++i) window.absent.push_back(random() % 5 == 0 ? 1 : 0);
  return window;
}

JudgedRun any_run(const TapeShape& shape, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  JudgedRun run;
  run.run.begin = static_cast<std::int64_t>(random() >> 5) - (std::int64_t{1} << 57);
  run.run.end = run.run.begin + 1 + static_cast<std::int64_t>(random() % 100);
  const auto cells = static_cast<std::uint64_t>(run.run.end - run.run.begin);
  for (std::size_t w = random() % 5; w > 0; --w) {
    JudgedWindow& one = run.windows.emplace_back();
    one.group = random() % shape.groups.size();
    one.cell = run.run.begin + static_cast<std::int64_t>(random() % cells);
    one.window = any_window(shape.groups[one.group], random);
  }
  run.loads = any_numbers(cells * shape.loads, random);
  return run;
}

void expect_same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  RC_ASSERT(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    RC_ASSERT(std::bit_cast<std::uint64_t>(a[i]) == std::bit_cast<std::uint64_t>(b[i]));
  }
}

void expect_same(const TrackJudgement& a, const TrackJudgement& b) {
  RC_ASSERT(a.metric == b.metric);
  RC_ASSERT(a.detector == b.detector);
  RC_ASSERT(a.regime == b.regime);
  expect_same_bits({a.floor, a.yardstick.zero, a.yardstick.unit},
                   {b.floor, b.yardstick.zero, b.yardstick.unit});
  expect_same_bits(a.distance, b.distance);
  expect_same_bits(a.below, b.below);
}

void expect_same(const WindowJudgement& a, const WindowJudgement& b) {
  RC_ASSERT(a.start == b.start);
  RC_ASSERT(a.end == b.end);
  RC_ASSERT(a.index == b.index);
  RC_ASSERT(a.tracks.size() == b.tracks.size());
  for (std::size_t t = 0; t < a.tracks.size(); ++t) expect_same(a.tracks[t], b.tracks[t]);
  RC_ASSERT(a.levels.size() == b.levels.size());
  for (std::size_t c = 0; c < a.levels.size(); ++c) expect_same_bits(a.levels[c], b.levels[c]);
  expect_same_bits(a.active_latency, b.active_latency);
  RC_ASSERT(a.latency_column == b.latency_column);
  expect_same_bits({a.latency_floor}, {b.latency_floor});
  RC_ASSERT(a.idle == b.idle);
  RC_ASSERT(a.absent == b.absent);
}

const TapeShape kShape{{{3, 1}, {40, 4}, {17, 2}}, 5};

RC_GTEST_PROP(TapeCodec, EveryBitComesBack, (std::uint64_t seed)) {
  const JudgedRun run = any_run(kShape, seed);
  const std::string bytes = encode_run(run);
  const Result<JudgedRun> back = decode_run(bytes, kShape);
  RC_ASSERT(back.has_value());
  RC_ASSERT(back->run == run.run);
  RC_ASSERT(back->windows.size() == run.windows.size());
  for (std::size_t w = 0; w < run.windows.size(); ++w) {
    RC_ASSERT(back->windows[w].group == run.windows[w].group);
    RC_ASSERT(back->windows[w].cell == run.windows[w].cell);
    expect_same(back->windows[w].window, run.windows[w].window);
  }
  expect_same_bits(back->loads, run.loads);
  RC_ASSERT(encode_run(*back) == bytes);
}

RC_GTEST_PROP(TapeCodec, BytesOfAnotherShapeAreRefused, (std::uint64_t seed)) {
  const JudgedRun run = any_run(kShape, seed);
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
  JudgedRun run;
  run.run = {10, 20};
  JudgedWindow& one = run.windows.emplace_back();
  one.window.levels.assign(4, std::vector<double>(9000, 0.0));
  one.window.absent.assign(9000, 0);
  EXPECT_LT(encode_run(run).size(), 60U);
}

std::string a_tape() {
  TapeWriter writer;
  std::string tape(TapeWriter::magic());
  tape += writer.frame(FrameKind::kHead, "about this");
  tape += writer.frame(FrameKind::kRun, encode_run(any_run(kShape, 7)));
  tape += writer.frame(FrameKind::kNotice, "");
  tape += writer.frame(FrameKind::kEnd, {});
  return tape;
}

std::vector<std::string> payloads(TapeReader& reader) {
  std::vector<std::string> out;
  while (const auto frame = reader.next()) {
    out.push_back(static_cast<char>(frame->kind) + std::string(frame->payload));
  }
  return out;
}

TEST(Tape, GivesWhatWasWritten) {
  const std::string tape = a_tape();
  TapeReader reader(tape);
  const auto frames = payloads(reader);
  EXPECT_EQ(reader.state(), TapeState::kSound);
  EXPECT_EQ(reader.sound(), tape.size());
  ASSERT_EQ(frames.size(), 4U);
  EXPECT_EQ(frames[0], "Habout this");
  EXPECT_EQ(frames[1], "R" + encode_run(any_run(kShape, 7)));
  EXPECT_EQ(frames[2], "N");
  EXPECT_EQ(frames[3], "E");
}

TEST(Tape, CutAnywhereGivesABeginningAndCanGoOn) {
  const std::string tape = a_tape();
  TapeReader whole(tape);
  const auto all = payloads(whole);
  for (std::size_t cut = TapeWriter::magic().size(); cut < tape.size(); ++cut) {
    const std::string part = tape.substr(0, cut);
    TapeReader reader(part);
    const auto frames = payloads(reader);
    EXPECT_EQ(reader.state(), reader.sound() == cut ? TapeState::kSound : TapeState::kTorn) << cut;
    ASSERT_LT(frames.size(), all.size());
    std::string mended = part.substr(0, reader.sound());
    TapeWriter writer(reader.chain());
    for (std::size_t f = frames.size(); f < all.size(); ++f) {
      mended += writer.frame(static_cast<FrameKind>(all[f].front()), std::string_view(all[f]).substr(1));
    }
    EXPECT_EQ(mended, tape) << cut;
  }
}

TEST(Tape, AnyFlippedBitIsNoticed) {
  const std::string tape = a_tape();
  TapeReader whole(tape);
  const auto all = payloads(whole);
  for (std::size_t at = 0; at < tape.size(); ++at) {
    std::string flipped = tape;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
    TapeReader reader(flipped);
    const auto frames = payloads(reader);
    EXPECT_NE(reader.state(), TapeState::kSound) << at;
    ASSERT_LT(frames.size(), all.size());
    for (std::size_t f = 0; f < frames.size(); ++f) EXPECT_EQ(frames[f], all[f]) << "nothing wrong before it";
  }
}

TEST(Tape, FramesCannotChangePlaces) {
  TapeWriter writer;
  const std::string one = writer.frame(FrameKind::kNotice, "one");
  const std::string two = writer.frame(FrameKind::kNotice, "two");
  const std::string three = writer.frame(FrameKind::kNotice, "three");
  for (const std::string& order : {two + one + three, one + three, three}) {
    const std::string tape = std::string(TapeWriter::magic()) + order;
    TapeReader reader(tape);
    const auto frames = payloads(reader);
    EXPECT_NE(reader.state(), TapeState::kSound);
    EXPECT_LE(frames.size(), 1U);
  }
}

TEST(Tape, KnowsStrangersAndOtherVersions) {
  const auto state = [](std::string_view bytes) { return TapeReader(bytes).state(); };
  EXPECT_EQ(state("[servers]\nname = 1\n"), TapeState::kForeign);
  EXPECT_EQ(state("laggard tape 2\n"), TapeState::kOther);
  EXPECT_EQ(state("laggard ta"), TapeState::kTorn);
  EXPECT_EQ(state(""), TapeState::kTorn);
  const std::string zeros = a_tape() + std::string(100, '\0');
  TapeReader reader(zeros);
  EXPECT_EQ(payloads(reader).size(), 4U);
  EXPECT_EQ(reader.state(), TapeState::kTorn) << "what a power cut may leave";
}

}  // namespace
}  // namespace laggard::analyse
