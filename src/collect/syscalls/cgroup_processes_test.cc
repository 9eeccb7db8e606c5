#include "collect/syscalls/cgroup_processes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "testing/archive.h"

namespace laggard::collect {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
namespace fs = std::filesystem;

class CgroupProcessesTest : public testing::Test {
 protected:
  CgroupProcessesTest() { write("cgroup.controllers", "cpu"); }
  void write(const std::string& name, const std::string& text) const {
    const fs::path path = root_.path() / "sys/fs/cgroup" / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  archive::testing::TempDir root_;
};

TEST_F(CgroupProcessesTest, AreThoseOfAllGroupsBelow) {
  write("a/cgroup.procs", "7\n5\n");
  write("a/b/c/cgroup.procs", "11\n");
  write("other/cgroup.procs", "13\n");
  auto processes = CgroupProcesses::find(root_.path(), {"a"});
  ASSERT_TRUE(processes) << processes.error().message();
  EXPECT_THAT(processes->newcomers(), ElementsAre(5, 7, 11));
  EXPECT_THAT(processes->newcomers(), IsEmpty());
  write("a/b/c/cgroup.procs", "11\n12\n");
  EXPECT_THAT(processes->newcomers(), ElementsAre(12));
}

TEST_F(CgroupProcessesTest, ANumberThatIsGivenAgainIsAnotherProcess) {
  write("a/cgroup.procs", "7\n");
  auto processes = CgroupProcesses::find(root_.path(), {(root_.path() / "sys/fs/cgroup/a").string()});
  ASSERT_TRUE(processes) << processes.error().message();
  EXPECT_THAT(processes->newcomers(), ElementsAre(7));
  fs::remove_all(root_.path() / "sys/fs/cgroup/a");
  EXPECT_THAT(processes->newcomers(), IsEmpty());
  write("a/cgroup.procs", "7\n");
  EXPECT_THAT(processes->newcomers(), ElementsAre(7));
}

TEST_F(CgroupProcessesTest, AGroupThatIsNotThereIsNamed) {
  write("a/cgroup.procs", "");
  const auto processes = CgroupProcesses::find(root_.path(), {"a", "b/c"});
  ASSERT_FALSE(processes);
  EXPECT_EQ(processes.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(processes.error().message(), "--cgroup: there is no control group b/c");
}

}  // namespace
}  // namespace laggard::collect
