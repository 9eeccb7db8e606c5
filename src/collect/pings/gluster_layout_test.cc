#include "collect/pings/gluster_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace laggard::collect {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// As GlusterFS 10.3 answers, of a directory on two pairs of replicas.
constexpr std::string_view kDirectory =
    "((<DISTRIBUTE:v-dht> (<REPLICATE:v-replicate-1> <POSIX(/bricks/b4):s4:/bricks/b4/.p> "
    "<POSIX(/bricks/b3):s3:/bricks/b3/.p>) (<REPLICATE:v-replicate-0> <POSIX(/bricks/b2):s2:/bricks/b2/.p> "
    "<POSIX(/bricks/b1):s1:/bricks/b1/.p>)) (v-dht-layout (v-replicate-0 2147483647 4294967295) "
    "(v-replicate-1 0 2147483646)))";
constexpr std::string_view kFile =
    "(<DISTRIBUTE:v-dht> (<REPLICATE:v-replicate-0> <POSIX(/bricks/b1):s1:/bricks/b1/.p/f> "
    "<POSIX(/bricks/b2):s2:/bricks/b2/.p/f>))";

std::vector<GlusterSubvolume> replicas(const std::string& host_prefix = "s") {
  const auto brick = [&](int k) {
    return GlusterBrick{host_prefix + std::to_string(k), "/bricks/b" + std::to_string(k)};
  };
  return {{"v-replicate-0", {brick(1), brick(2)}}, {"v-replicate-1", {brick(3), brick(4)}}};
}

bool never(const std::string&, const std::string&) { return false; }

TEST(GlusterHash, IsThatOfLibglusterfs) {
  // From gf_dm_hashfn of libglusterfs 10.3.
  const std::pair<std::string_view, std::uint32_t> known[] = {
      {"", 0x884774a2},
      {"a", 0x3a17e4e6},
      {"hello", 0xa7923147},
      {"0123456789abcdef", 0x6ecb5ada},
      {"0123456789abcdefg", 0x7f5d9903},
      {"abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG", 0x1ff00df4},
  };
  for (const auto& [name, hash] : known) EXPECT_EQ(gluster_hash(name), hash) << name;
}

TEST(GlusterPathinfo, OfADirectorySaysHowItsNamesAreDistributed) {
  const auto info = parse_gluster_pathinfo(kDirectory);
  ASSERT_TRUE(info);
  EXPECT_THAT(info->bricks, ElementsAre(GlusterBrick{"s4", "/bricks/b4"}, GlusterBrick{"s3", "/bricks/b3"},
                                        GlusterBrick{"s2", "/bricks/b2"}, GlusterBrick{"s1", "/bricks/b1"}));
  EXPECT_THAT(info->layout, ElementsAre(GlusterPathinfo::Range{"v-replicate-0", 2147483647U, 4294967295U},
                                        GlusterPathinfo::Range{"v-replicate-1", 0, 2147483646U}));
}

TEST(GlusterPathinfo, OfAFileNamesItsBricks) {
  const auto info = parse_gluster_pathinfo(kFile);
  ASSERT_TRUE(info);
  EXPECT_THAT(info->bricks, ElementsAre(GlusterBrick{"s1", "/bricks/b1"}, GlusterBrick{"s2", "/bricks/b2"}));
  EXPECT_THAT(info->layout, IsEmpty());
}

TEST(GlusterPathinfo, WhatIsCutOffIsNoBrickAndNoRange) {
  for (std::size_t length = 0; length < kDirectory.size(); ++length) {
    const auto info = parse_gluster_pathinfo(kDirectory.substr(0, length));
    if (!info) continue;
    EXPECT_LE(info->bricks.size(), 4U);
    for (const auto& range : info->layout) EXPECT_TRUE(range.subvolume.starts_with("v-replicate-")) << length;
  }
  EXPECT_FALSE(parse_gluster_pathinfo(""));
  EXPECT_FALSE(parse_gluster_pathinfo("<POSIX(/b1)"));
}

TEST(GlusterPlacement, NamesAndFilesAreThoseOfTheTarget) {
  const auto graph = replicas();
  const GlusterPlacement placement = place_on(graph[0], *parse_gluster_pathinfo(kDirectory), graph, &never);
  EXPECT_TRUE(placement.is_named_for("")) << "0x884774a2 is in the upper half";
  EXPECT_FALSE(placement.is_named_for("a"));
  EXPECT_TRUE(placement.holds(*parse_gluster_pathinfo(kFile)));
  EXPECT_FALSE(placement.holds(*parse_gluster_pathinfo("<POSIX(/bricks/b3):s3:/bricks/b3/.p/f>")));
  EXPECT_FALSE(placement.holds(*parse_gluster_pathinfo("<POSIX(/bricks/b1):s3:/bricks/b1/.p/f>")))
      << "another host's directory of that name";
}

TEST(GlusterPlacement, HostsAreComparedWherePathsAreTheSameOnAll) {
  std::vector<GlusterSubvolume> graph{{"v-client-0", {{"10.0.0.1", "/b"}}},
                                      {"v-client-1", {{"10.0.0.2", "/b"}}}};
  const auto info = parse_gluster_pathinfo(
      "((<DISTRIBUTE:v-dht> <POSIX(/b):s1:/b/d> <POSIX(/b):s2:/b/d>) (v-dht-layout (v-client-0 0 9) "
      "(v-client-1 0 0)))");
  const auto same = [](const std::string& one, const std::string& other) {
    return one.back() == other.back();
  };
  EXPECT_THAT(place_on(graph[1], *info, graph, same).bricks, ElementsAre(GlusterBrick{"s2", "/b"}));
  EXPECT_THAT(place_on(graph[1], *info, graph, same).ranges, IsEmpty()) << "it is new to the directory";
  EXPECT_THAT(place_on(graph[0], *info, graph, &never).bricks, IsEmpty());
}

TEST(GlusterPlacement, HostsAreTheSameByNameWithOrWithoutDomainOrByAddress) {
  EXPECT_TRUE(is_same_host("fs1", "fs1"));
  EXPECT_TRUE(is_same_host("fs1", "fs1.example.org"));
  EXPECT_TRUE(is_same_host("127.0.0.1", "localhost"));
  EXPECT_FALSE(is_same_host("127.0.0.1", "127.0.0.2"));
}

}  // namespace
}  // namespace laggard::collect
