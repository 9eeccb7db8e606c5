#include "archive/block.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "archive/column.h"
#include "testing/archive.h"

namespace laggard::archive {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the archive's own test support.

std::vector<std::uint64_t> through_a_column(std::span<const std::uint64_t> values, ColumnKind kind) {
  ColumnSink sink;
  ColumnEncoder{}.encode(values, kind, {}, sink);
  const std::string extra = sink.extra.take();
  const std::string padded = extra + std::string(TokenReader::kSlack, 'x');
  ByteReader head{sink.head.str()};
  const std::string_view stream = sink.tokens;
  TokenReader tokens{std::span(&stream, 1), StreamMap{}, std::string_view(padded).substr(0, extra.size())};
  HintSource no_hints;
  std::vector<std::uint64_t> out(values.size(), 77);
  EXPECT_TRUE(decode_column(head, tokens, no_hints, out));
  EXPECT_TRUE(head.ok() && head.rest().empty());
  EXPECT_EQ(tokens.tokens_left(), 0U);
  return out;
}

std::vector<std::uint64_t> bits_of(const std::vector<double>& values) {
  std::vector<std::uint64_t> bits;
  for (const double v : values) bits.push_back(std::bit_cast<std::uint64_t>(v));
  return bits;
}

TEST(Tokens, EveryWidthAndItsNeighbours) {
  std::vector<std::uint64_t> values;
  for (unsigned bits = 0; bits < 64; ++bits) {
    const std::uint64_t power = std::uint64_t{1} << bits;
    for (const std::uint64_t v : {power - 1, power, power + 1, power + power / 2, ~power})
      values.push_back(v);
  }
  values.push_back(std::numeric_limits<std::uint64_t>::max());
  BitWriter bits;
  std::string tokens;
  for (const std::uint64_t v : values) {
    const Token token = tokenize(v);
    EXPECT_EQ(kTokenTables.base[token.token] + token.extra, v);
    EXPECT_EQ(kTokenTables.extra_bits[token.token], token.extra_bits);
    tokens.push_back(static_cast<char>(token.token));
    bits.put(token.extra, token.extra_bits);
  }
  const std::string extra = bits.take();
  const std::string padded = extra + std::string(TokenReader::kSlack, '\xFF');
  const std::string_view stream = tokens;
  TokenReader reader{std::span(&stream, 1), StreamMap{}, std::string_view(padded).substr(0, extra.size())};
  std::vector<std::uint64_t> out(values.size());
  ASSERT_TRUE(reader.read(out));
  EXPECT_EQ(out, values);
  EXPECT_FALSE(reader.read(std::span(out).first(1))) << "no tokens are left";
  TokenReader cut{std::span(&stream, 1), StreamMap{}, std::string_view(padded).substr(0, extra.size() - 1)};
  EXPECT_FALSE(cut.read(out)) << "a bit too few";
}

TEST(Column, ShapesThatCountersTake) {
  const std::uint64_t top = std::numeric_limits<std::uint64_t>::max();
  const std::vector<std::vector<std::uint64_t>> shapes{
      {0},
      {5, 5, 5},
      {5, 6},
      {top, 0, top},
      {0, top, 1, top - 1},
      {100, 108, 116, 132, 132},
      {4294967290, 10, 4294967295},
      {std::uint64_t{1} << 63, (std::uint64_t{1} << 63) - 1, 0, top, 3},
      {1, 0, 0, 0, 0, 0, 1, 0},
  };
  for (const auto& values : shapes) {
    for (const ColumnKind kind : {ColumnKind::kCounter, ColumnKind::kReals, ColumnKind::kTimes}) {
      EXPECT_EQ(through_a_column(values, kind), values);
    }
  }
}

TEST(Column, GaugesKeepEveryBit) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& values :
       std::vector<std::vector<double>>{{0.0, -0.0, 1.0},
                                        {12.34, 12.35, 0.01, 100.0, -3.5},
                                        {1.0 / 3.0, 2.0 / 3.0, 1e300, -1e-300},
                                        {std::nan(""), inf, -inf, std::numeric_limits<double>::denorm_min()},
                                        {9007199254740993.0, 1.5},
                                        {0.1, 0.2, 0.30000000000000004}}) {
    EXPECT_EQ(through_a_column(bits_of(values), ColumnKind::kReals), bits_of(values));
  }
}

TEST(Column, DecimalsCostLikeIntegers) {
  std::vector<double> decimals;
  std::vector<std::uint64_t> integers;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    integers.push_back(i * i % 997);
    decimals.push_back(static_cast<double>(integers.back()) / 100);
  }
  ColumnSink as_decimal;
  ColumnSink as_integer;
  ColumnEncoder{}.encode(bits_of(decimals), ColumnKind::kReals, {}, as_decimal);
  ColumnEncoder{}.encode(integers, ColumnKind::kReals, {}, as_integer);
  EXPECT_EQ(as_decimal.extra.take().size(), as_integer.extra.take().size());
}

RC_GTEST_PROP(Column, AnyValuesComeBack, (std::vector<std::uint64_t> values, std::uint8_t kind)) {
  RC_PRE(!values.empty());
  RC_ASSERT(through_a_column(values, static_cast<ColumnKind>(kind % 3)) == values);
}

RC_GTEST_PROP(Column, AnyWalkComesBack,
              (std::vector<std::int32_t> steps, std::uint64_t start, std::uint16_t factor)) {
  RC_PRE(!steps.empty());
  std::vector<std::uint64_t> values;
  for (const std::int32_t step : steps) {
    start += static_cast<std::uint64_t>(std::int64_t{step} * factor);
    values.push_back(start);
  }
  RC_ASSERT(through_a_column(values, ColumnKind::kCounter) == values);
  RC_ASSERT(through_a_column(values, ColumnKind::kTimes) == values);
}

RC_GTEST_PROP(Runs, AnyPresenceComesBack, (std::vector<bool> marks)) {
  const std::vector<std::uint8_t> presence(marks.begin(), marks.end());
  const Runs runs = Runs::of(presence);
  ByteWriter out;
  runs.write(out);
  ByteReader in{out.str()};
  RC_ASSERT(Runs::read(in, presence.size()) == runs);
  RC_ASSERT(in.ok() && in.rest().empty());
  std::vector<std::uint8_t> again(presence.size());
  runs.for_each([&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) again[t] = 1;
  });
  RC_ASSERT(again == presence);
  RC_ASSERT(runs.present() == static_cast<std::size_t>(std::count(marks.begin(), marks.end(), true)));
}

/// Any small table: counters of all forms, devices that come and go, cells that are missing on their own.
SampleTable random_table(std::mt19937_64& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  // Names that the codec knows to depend on each other, and others.
  std::vector<std::string> names{"rd_ios", "rd_sectors", "rd_ms",      "weighted_ms",
                                 "io_ms",  "rx_bytes",   "rx_packets", "c"};
  std::shuffle(names.begin(), names.end(), random);
  names.resize(1 + below(names.size()));
  std::vector<TableCounter> counters;
  for (const std::string& name : names) counters.push_back({name, static_cast<CounterForm>(below(3))});
  std::vector<std::string> devices;
  for (std::size_t d = 0; d <= below(4); ++d) devices.push_back("d" + std::to_string(d));
  const std::size_t samples = below(200);
  std::vector<WallTime> times;
  WallTime time = "2011-05-09T06:00:00Z"_utc;
  for (std::size_t t = 0; t <= samples; ++t) {
    time += Duration{static_cast<std::int64_t>(below(3'000'000'000)) - 100'000'000};
    times.push_back(time);
  }
  SampleTable table{"fs/1", static_cast<DeviceKind>(below(3)), counters, devices, times};
  table.set_boot(below(2) == 0 ? "" : "boot-1");
  for (std::size_t d = 0; d < devices.size(); ++d) {
    const std::size_t from = below(4) == 0 ? below(times.size()) : 0;
    for (std::size_t c = 0; c < counters.size(); ++c) {
      const std::size_t holes = below(3) == 0 ? 5 : 1000;
      const unsigned width = static_cast<unsigned>(below(65));
      std::uint64_t value = random();
      for (std::size_t t = from; t < times.size(); ++t) {
        value += width == 0 ? 0 : random() >> (64 - width);
        if (below(holes) != 0) table.set(c, d, t, value);
      }
    }
  }
  return table;
}

Result<SampleTable> through_a_block(const SampleTable& table, ZstdCodec& codec) {
  const Block block = encode_block(table, std::vector<std::uint32_t>(table.devices().size(), 1), codec);
  Result<BlockHeader> header = decode_header(encode_header(block.header, codec), "here", codec);
  if (!header) return forward(header);
  EXPECT_EQ(*header, block.header);
  SampleTable again{header->host, table.kind(), table.counters(), header->devices, header->times};
  again.set_boot(header->boot);
  std::vector<std::size_t> all(block.chunks.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<UnpackedCounter> unpacked(all.size());
  for (const std::size_t c : unpacking_order(*header, all)) {
    const ChunkTarget target{.table = again, .counter = c, .unpacked = unpacked};
    if (Status read = decode_chunk(block.chunks[c], *header, c, target, codec); !read) return forward(read);
    unpacked[c] = {.table = &again, .counter = c};
  }
  return again;
}

TEST(Block, RandomTablesComeBack) {
  std::mt19937_64 random{20110509};
  ZstdCodec codec;
  for (int i = 0; i < 1500; ++i) {
    const SampleTable table = random_table(random);
    Result<SampleTable> again = through_a_block(table, codec);
    ASSERT_OK(again);
    ASSERT_TRUE(*again == table) << "table " << i;
  }
}

TEST(Block, EveryFlippedByteIsSeen) {
  ZstdCodec codec;
  const SampleTable table = disk_table("fs1", "2011-05-09T06:00:00Z"_utc, 50);
  const Block block = encode_block(table, {50, 50}, codec);
  const std::string header = encode_header(block.header, codec);
  for (std::size_t i = 0; i < header.size(); ++i) {
    std::string flipped = header;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x10);
    const Result<BlockHeader> read = decode_header(flipped, "f", codec);
    ASSERT_FALSE(read) << "byte " << i;
  }
  SampleTable target = table;
  for (std::size_t i = 0; i < block.chunks[0].size(); ++i) {
    std::string flipped = block.chunks[0];
    flipped[i] = static_cast<char>(flipped[i] ^ 0x10);
    const ChunkTarget to{.table = target, .counter = 0, .unpacked = {}};
    const Status read = decode_chunk(flipped, block.header, 0, to, codec);
    ASSERT_FALSE(read) << "byte " << i;
    EXPECT_EQ(read.error().code, ErrorCode::kDamaged);
  }
}

TEST(Block, ALaterLayoutIsRefusedByName) {
  ZstdCodec codec;
  const Block block = encode_block(disk_table("fs1", "2011-05-09T06:00:00Z"_utc, 5), {0, 0}, codec);
  std::string header = encode_header(block.header, codec);
  header[3] = '7';
  const Result<BlockHeader> read = decode_header(header, "f", codec);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kTooNew);
  EXPECT_THAT(read.error().message(), ::testing::HasSubstr("'LGB7'"));
}

TEST(Block, IdleDevicesAreNearlyFree) {
  ZstdCodec codec;
  std::vector<TableCounter> counters;
  for (int c = 0; c < 17; ++c) counters.push_back({"counter" + std::to_string(c), CounterForm::kCumulative});
  std::vector<std::string> devices;
  for (int d = 0; d < 100; ++d) devices.push_back("sd" + std::to_string(d));
  std::vector<WallTime> times;
  for (int t = 0; t < 1024; ++t) times.push_back("2011-05-09T06:00:00Z"_utc + std::chrono::seconds{t});
  SampleTable table{"fs1", DeviceKind::kDisk, counters, devices, times};
  std::mt19937_64 random{7};
  for (std::size_t c = 0; c < 17; ++c) {
    for (std::size_t d = 0; d < 100; ++d) {
      const std::uint64_t value = random() >> 40;
      for (std::size_t t = 0; t < 1024; ++t) table.set(c, d, t, value);
    }
  }
  const Block block = encode_block(table, std::vector<std::uint32_t>(100), codec);
  std::size_t bytes = encode_header(block.header, codec).size();
  for (const std::string& chunk : block.chunks) bytes += chunk.size();
  EXPECT_LT(static_cast<double>(bytes) / (100 * 1024), 0.1) << "bytes per disk sample";
}

}  // namespace
}  // namespace laggard::archive
