// A small and short run on a real bench: needs root, the programs that it runs, and a kernel that allows it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "base/file.h"
#include "lab/cmd/run_folder.h"
#include "testing/bench_fixture.h"

namespace laggard::lab {
namespace {

using testing::HasSubstr;

TEST_F(BenchCommand, RecordsASickServerAndLeavesNothing) {
  const MachineState before = look();
  const std::filesystem::path out = folder_ / "run";
  const int status = finish(
      start({"--servers", "3", "--clients", "1", "--workload", "ddw", "--fault", "disk-hog", "--server", "2",
             "--seconds", "6", "--fault-after", "2", "--fault-seconds", "3", "--out", out}));
  ASSERT_EQ(status, 0) << said();
  const auto truth = read_truth(out);
  ASSERT_TRUE(truth) << truth.error().message();
  EXPECT_EQ(truth->faulty_server, "s2");
  EXPECT_NEAR(to_seconds(*truth->fault_stop - *truth->fault_start), 3, 1.5);
  std::size_t recordings = 0;
  for (const auto& file : std::filesystem::directory_iterator(out / "metrics")) {
    if (file.path().extension() == ".lgd") ++recordings;
  }
  EXPECT_EQ(recordings, 4U);  // Three servers and a client.
  EXPECT_TRUE(std::filesystem::exists(out / "s1.sa"));
  expect_same(before, look());
}

TEST_F(BenchCommand, NeitherBuildsOnNorCleansWhatItDidNotMake) {
  std::filesystem::create_directory(layout_.state());
  ASSERT_TRUE(write_file(layout_.state() / "mine", "x"));
  EXPECT_EQ(finish(start({"--servers", "3", "--clients", "1", "--out", folder_ / "run"})), 2);
  EXPECT_THAT(said(), HasSubstr("is there already"));
  EXPECT_EQ(finish(start({"--clean"})), 2);
  EXPECT_THAT(said(), HasSubstr("it is left alone"));
  for (const std::string& planted :
       {"folder\t" + layout_.state().native() + "\t\n", std::string("setting\t/etc/motd\tx\n")}) {
    ASSERT_TRUE(write_file(layout_.journal(), planted));
    ASSERT_EQ(::chmod(layout_.journal().c_str(), 0600), 0);
    EXPECT_EQ(finish(start({"--clean"})), 2);
    EXPECT_EQ(finish(start({"--servers", "3", "--clients", "1", "--out", folder_ / "run"})), 2);
    EXPECT_THAT(said(), HasSubstr(layout_.journal().native() + ":1: "));
    EXPECT_EQ(read_file(layout_.journal()).value_or(""), planted);
  }
  EXPECT_EQ(read_file(layout_.state() / "mine").value_or(""), "x");
  std::filesystem::remove(layout_.journal());
  std::filesystem::remove_all(layout_.state());
}

}  // namespace
}  // namespace laggard::lab
