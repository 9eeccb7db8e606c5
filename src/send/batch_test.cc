#include "send/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

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
                    {{"rd_ms", CounterForm::kCumulative}, {"vendor", CounterForm::kGauge}}, {"sda"},
                    {from_unix_ns(5 * kSecond + 1'999'999)});
  table.set(0, 0, 0, 1500);
  table.set_gauge(1, 0, 0, -0.25);
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

}  // namespace
}  // namespace laggard::send
