#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "cmd/lab/run_folder.h"
#include "cmd/program.h"

namespace laggard::cmd {
namespace {

using testing::HasSubstr;

struct Ran {
  int status = 0;
  std::string out;
  std::string err;
};

Ran run_laggard(std::vector<std::string> words) {
  words.insert(words.begin(), "laggard");
  std::vector<char*> argv;
  argv.reserve(words.size());
  for (std::string& word : words) argv.push_back(word.data());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Ran ran;
  ran.status = run(static_cast<int>(argv.size()), argv.data());
  std::fflush(stdout);
  ran.out = testing::internal::GetCapturedStdout();
  ran.err = testing::internal::GetCapturedStderr();
  return ran;
}

class SimulateCommand : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / ("simulate_command_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const char* name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
};

TEST_F(SimulateCommand, WritesARecordingThatDiagnoseReads) {
  const Ran simulated = run_laggard({"lab", "simulate", "--workload", "ddr", "--fault", "disk-hog", "--seed",
                                     "3", "--clients", "4", "--servers", "5", "-o", path("rec")});
  ASSERT_EQ(simulated.status, 0) << simulated.err;
  EXPECT_THAT(simulated.out, HasSubstr("disk-hog at s3"));
  const auto truth = read_truth(path("rec"));
  ASSERT_TRUE(truth.has_value()) << truth.error().message();
  EXPECT_EQ(truth->faulty_server, "s3");
  const Ran diagnosed =
      run_laggard({"diagnose", path("rec"), "--system", path("rec/system.toml"), "--check"});
  EXPECT_EQ(diagnosed.status, 1) << diagnosed.err;
  EXPECT_THAT(diagnosed.out, HasSubstr("s3: disk-hog"));
}

TEST_F(SimulateCommand, RefusesWhatCannotBe) {
  std::filesystem::create_directories(path("full"));
  ASSERT_TRUE(write_file(path("full/x"), "x"));
  EXPECT_THAT(run_laggard({"lab", "simulate", "-o", path("full")}).err, HasSubstr("not empty"));
  EXPECT_THAT(run_laggard({"lab", "simulate", "--faulty-server", "11", "-o", path("a")}).err,
              HasSubstr("there are 10 servers"));
  const Ran late =
      run_laggard({"lab", "simulate", "--fault", "disk-hog", "--duration", "300s", "-o", path("b")});
  EXPECT_EQ(late.status, 2);
  EXPECT_THAT(late.err, HasSubstr("end within the run"));
}

}  // namespace
}  // namespace laggard::cmd
