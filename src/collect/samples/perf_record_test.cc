#include "collect/samples/perf_record.h"

#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <cstring>
#include <numeric>
#include <variant>
#include <vector>

#include "collect/samples/perf_ring.h"
#include "testing/perf_records.h"
#include "testing/property.h"

namespace laggard::collect {
namespace {

using testing_support::perf_record;
using testing_support::perf_text;
using testing_support::two_halves;
using Words = std::vector<std::uint64_t>;

TEST(PerfRing, RecordsThatAreWrappedComeOutWhole) {
  Words ring(8);
  std::iota(ring.begin(), ring.end(), 0);
  Words words{100};
  EXPECT_TRUE(copy_from_ring(ring, 8 * 6, 8 * 11, words));
  EXPECT_EQ(words, (Words{100, 6, 7, 0, 1, 2}));
}

TEST(PerfRing, PositionsThatMakeNoSenseGiveNothing) {
  const Words ring(8);
  Words words;
  EXPECT_FALSE(copy_from_ring(ring, 0, 8 * 9, words));  // More than it holds.
  EXPECT_FALSE(copy_from_ring(ring, 8 * 2, 8, words));  // Backwards.
  EXPECT_FALSE(copy_from_ring(ring, 0, 12, words));     // Half a word.
  EXPECT_FALSE(copy_from_ring({}, 0, 8, words));
  EXPECT_TRUE(copy_from_ring(ring, 8 * 5, 8 * 5, words));
  EXPECT_TRUE(words.empty());
}

TEST(PerfRecord, ASampleOfEitherSide) {
  const Words user = perf_record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, {0x1234, two_halves(7, 8), 99});
  const auto sample = std::get<PerfSample>(parse_perf_record(user, false));
  EXPECT_EQ(sample.process, 7U);
  EXPECT_EQ(sample.thread, 8U);
  EXPECT_EQ(sample.address, 0x1234U);
  EXPECT_FALSE(sample.is_kernel);
  const Words kernel = perf_record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, {1, 2, 3, 2, 10, 11});
  const auto chained = std::get<PerfSample>(parse_perf_record(kernel, true));
  EXPECT_TRUE(chained.is_kernel);
  EXPECT_EQ(Words(chained.chain.begin(), chained.chain.end()), (Words{10, 11}));
}

TEST(PerfRecord, AChainThatIsLongerThanItsRecordMakesNoSense) {
  const Words torn = perf_record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, {1, 2, 3, UINT64_MAX, 10});
  EXPECT_TRUE(std::holds_alternative<std::monostate>(parse_perf_record(torn, true)));
}

TEST(PerfRecord, WhatProcessesExecuteAndMap) {
  Words body{two_halves(7, 7), 0x1000, 0x2000, 0x3000, two_halves(8, 1), 42, 0, 0};
  const Words path = perf_text("/usr/lib/libc.so.6");
  body.insert(body.end(), path.begin(), path.end());
  body.insert(body.end(), {two_halves(7, 7), 5});
  const auto mapped = std::get<PerfMapped>(parse_perf_record(perf_record(PERF_RECORD_MMAP2, 0, body), false));
  EXPECT_EQ(mapped.process, 7U);
  EXPECT_EQ(mapped.mapping.start, 0x1000U);
  EXPECT_EQ(mapped.mapping.end, 0x3000U);
  EXPECT_EQ(mapped.mapping.offset, 0x3000U);
  EXPECT_EQ(mapped.mapping.file, (MappedFile{8, 1, 42}));
  EXPECT_EQ(mapped.mapping.path, "/usr/lib/libc.so.6");

  Words name{two_halves(7, 9)};
  const Words text = perf_text("cat");
  name.insert(name.end(), text.begin(), text.end());
  name.insert(name.end(), {two_halves(7, 9), 5});
  const Words record = perf_record(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, name);
  const auto named = std::get<PerfNamed>(parse_perf_record(record, false));
  EXPECT_EQ(named.name, "cat");
  EXPECT_EQ(named.thread, 9U);
  EXPECT_TRUE(named.executes);

  const Words forked = perf_record(PERF_RECORD_FORK, 0, {two_halves(8, 7), two_halves(8, 7), 5, 0, 5});
  EXPECT_EQ(std::get<PerfForked>(parse_perf_record(forked, false)).parent, 7U);
  const Words lost = perf_record(PERF_RECORD_LOST, 0, {1, 23, 0, 5});
  EXPECT_EQ(std::get<PerfLost>(parse_perf_record(lost, false)).count, 23U);
}

TEST(PerfRecord, ThoseOfAllProcessorsByTheirTimes) {
  Words words;
  for (const std::uint64_t time : {30U, 10U, 20U}) {
    const Words record = perf_record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, {time, 0, time});
    words.insert(words.end(), record.begin(), record.end());
  }
  std::vector<std::uint64_t> times;
  for (const PerfEntry& entry : perf_records_in(words)) times.push_back(words[entry.begin + 1]);
  EXPECT_EQ(times, (Words{10, 20, 30}));
  words.pop_back();  // The last one is torn.
  EXPECT_EQ(perf_records_in(words).size(), 2U);
}

TEST(PerfRecord, AnyWordsAreSomething) {
  expect_property("records stay within what they are in", [] {
    const auto words = *rc::gen::container<Words>(rc::gen::arbitrary<std::uint64_t>());
    Words framed = words;
    if (!framed.empty()) {
      const perf_event_header header{.type = *rc::gen::inRange<std::uint32_t>(0, 20),
                                     .misc = *rc::gen::arbitrary<std::uint16_t>(),
                                     .size = static_cast<std::uint16_t>(8 * framed.size())};
      std::memcpy(framed.data(), &header, sizeof header);
    }
    for (const PerfEntry& entry : perf_records_in(framed)) {
      RC_ASSERT(entry.size <= framed.size() - entry.begin);
      const bool has_chains = *rc::gen::arbitrary<bool>();
      const PerfWords one = PerfWords(framed).subspan(entry.begin, entry.size);
      const PerfRecord record = parse_perf_record(one, has_chains);
      if (const auto* sample = std::get_if<PerfSample>(&record))
        RC_ASSERT(sample->chain.size() <= entry.size);
      if (const auto* mapped = std::get_if<PerfMapped>(&record)) {
        RC_ASSERT(mapped->mapping.start <= mapped->mapping.end);
      }
    }
  });
}

}  // namespace
}  // namespace laggard::collect
