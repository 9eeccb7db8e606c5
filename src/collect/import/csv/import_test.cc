#include "collect/import/csv/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "testing/import_fixture.h"

namespace laggard::collect {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

class CsvImportTest : public FolderTest {
 protected:
  ImportResult import(const std::vector<std::filesystem::path>& files, const CsvForm& form = {}) {
    auto result = import_csv(files, form, sink_, observer_);
    EXPECT_TRUE(result) << result.error().message();
    return result ? *result : ImportResult{};
  }
  std::string only_error(const std::string& text, const CsvForm& form = {}) {
    const ImportResult result = import({write("bad.csv", text)}, form);
    EXPECT_THAT(result.errors, SizeIs(1));
    std::string message = result.errors.empty() ? "" : result.errors.front().message();
    const std::size_t at = message.find("bad.csv");
    return at == std::string::npos ? message : message.substr(at);
  }

  MemorySink sink_;
  QuietObserver observer_;
};

constexpr std::int64_t kSecond = 1'000'000'000;

CsvForm perseus() {
  CsvForm form;
  form.time = "ts";
  form.component = "disk_id";
  form.host = "h";
  form.gauges = {"throughput", "latency"};
  return form;
}

TEST_F(CsvImportTest, LongForm) {
  const auto result = import({write("a.csv",
                                    "time,host,kind,device,counter,value\n"
                                    "100.5,fs1,disk,sda,rd_ios,10\n"
                                    "100.5,fs1,net,eth0,rx_bytes,18446744073709551615\n"
                                    "1970-01-01T00:01:41.5Z,fs1,disk,sda,rd_ios,12.0\n"
                                    "101.5,fs1,disk,sda,await,-1.25\n")});
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_EQ(result.values, 4U);
  EXPECT_EQ(result.lines, 4U);
  EXPECT_THAT(sink_.series["fs1/sda rd_ios"],
              ElementsAre(Pair(100.5 * kSecond, 10), Pair(101.5 * kSecond, 12)));
  EXPECT_THAT(sink_.series["fs1/sda await"], ElementsAre(Pair(101.5 * kSecond, -1.25)));
  EXPECT_THAT(sink_.series["fs1/eth0 rx_bytes"], SizeIs(1));
}

TEST_F(CsvImportTest, ByteOrderMarkCarriageReturnsQuotesBlanksAndColumnOrder) {
  const auto result = import({write("a.csv",
                                    "\xEF\xBB\xBFvalue,\"time\",host, kind ,device,counter\r\n"
                                    "\" 7 \",100,\"fs,1\",disk,\"a\"\"b\",ios\r\n"
                                    "\r\n"
                                    "8 , 101,\"fs,1\",disk,\"a\"\"b\",ios\r\n")});
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(sink_.series["fs,1/a\"b ios"], ElementsAre(Pair(100 * kSecond, 7), Pair(101 * kSecond, 8)));
}

TEST_F(CsvImportTest, QuotesInCanonicalOrder) {
  import({write("a.csv",
                "time,host,kind,device,counter,value\n"
                "100,\"a,b\",disk,d,ios,1\n"
                "101,\"a,b\",disk,d,ios,2\n"
                "101,x,disk,d,ios,5\n"
                "102,\"a,b\",disk,d,ios,\"3\"\n"
                "102,x,disk,d,ios,6\n")});
  EXPECT_THAT(sink_.series["a,b/d ios"],
              ElementsAre(Pair(100 * kSecond, 1), Pair(101 * kSecond, 2), Pair(102 * kSecond, 3)));
  EXPECT_THAT(sink_.series["x/d ios"], ElementsAre(Pair(101 * kSecond, 5), Pair(102 * kSecond, 6)));
}

TEST_F(CsvImportTest, MissingIsNeverZero) {
  import({write("a.csv",
                "time,host,kind,device,counter,value\n"
                "100,fs1,disk,sda,await,NaN\n100,fs1,disk,sda,rd_ios,\n100,fs1,disk,sda,wr_ios,n/a\n"
                "101,fs1,disk,sda,await,0\n")});
  EXPECT_EQ(sink_.values(), 1U);
  EXPECT_THAT(sink_.series["fs1/sda await"], ElementsAre(Pair(101 * kSecond, 0)));
}

TEST_F(CsvImportTest, RepeatedTimeKeepsTheLatest) {
  import({write("a.csv",
                "time,host,kind,device,counter,value\n"
                "100,fs1,disk,sda,rd_ios,1\n99,fs1,disk,sda,rd_ios,3\n100,fs1,disk,sda,rd_ios,2\n")});
  EXPECT_THAT(sink_.series["fs1/sda rd_ios"], ElementsAre(Pair(99 * kSecond, 3), Pair(100 * kSecond, 2)));
}

TEST_F(CsvImportTest, WideForm) {
  const auto result =
      import({write("a.csv",
                    "\"ts\",\"disk_id\",\"throughput\",\"latency\",\"more\"\n"
                    "100,\"disk1\",10.5,51.19,x\n100,\"disk2\",nan,3,y\n115,\"disk1\",,4,z\n")},
             perseus());
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_EQ(result.values, 4U);
  EXPECT_THAT(sink_.series["h/disk1 latency"],
              ElementsAre(Pair(100 * kSecond, 51.19), Pair(115 * kSecond, 4)));
  EXPECT_THAT(sink_.series["h/disk1 throughput"], SizeIs(1));
  EXPECT_THAT(observer_.notices, ElementsAre(HasSubstr("not asked for: more")));
}

TEST_F(CsvImportTest, WideFormWithHostColumnAndCounters) {
  CsvForm form;
  form.time = "t";
  form.component = "if";
  form.host_column = "node";
  form.counters = {"rx_bytes"};
  form.kind = DeviceKind::kNet;
  import({write("a.csv", "t,node,if,rx_bytes\n1,a,eth0,5\n1,b,eth0,6\n2,a,eth0,7\n2,b,eth0,8\n")}, form);
  EXPECT_THAT(sink_.series["a/eth0 rx_bytes"], ElementsAre(Pair(kSecond, 5), Pair(2 * kSecond, 7)));
  EXPECT_THAT(sink_.series["b/eth0 rx_bytes"], ElementsAre(Pair(kSecond, 6), Pair(2 * kSecond, 8)));
  EXPECT_EQ(sink_.last_table.kind(), DeviceKind::kNet);
  EXPECT_EQ(sink_.last_table.counters().front().form, CounterForm::kCumulative);
}

TEST_F(CsvImportTest, EveryMistakeIsOneSentenceWithItsPlace) {
  const std::string head = "time,host,kind,device,counter,value\n100,h,disk,d,rd_ios,1\n";
  EXPECT_EQ(only_error(""), "bad.csv: is empty");
  EXPECT_EQ(only_error("time,host,kind,device,counter,value\n"), "bad.csv: has a header and no lines");
  EXPECT_EQ(only_error(head + "101,h,disk,d,rd_ios\n"), "bad.csv:3: has 5 fields where the header has 6");
  EXPECT_EQ(only_error(head + "101,h,disk,d,rd_ios,2,\n"), "bad.csv:3: has 7 fields where the header has 6");
  EXPECT_EQ(only_error(head + "101,h,disk,d,rd_ios,-2\n"),
            "bad.csv:3: the counter is negative (-2), but counters only grow; leave the field empty or "
            "correct the line");
  EXPECT_EQ(only_error(head + "101,h,disk,d,rd_ios,2.5\n"),
            "bad.csv:3: `2.5` is no whole number, which a counter has to be; are these rates? (--gauge)");
  EXPECT_EQ(only_error(head + "101,h,disk,d,rd_ios,99999999999999999999\n"),
            "bad.csv:3: `99999999999999999999` is too large for a counter to be exact");
  EXPECT_EQ(only_error(head + "101,h,disk,d,await,inf\n"),
            "bad.csv:3: `inf` is no finite number; leave the field empty where there is no value");
  EXPECT_EQ(only_error(head + "101,h,disk,d,rd_ios,two\n"),
            "bad.csv:3: `two` is no finite number; leave the field empty where there is no value");
  EXPECT_EQ(only_error(head + "101,h,fan,d,rpm,2\n"),
            "bad.csv:3: the kind `fan` is unknown; there are disk, net and tcp");
  EXPECT_EQ(only_error(head + "101,h,disk,,rd_ios,2\n"), "bad.csv:3: the host, device or counter is empty");
  EXPECT_EQ(only_error(head + "101,\"h,disk,d,rd_ios,2\n"), "bad.csv:3: a quote is not closed");
  EXPECT_THAT(only_error(head + "yesterday,h,disk,d,rd_ios,2\n"),
              HasSubstr("bad.csv:3: 'yesterday' is no time"));
  EXPECT_THAT(only_error(head + "2026-11-20 19:21:34,h,disk,d,rd_ios,2\n"), HasSubstr("with a zone"));
  EXPECT_THAT(only_error(head + "16591860150000,h,disk,d,rd_ios,2\n"), HasSubstr("16591860150000"));
  EXPECT_THAT(
      only_error(head + "101,h,di"),
      "bad.csv:3: has 3 fields where the header has 6 (the last line has no line end: is the file cut off?)");
  EXPECT_THAT(only_error("a,b\n1,2\n"), HasSubstr("bad.csv: the header `a,b` is not `time,host,kind,"));
  EXPECT_THAT(only_error("time,host,kind,device,counter,value,colour\n"),
              HasSubstr("column `colour` is unknown"));
  EXPECT_THAT(only_error("ts,disk_id,latency\n1,d,2\n", perseus()),
              HasSubstr("there is no column `throughput`; the file has `ts,disk_id,latency`"));
  EXPECT_THAT(only_error(std::string("\x7f"
                                     "ELF\0\0\0",
                                     7)),
              HasSubstr("binary data"));
}

TEST_F(CsvImportTest, WhatStoodBeforeAMistakeIsKeptAndOtherFilesAreRead) {
  const std::string head = "time,host,kind,device,counter,value\n";
  const auto result = import({write("a.csv", head + "1,h,disk,d,ios,1\n2,h,disk,d,ios,x\n3,h,disk,d,ios,3\n"),
                              folder_ / "absent.csv", folder_, write("b.csv", head + "4,h,disk,d,ios,4\n")});
  EXPECT_THAT(sink_.series["h/d ios"], ElementsAre(Pair(kSecond, 1), Pair(4 * kSecond, 4)));
  ASSERT_THAT(result.errors, SizeIs(3));
  EXPECT_EQ(result.errors[1].code, ErrorCode::kNotFound);
  EXPECT_THAT(result.errors[2].message(), HasSubstr("is a folder"));
}

TEST_F(CsvImportTest, UnknownCountersAreGaugesWithNotice) {
  import({write("a.csv", "time,host,kind,device,counter,value\n1,h,disk,d,wear,0.5\n")});
  EXPECT_THAT(sink_.series["h/d wear"], ElementsAre(Pair(kSecond, 0.5)));
  EXPECT_THAT(observer_.notices, ElementsAre("not in the catalogue, kept as gauges: disk/wear"));
}

TEST_F(CsvImportTest, WideFormsThatCannotBe) {
  CsvForm form = perseus();
  form.host.clear();
  EXPECT_THAT(import_csv({}, form, sink_, observer_).error().message(), HasSubstr("--host"));
  form = perseus();
  form.component.clear();
  EXPECT_THAT(import_csv({}, form, sink_, observer_).error().message(), HasSubstr("--component"));
  form = perseus();
  form.gauges.clear();
  EXPECT_THAT(import_csv({}, form, sink_, observer_).error().message(), HasSubstr("--gauge"));
}

TEST_F(CsvImportTest, PackingIsToldByContent) {
  write("plain", "time,host,kind,device,counter,value\n1,h,disk,d,ios,1\n");
  ASSERT_EQ(shell("gzip -c plain > a; xz -c plain > b; bzip2 -c plain > c; zstd -qc plain > d.txt"), 0);
  for (const char* name : {"plain", "a", "b", "c", "d.txt"}) {
    const auto result = import({folder_ / name});
    EXPECT_THAT(result.errors, IsEmpty()) << name;
    EXPECT_EQ(result.values, 1U) << name;
  }
  ASSERT_EQ(shell("head -c 60 b > cut"), 0);
  EXPECT_THAT(import({folder_ / "cut"}).errors, SizeIs(1));
}

TEST_F(CsvImportTest, MembersInTheOrderOfTheirNamesAndOthersLeftOut) {
  const std::string head = "ts,disk_id,throughput,latency\n";
  write("t/day-2.csv", head + "2,d,2,2\n");
  write("t/day-10.csv", head + "10,d,10,10\n");
  write("t/README", "This is no table\n");
  ASSERT_EQ(shell("tar cf all.tar t/day-10.csv t/README t/day-2.csv && gzip all.tar"), 0);
  const auto result = import({folder_ / "all.tar.gz"}, perseus());
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_EQ(result.sources, 2U);
  EXPECT_THAT(sink_.series["h/d latency"], ElementsAre(Pair(2 * kSecond, 2), Pair(10 * kSecond, 10)));
  EXPECT_THAT(observer_.notices,
              Contains(HasSubstr("all.tar.gz[t/README]: left out: there is no column `ts`")));

  write("t/day-3.csv", head + "3,d,x,1\n");
  ASSERT_EQ(shell("tar cf bad.tar t/day-3.csv t/README"), 0);
  const auto bad = import({folder_ / "bad.tar"}, perseus());
  ASSERT_THAT(bad.errors, SizeIs(1));
  EXPECT_THAT(bad.errors[0].message(), HasSubstr("bad.tar[t/day-3.csv]:2: `x` is no finite number"));
}

TEST_F(CsvImportTest, PerseusHost) {
  const std::filesystem::path file =
      std::filesystem::path(LAGGARD_SOURCE_DIR) / "../shared/data/perseus/cluster_A_host_22.tar.gz";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "needs ../shared/data/perseus";
  const auto result = import({file}, perseus());
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_EQ(result.sources, 14U);
  EXPECT_EQ(result.lines, 120960U);
  EXPECT_THAT(sink_.series, SizeIs(24));
}

}  // namespace
}  // namespace laggard::collect
