#include "collect/import/perf/import.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testing/import_fixture.h"
#include "testing/profile_lines.h"

namespace laggard::collect {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class PerfImportTest : public FolderTest {
 protected:
  PerfImportTest() {
    options_.host = "s1";
    options_.start = from_unix_ns(1'700'000'001'000'000'000);
  }
  ImportResult import(const std::string& text) {
    const std::vector files{write("samples.txt", text)};
    return import_files(files);
  }
  ImportResult import_files(const std::vector<std::filesystem::path>& files) {
    sink_.lines.clear();
    observer_.notices.clear();
    auto result = import_perf(files, options_, sink_, observer_);
    EXPECT_TRUE(result) << result.error().message();
    return result ? *result : ImportResult{};
  }
  std::string error(const std::string& text) {
    const ImportResult result = import(text);
    return result.errors.size() == 1 ? result.errors[0].message()
                                     : fmt::format("{} errors", result.errors.size());
  }

  PerfImportOptions options_;
  testing_support::ProfileLines sink_;
  QuietObserver observer_;
};

constexpr const char* kChains =
    "dd  8810 [000]   623.500000:   10101010 cpu-clock: \n"
    "\tffffffff8108 copy_page+0xfb ([kernel.kallsyms])\n"
    "\t          4011 do_copy (inlined)\n"
    "\t          4011 main+0x1 (/bin/dd)\n"
    "\n"
    "dd  8811 [001]   624.500000:   10101010 cpu-clock: \n"
    "\t          4012 do_copy (inlined)\n"
    "\t          4012 main+0x2 (/bin/dd)\n"
    "\t            12 [unknown] (/lib/libc.so.6)\n"
    "\n"
    "swapper     0 [001]   624.600000:   10101010 cpu-clock: \n"
    "\tffffffff8109 pv_native_safe_halt+0xb ([kernel.kallsyms])\n"
    "\n"
    "kworker/0:1-ev  9 [001]   633.500000:   10101010 cpu-clock: \n"
    "\tffffffff8110 f+0xb ([nf_conntrack])\n";

TEST_F(PerfImportTest, CallChainsMakeSamplesAndStacks) {
  const ImportResult result = import(kChains);
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_EQ(result.values, 3U);
  EXPECT_THAT(
      sink_.lines,
      ElementsAre("s1 samples 2023-11-14T22:13:20Z+10s 10101010: dd;[kernel];copy_page=1 dd;dd;main=1",
                  "s1 samples 2023-11-14T22:13:30Z+10s 10101010: [kernel];[nf_conntrack];f=1",
                  "s1 stacks 2023-11-14T22:13:20Z+10s 10101010: dd;[libc.so.6];main;do_copy=1 "
                  "dd;main;do_copy;copy_page=1",
                  "s1 stacks 2023-11-14T22:13:30Z+10s 10101010: [kernel];f=1"));
  EXPECT_THAT(observer_.notices, ElementsAre("1 sample was left out: the processor was idle"));
}

TEST_F(PerfImportTest, LinesMakeSamplesAlone) {
  const ImportResult result = import(
      "         cc1plus  8810 [000]   625.913758:   10101010 cpu-clock:            b4889c [unknown] "
      "(/lib/cc1plus)\n"
      "         cc1plus  8816 [001]   625.915179:   20202020 cpu-clock:            6bd452 f+0x1 "
      "(/lib/cc1plus)\n"
      "         :8817    8817 [001]   625.915180:   10101010 cpu-clock:            6bd452 f+0x1 "
      "(/lib/cc1plus)\n");
  EXPECT_EQ(result.values, 3U);
  EXPECT_THAT(sink_.lines, ElementsAre("s1 samples 2023-11-14T22:13:20Z+10s 13468013: "
                                       "[unknown];cc1plus;f=1 cc1plus;cc1plus;=1 cc1plus;cc1plus;f=1"));
}

TEST_F(PerfImportTest, WhatASampleStandsForIsOfClocksOrTold) {
  const std::string cycles = "x 1 [000] 1.000000: 123456 cycles: 4011 f+0x1 (/bin/x)\n";
  import(cycles);
  EXPECT_THAT(sink_.lines, ElementsAre(EndsWith("+10s 0: x;x;f=1")));
  options_.each = std::chrono::milliseconds(10);
  import(cycles);
  EXPECT_THAT(sink_.lines, ElementsAre(EndsWith("+10s 10000000: x;x;f=1")));
  import("x 1 [000] 1.000000: 18446744073709551615 cpu-clock: 4011 f+0x1 (/bin/x)\n");
  EXPECT_THAT(sink_.lines, ElementsAre(EndsWith("+10s 10000000: x;x;f=1")));
}

TEST_F(PerfImportTest, TheHeaderTellsHostAndTime) {
  options_ = {};
  const std::string head =
      "# ========\n# captured on    : Fri Nov 27 22:15:28 2026\n# hostname : fs7\n"
      "# time of first sample : 623.539655\n";
  const std::string sample = "# ========\n#\nx 1 [000] 620.000000: 1 cycles: 4011 f+0x1 (/bin/x)\n";
  import(head + "# time of last sample : 648.000000\n" + sample);
  EXPECT_THAT(sink_.lines, ElementsAre("fs7 samples 2026-11-27T22:15:00Z+10s 0: x;x;f=1"));
  EXPECT_THAT(observer_.notices, ElementsAre(HasSubstr("taken for UTC (--tz)")));
  options_.zone = std::chrono::hours(1);
  import(head + "# time of last sample : 648.000000\n" + sample);
  EXPECT_THAT(sink_.lines, ElementsAre("fs7 samples 2026-11-27T21:15:00Z+10s 0: x;x;f=1"));
  EXPECT_THAT(observer_.notices, IsEmpty());
  import(head + sample);
  EXPECT_THAT(sink_.lines, ElementsAre("fs7 samples 2026-11-27T21:15:20Z+10s 0: x;x;f=1"));
  EXPECT_THAT(observer_.notices, ElementsAre(HasSubstr("does not say when the last sample was")));
}

TEST_F(PerfImportTest, TimesOfTheWallClockNeedNobody) {
  options_.start.reset();
  import("x 1 [000] 1700000001.000000: 1 cycles: 4011 f+0x1 (/bin/x)\n");
  EXPECT_THAT(sink_.lines, ElementsAre(HasSubstr("2023-11-14T22:13:20Z")));
}

TEST_F(PerfImportTest, FilesOfAHostShareItsFirstSample) {
  const std::vector files{write("a", "x 1 [000] 50.000000: 1 cycles: 4011 f+0x1 (/bin/x)\n"),
                          write("b", "x 1 [001] 60.000000: 1 cycles: 4011 f+0x1 (/bin/x)\n")};
  EXPECT_EQ(import_files(files).sources, 2U);
  EXPECT_THAT(sink_.lines, ElementsAre(HasSubstr("2023-11-14T22:13:20Z"), HasSubstr("2023-11-14T22:13:30Z")));
}

TEST_F(PerfImportTest, OneEventIsTakenOrThoseThatAreNamed) {
  const std::string text =
      "x 1 [000] 1.000000: sched:sched_switch: prev_comm=x\n\t4011 f+0x1 (/bin/x)\n\n"
      "x 1 [000] 1.000000: 5 cycles:u: 4011 f+0x1 (/bin/x)\n"
      "x 1 [000] 1.000000: 5 cycles:ppp: 4011 f+0x1 (/bin/x)\n"
      "x 1 [000] 1.000000: 5 instructions: 4011 g+0x1 (/bin/x)\n";
  import(text);
  EXPECT_THAT(sink_.lines, ElementsAre(EndsWith(": x;x;f=2")));
  EXPECT_THAT(
      observer_.notices,
      ElementsAre("2 samples of other events were left out: instructions, sched:sched_switch (--event)"));
  options_.events = {"instructions:u"};
  import(text);
  EXPECT_THAT(sink_.lines, ElementsAre(EndsWith(": x;x;g=1")));
}

TEST_F(PerfImportTest, OtherOutputsOfPerfAreRefusedByName) {
  EXPECT_THAT(error(std::string("PERFILE2h\0\0\0\1\n", 14)),
              HasSubstr("samples.txt:1: is perf's own recording; write it as text: perf script"));
  EXPECT_THAT(error("# To display the perf.data header info\n#\n# Samples: 22  of event 'cycles'\n"),
              HasSubstr("samples.txt:3: is of perf report"));
  EXPECT_THAT(error("    12.34%  dd  [kernel]  [k] f\n"), HasSubstr("perf report"));
  EXPECT_THAT(error("\n Performance counter stats for 'sleep 1':\n"), HasSubstr("perf stat"));
  EXPECT_THAT(error("x 1 10101010 cpu-clock: 4011 f (/bin/x)\n"), HasSubstr("has no sample with a time"));
  EXPECT_THAT(error("\n"), HasSubstr("has no sample with a time"));
  options_.start.reset();
  EXPECT_THAT(error(kChains), HasSubstr("say with --start when its first sample was"));
  options_.host = "";
  EXPECT_THAT(error(kChains), HasSubstr("names no host; say with --host"));
}

TEST_F(PerfImportTest, OtherLinesAreCountedAndTheFirstIsNamed) {
  const ImportResult result =
      import("junk\nx 1 [000] 1.000000: 1 cycles: 4011 f+0x1 (/bin/x)\n\n\x01\x02\nend\n");
  EXPECT_EQ(result.values, 1U);
  EXPECT_EQ(result.passed_over, 3U);
  ASSERT_THAT(observer_.notices, SizeIs(1));
  EXPECT_THAT(observer_.notices[0],
              HasSubstr("3 lines are none of perf script and were passed over, the first at "));
  EXPECT_THAT(observer_.notices[0], EndsWith("samples.txt:1"));
}

TEST_F(PerfImportTest, HostileTextEndsInWords) {
  std::string deep = "x;y\x1b 1 [000] 1.000000: 1 cycles: \n";
  for (int i = 0; i < 5000; ++i) deep += "\t4011 f;g\x01+0x1 (/bin/x)\n";
  EXPECT_EQ(import(deep).values, 1U);
  ASSERT_THAT(sink_.lines, SizeIs(2));
  EXPECT_THAT(sink_.lines[0], EndsWith(": x:y;x;f:g=1"));
  EXPECT_LT(sink_.lines[1].size(), 4200U);
  const std::string endless(3'000'000, 'f');
  EXPECT_EQ(import("x 1 [000] 1.000000: 1 cycles: 4011 " + endless + "\n").values, 1U);
  EXPECT_EQ(
      import("x 1 [000] 4102444799.000000: 1 cycles: 4011 f (x)\nx 1 [0] 1.000000: 1 cycles: 4011 f (x)\n")
          .values,
      1U);
  EXPECT_THAT(observer_.notices, ElementsAre("1 sample was left out: before 1970 or after 2099"));
}

TEST_F(PerfImportTest, AFullDiskEndsTheImport) {
  sink_.full = true;
  const std::vector files{write("samples.txt", kChains)};
  const auto result = import_perf(files, options_, sink_, observer_);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kNoSpace);
}

TEST_F(PerfImportTest, ManyWordsGoInParts) {
  std::string text;
  for (int i = 0; i < 120'000; ++i) {
    text += fmt::format("x 1 [000] {}.000000: 1 cycles: 4011 function_{:040} (/bin/x)\n", 1 + i / 50'000, i);
  }
  EXPECT_EQ(import(text).values, 120'000U);
  EXPECT_GT(sink_.lines.size(), 1U);
  std::size_t words = 0;
  for (const std::string& line : sink_.lines)
    words += static_cast<std::size_t>(std::ranges::count(line, '='));
  EXPECT_EQ(words, 120'000U);
}

}  // namespace
}  // namespace laggard::collect
