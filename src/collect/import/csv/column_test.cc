#include "collect/import/csv/column.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace laggard::collect {
namespace {

using testing::HasSubstr;

CsvColumn parsed(std::string_view text, bool cumulative = false) {
  const auto column = parse_column(text, cumulative, DeviceKind::kDisk);
  EXPECT_TRUE(column.has_value()) << text;
  return column.value_or(CsvColumn{});
}

TEST(CsvColumn, ANameIsWhatItHolds) {
  const CsvColumn latency = parsed("latency");
  EXPECT_EQ(latency.counter, (TableCounter{"latency", CounterForm::kComputedRate}));
  EXPECT_TRUE(latency.is_known);
  EXPECT_EQ(latency.scale, 1);
  EXPECT_FALSE(parsed("Latenz (ms)").is_known);
  EXPECT_EQ(parsed("rd_ios", true).counter.form, CounterForm::kCumulative);
}

TEST(CsvColumn, AColumnMayBeCalledOtherwise) {
  const CsvColumn column = parsed("Latenz (ms)=await:us");
  EXPECT_EQ(column.name, "Latenz (ms)");
  EXPECT_EQ(column.counter.name, "await");
  EXPECT_EQ(column.scale, 1e-3);
  EXPECT_EQ(column.device, "");
  EXPECT_EQ(parsed("a=b=rd_sec:MiB/s").name, "a=b");
  EXPECT_EQ(parsed("x=rd_sec:MiB/s").scale, 2048);
  EXPECT_EQ(parsed("x=rd_sec").scale, 1);
  EXPECT_EQ(parsed("x=rd_sectors:kB", true).scale, 1000.0 / 512);
  EXPECT_EQ(parsed("x=throughput:kB/s").scale, 1000) << "of any unit: bytes";
  EXPECT_EQ(parsed("x=latency:s").scale, 1000);
}

TEST(CsvColumn, OfOneDeviceOrOfThoseThatFit) {
  EXPECT_EQ(parsed("first=dm-0/await:s").device, "dm-0");
  EXPECT_EQ(parsed("first=cciss/c0d0/await").device, "cciss/c0d0");
  const CsvColumn pattern = parsed("disk *: ms=*/await");
  ASSERT_TRUE(pattern.is_pattern());
  EXPECT_EQ(pattern.device_in("disk sda: ms"), "sda");
  EXPECT_EQ(pattern.device_in("disk : ms"), "");
  EXPECT_EQ(pattern.device_in("net eth0: ms"), "");
}

TEST(CsvColumn, MistakesNameWhatThereIs) {
  const auto wrong = [](std::string_view text, bool cumulative) {
    const auto column = parse_column(text, cumulative, DeviceKind::kDisk);
    return column ? std::string("taken") : column.error().message();
  };
  EXPECT_THAT(wrong("x=speed", false), HasSubstr("--gauge: `speed` of `x` is none of in_flight, "));
  EXPECT_THAT(wrong("x=rd_ios", false), HasSubstr("is none of")) << "a counter is no gauge";
  EXPECT_THAT(wrong("x=await", true), HasSubstr("--counter: `await` of `x` is none of rd_ios, "));
  EXPECT_THAT(wrong("x=await:MB", false), HasSubstr("the unit of `x`: 'MB' is none of ms, s, us"));
  EXPECT_THAT(wrong("x=rd_sec:MB", false), HasSubstr("'MB' is none of bytes/s, B/s, kB/s"));
  EXPECT_THAT(wrong("x=rd_ios:ms", true), HasSubstr("'ms' is not requests"));
  EXPECT_THAT(wrong("x=*/await", false), HasSubstr("needs one *"));
}

}  // namespace
}  // namespace laggard::collect
