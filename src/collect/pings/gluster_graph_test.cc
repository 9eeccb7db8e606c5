#include "collect/pings/gluster_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "testing/fake_machine.h"

namespace laggard::collect {
namespace {

using testing::ElementsAre;

/// A mount's `.meta/graphs/active`, made of plain folders.
class Graph : public testing::Test {
 protected:
  void translator(const std::string& name, const std::string& type,
                  const std::vector<std::string>& below = {}) {
    const std::string folder = "v/.meta/graphs/active/" + name;
    machine_.write(folder + "/type", type + "\n");
    machine_.folder(folder + "/subvolumes");
    for (std::size_t i = 0; i < below.size(); ++i) {
      std::filesystem::create_directory_symlink("../../" + below[i],
                                                machine_.path() / folder / "subvolumes" / std::to_string(i));
    }
  }
  void client(int k) {
    const std::string name = "v-client-" + std::to_string(k);
    translator(name, "protocol/client");
    machine_.write("v/.meta/graphs/active/" + name + "/options/remote-host", "fs" + std::to_string(k) + "\n");
    machine_.write("v/.meta/graphs/active/" + name + "/options/remote-subvolume", "/bricks/b\n");
  }
  [[nodiscard]] Result<std::vector<GlusterSubvolume>> read(const std::string& directory = "v") const {
    return read_gluster_graph(machine_.path() / directory);
  }
  FakeRoot machine_;
};

TEST_F(Graph, SubvolumesAreThoseAmongWhichFilesAreDistributed) {
  for (int k = 0; k < 3; ++k) client(k);
  translator("v-replicate-0", "cluster/replicate", {"v-client-0", "v-client-1"});
  translator("v-dht", "cluster/distribute", {"v-replicate-0", "v-client-2"});
  translator("v", "debug/io-stats", {"v-dht"});
  machine_.folder("v/some/folder");
  for (const char* directory : {"v", "v/some/folder"}) {
    const auto graph = read(directory);
    ASSERT_TRUE(graph) << graph.error().message();
    ASSERT_EQ(graph->size(), 2U);
    EXPECT_EQ((*graph)[0].name, "v-replicate-0");
    EXPECT_THAT((*graph)[0].bricks,
                ElementsAre(GlusterBrick{"fs0", "/bricks/b"}, GlusterBrick{"fs1", "/bricks/b"}));
    EXPECT_THAT((*graph)[1].bricks, ElementsAre(GlusterBrick{"fs2", "/bricks/b"}));
    EXPECT_TRUE((*graph)[1].is_called("fs2:/bricks/b"));
    EXPECT_TRUE((*graph)[0].is_called("v-replicate-0"));
    EXPECT_FALSE((*graph)[0].is_called("fs0:/bricks/b")) << "a pair is not one of its bricks";
  }
}

TEST_F(Graph, WhatDistributesNothingIsRefused) {
  EXPECT_FALSE(read()) << "no volume at all";
  client(0);
  translator("v", "debug/io-stats", {"v-client-0"});
  const auto graph = read();
  ASSERT_FALSE(graph);
  EXPECT_THAT(graph.error().message(), testing::HasSubstr("does not distribute"));
  translator("v-dht", "cluster/distribute", {"v-dht"});
  EXPECT_FALSE(read()) << "one that is below itself";
}

}  // namespace
}  // namespace laggard::collect
