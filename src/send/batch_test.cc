#include "send/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <snappy.h>

#include <bit>
#include <map>

#include "testing/send.h"

namespace laggard::send {
namespace {
using ::testing::ElementsAre;
using ::testing::Pair;

constexpr std::int64_t kSecond = 1'000'000'000;

TEST(Window, NamesWhatItHolds) {
  const Labels extra{{"cluster", "a"}};
  Window window(extra);
  SampleTable table("fs1", DeviceKind::kDisk,
                    {{"rd_ms", CounterForm::kCumulative}, {"vendor", CounterForm::kComputedRate}}, {"sda"},
                    {from_unix_ns(5 * kSecond + 1'999'999)});
  table.set(0, 0, 0, 1500);
  table.set_computed_rate(1, 0, 0, -0.25);
  window.add(table, std::nullopt);
  window.sort();
  const auto& all = window.streams().at({"fs1", DeviceKind::kDisk});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_THAT(all[0].labels,
              ElementsAre(Pair("__name__", "node_disk_read_time_seconds_total"), Pair("cluster", "a"),
                          Pair("device", "sda"), Pair("instance", "fs1")));
  EXPECT_THAT(all[0].samples, ElementsAre(Sample{5001, 1.5}));
  EXPECT_THAT(all[1].labels,
              ElementsAre(Pair("__name__", "laggard_disk_gauge"), Pair("cluster", "a"),
                          Pair("counter", "vendor"), Pair("device", "sda"), Pair("instance", "fs1")));
  EXPECT_THAT(all[1].samples, ElementsAre(Sample{5001, -0.25}));
}

TEST(Window, KeepsTheLaterRecordOfAMillisecondAndWhatIsNew) {
  Window window({});
  SampleTable table("fs1", DeviceKind::kDisk, {{"rd_ios", CounterForm::kCumulative}}, {"sda"},
                    {from_unix_ns(3 * kSecond), from_unix_ns(3 * kSecond + 900), from_unix_ns(1 * kSecond),
                     from_unix_ns(2 * kSecond), from_unix_ns(4 * kSecond)});
  for (std::size_t t = 0; t < 4; ++t) table.set(0, 0, t, 10 + t);  // The last one is missing.
  window.add(table, 1000);
  window.sort();
  EXPECT_EQ(window.samples(), 2U);
  EXPECT_THAT(window.streams().at({"fs1", DeviceKind::kDisk})[0].samples,
              ElementsAre(Sample{2000, 13}, Sample{3000, 11}));
}

TEST(Window, CountsWhatNoDoubleHolds) {
  Window window({});
  SampleTable table("fs1", DeviceKind::kNet, {{"rx_bytes", CounterForm::kCumulative}}, {"eth0"},
                    {from_unix_ns(0), from_unix_ns(kSecond)});
  table.set(0, 0, 0, std::uint64_t{1} << 53U);
  table.set(0, 0, 1, (std::uint64_t{1} << 53U) + 1);
  window.add(table, std::nullopt);
  EXPECT_EQ(window.rounded(), 1U);
}

/// Every sample once, no request too large, each stream in order of time, positions only where all is sent.
RC_GTEST_PROP(Batches, HoldEverySampleOnceAndInOrder, ()) {
  const auto most = *rc::gen::inRange<std::size_t>(1, 40);
  const auto devices = *rc::gen::inRange<std::size_t>(1, 8);
  Window window({});
  std::size_t expected = 0;
  for (const std::string host : {"a", "b"}) {
    const auto rows = *rc::gen::inRange<std::size_t>(1, 30);
    std::vector<WallTime> times;
    for (std::size_t t = 0; t < rows; ++t)
      times.push_back(from_unix_ns(static_cast<std::int64_t>(t) * kSecond));
    std::vector<std::string> names;
    for (std::size_t d = 0; d < devices; ++d) names.push_back("sd" + std::to_string(d));
    SampleTable table(host, DeviceKind::kDisk, {{"rd_ios", CounterForm::kCumulative}}, names, times);
    for (std::size_t d = 0; d < devices; ++d) {
      for (std::size_t t = 0; t < rows; ++t) {
        if (!*rc::gen::arbitrary<bool>()) continue;
        table.set(0, d, t, t);
        ++expected;
      }
    }
    window.add(table, std::nullopt);
  }
  window.sort();
  std::map<std::pair<const Labels*, std::int64_t>, int> seen;
  std::map<StreamKey, std::int64_t> position;
  std::map<StreamKey, std::int64_t> newest;
  for (const Batch& batch : cut_batches(window, most)) {
    RC_ASSERT(samples_of(batch) <= most);
    for (const Slice& slice : batch) {
      for (const Part& part : slice.parts) {
        for (const Sample& sample : part.samples) {
          const bool repeated = seen[{part.labels, sample.ms}]++ > 0;
          RC_ASSERT_FALSE(repeated);
          const auto before = position.find(slice.stream);
          const bool later = before == position.end() || sample.ms > before->second;
          RC_ASSERT(later);
          newest[slice.stream] = std::max(newest[slice.stream], sample.ms);
        }
      }
      if (slice.complete_to_ms) position[slice.stream] = *slice.complete_to_ms;
      const std::vector<Slice> rows = rows_of(slice);
      const Slice again = joined(rows);
      RC_ASSERT(again.samples == slice.samples);
      RC_ASSERT(again.complete_to_ms == slice.complete_to_ms);
    }
  }
  RC_ASSERT(seen.size() == expected);
  RC_ASSERT(position == newest);
}

/// Takes protobuf's wire format apart by hand (https://protobuf.dev/programming-guides/encoding), so that the
/// test knows nothing of protoc.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : bytes_(bytes) {}
  [[nodiscard]] bool done() const { return bytes_.empty(); }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; !bytes_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80U) return value;
    }
    ADD_FAILURE() << "the bytes end inside of a number";
    return value;
  }
  std::string_view bytes(std::uint64_t length) {
    const std::string_view taken = bytes_.substr(0, length);
    EXPECT_EQ(taken.size(), length);
    bytes_.remove_prefix(taken.size());
    return taken;
  }
  double fixed64() {
    std::uint64_t value = 0;
    const std::string_view taken = bytes(8);
    for (std::size_t i = 0; i < 8; ++i)
      value |= std::uint64_t{static_cast<unsigned char>(taken[i])} << (8 * i);
    return std::bit_cast<double>(value);
  }

 private:
  std::string_view bytes_;
};

constexpr std::uint64_t tag(std::uint64_t field, std::uint64_t type) { return field << 3U | type; }
constexpr std::uint64_t kVarint = 0;
constexpr std::uint64_t kFixed64 = 1;
constexpr std::uint64_t kBytes = 2;

TEST(Encode, IsAWriteRequestInSnappy) {
  const Labels labels{{"__name__", "node_disk_io_now"}, {"device", "sda"}, {"instance", "fs1"}};
  const std::vector<Sample> samples{{1'795'202'494'842, 3}, {1'795'202'495'842, -0.5}};
  const Batch batch{{.stream = {"fs1", DeviceKind::kDisk},
                     .parts = {{&labels, samples}},
                     .samples = 2,
                     .complete_to_ms = 1'795'202'495'842}};
  Encoder encoder;
  std::string plain;
  for (int again = 0; again < 2; ++again) {
    const std::string packed = encoder.encode(batch);
    ASSERT_TRUE(snappy::Uncompress(packed.data(), packed.size(), &plain));
  }

  WireReader request(plain);
  ASSERT_EQ(request.varint(), tag(1, kBytes));
  WireReader series(request.bytes(request.varint()));
  EXPECT_TRUE(request.done());
  for (const auto& [name, value] : labels) {
    ASSERT_EQ(series.varint(), tag(1, kBytes));
    WireReader label(series.bytes(series.varint()));
    ASSERT_EQ(label.varint(), tag(1, kBytes));
    EXPECT_EQ(label.bytes(label.varint()), name);
    ASSERT_EQ(label.varint(), tag(2, kBytes));
    EXPECT_EQ(label.bytes(label.varint()), value);
    EXPECT_TRUE(label.done());
  }
  for (const Sample& sample : samples) {
    ASSERT_EQ(series.varint(), tag(2, kBytes));
    WireReader sent(series.bytes(series.varint()));
    ASSERT_EQ(sent.varint(), tag(1, kFixed64));
    EXPECT_EQ(sent.fixed64(), sample.value);
    ASSERT_EQ(sent.varint(), tag(2, kVarint));
    EXPECT_EQ(static_cast<std::int64_t>(sent.varint()), sample.ms);
    EXPECT_TRUE(sent.done());
  }
  EXPECT_TRUE(series.done());
}

}  // namespace
}  // namespace laggard::send
