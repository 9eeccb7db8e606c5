#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "archive/reader.h"
#include "testing/cli.h"

namespace laggard::cmd {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ImportCommandTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "import-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    out_ = folder_ / "rec";
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  /// `laggard import WORDS --out REC`
  int import(std::vector<std::string> words) {
    words.insert(words.begin(), "import");
    words.insert(words.end(), {"--out", out_.string()});
    const testing_support::Said said = testing_support::laggard(std::move(words));
    said_ = said.out;
    complained_ = said.err;
    return said.status;
  }

  fs::path folder_;
  fs::path out_;
  std::string said_;
  std::string complained_;
};

TEST_F(ImportCommandTest, TheSecondTimeAddsNothing) {
  const auto file = write("a.csv", "ts,disk_id,latency\n100,d1,5\n100,d2,6\n115,d1,7\n");
  const std::vector<std::string> words{"csv", "--gauge", "latency", file,          "--time",
                                       "ts",  "--host",  "h",       "--component", "disk_id"};
  EXPECT_EQ(import(words), kClean);
  EXPECT_THAT(said_, HasSubstr(": 3 new samples, 1970-01-01T00:01:40Z to 1970-01-01T00:01:55Z"));
  EXPECT_EQ(import(words), kClean);
  EXPECT_THAT(said_, HasSubstr(": 0 new samples (3 already there)"));
  EXPECT_THAT(complained_, IsEmpty());

  const std::vector<fs::path> paths{out_};
  auto reader = archive::Reader::open(paths);
  ASSERT_TRUE(reader);
  const auto inventory = (*reader)->inventory();
  ASSERT_TRUE(inventory);
  ASSERT_EQ(inventory->devices.size(), 2U);
  EXPECT_EQ(inventory->devices[0].device, "d1");
  EXPECT_EQ(inventory->devices[0].samples, 2U);
}

TEST_F(ImportCommandTest, BadInputIsStatusTwoAndOneSentence) {
  const std::string head = "time,host,kind,device,counter,value\n";
  EXPECT_EQ(import({"csv", write("a.csv", head + "1,h,disk,d,ios,1\n2,h,disk,d,ios,-1\n")}), kBadUse);
  EXPECT_THAT(complained_,
              AllOf(::testing::EndsWith("a.csv:3: the counter is negative (-1), but counters only grow; "
                                        "leave the field empty or correct the line\n"),
                    ::testing::StartsWith("laggard: ")));
  EXPECT_THAT(said_, HasSubstr(": 1 new sample, "));
}

TEST_F(ImportCommandTest, NothingImportedLeavesNothingBehind) {
  EXPECT_EQ(import({"csv", (folder_ / "absent").string()}), kBadUse);
  EXPECT_EQ(import({"sysstat", write("sa01", "no sa file").string()}), kBadUse);
  EXPECT_EQ(import({"prometheus", "http://127.0.0.1:1"}), kBadUse);
  EXPECT_THAT(complained_, HasSubstr("cannot connect"));
  EXPECT_FALSE(fs::exists(out_));
}

TEST_F(ImportCommandTest, BadUse) {
  const auto file = write("a.csv", "ts,d,x\n1,d,2\n");
  EXPECT_EQ(import({"csv", file, "--time", "ts"}), kBadUse);
  EXPECT_THAT(complained_, HasSubstr("--component"));
  EXPECT_EQ(import({"prometheus", "prom:9090"}), kBadUse);
  EXPECT_EQ(import({"prometheus", "http://prom", "--from", "yesterday"}), kBadUse);
  EXPECT_THAT(complained_, HasSubstr("neither a time"));
  EXPECT_EQ(import({"prometheus", "http://prom", "--label", "rack=x"}), kBadUse);
  EXPECT_EQ(import({"prometheus", "http://prom", "--step", "0s"}), kBadUse);
  EXPECT_EQ(import({"csv"}), kBadUse);
}

TEST_F(ImportCommandTest, Json) {
  EXPECT_EQ(
      import({"csv", write("a.csv", "time,host,kind,device,counter,value\n1,h,disk,d,ios,1\n"), "--json"}),
      kClean);
  EXPECT_THAT(said_,
              AllOf(HasSubstr(R"("schema":"laggard.import/1")"), HasSubstr(R"("new":1,"already_there":0)")));
}

}  // namespace
}  // namespace laggard::cmd
