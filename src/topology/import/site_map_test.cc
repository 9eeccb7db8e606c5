#include "topology/import/site_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topology/import/hosts.h"

namespace laggard::topology {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

std::string refusal(const std::string& text) {
  const auto map = parse_site_map(text, "site.toml");
  return map ? std::string("accepted") : map.error().message();
}

TEST(SiteMap, NamesHosts) {
  const auto map =
      parse_site_map("[[hosts]]\nname = 'oss[1-2]'\ncalled = ['10.0.0.[1-2]@o2ib', 'a,b']\n", "m");
  ASSERT_TRUE(map.has_value()) << map.error().message();
  HostNames names(*map);
  EXPECT_EQ(names.name("10.0.0.2@o2ib").value(), "oss2");
  EXPECT_EQ(names.name("a").value(), "oss1");
  EXPECT_EQ(names.name("other.example.org").value(), "other");
  EXPECT_EQ(names.name("192.168.1.1").value(), "192.168.1.1");
  EXPECT_FALSE(names.name("other.example.com").has_value());
}

TEST(SiteMap, KeepsDomainsWhereAsked) {
  const auto map = parse_site_map("short_names = false\n", "m");
  ASSERT_TRUE(map.has_value());
  EXPECT_EQ(HostNames(*map).name("a.example.org").value(), "a.example.org");
}

TEST(SiteMap, PutsLunsOnArraysIntoSetsAndDrawers) {
  const auto map = parse_site_map(
      "[[arrays]]\nname='a[1-3]'\nluns='{array}_lun?'\ncontrollers='{array}x,{array}y'\n"
      "[[sets]]\nname='new'\nluns='a2_lun1'\n[[drawers]]\nname='shelf1'\ncalled='shelf'\nluns='*_lun1'\n",
      "m");
  ASSERT_TRUE(map.has_value()) << map.error().message();
  SystemSketch sketch;
  sketch.luns = {{.name = "a1_lun1", .paths = {{"s10", "d"}, {"s9", "d"}}},
                 {.name = "a2_lun1", .paths = {{"s1", "d"}, {"s2", "d"}, {"s3", "d"}}},
                 {.name = "other", .paths = {{"s1", "e"}}}};
  apply_site_map(*map, sketch);
  ASSERT_THAT(sketch.arrays, SizeIs(2));
  EXPECT_THAT(sketch.arrays[0].servers, ElementsAre("s9", "s10"));
  EXPECT_THAT(sketch.arrays[1].cabling, ElementsAre("1-3", "1-3"));
  EXPECT_EQ(sketch.luns[1].set, "new");
  ASSERT_THAT(sketch.drawers, SizeIs(1));
  EXPECT_THAT(sketch.drawers[0].luns, ElementsAre("a1_lun1", "a2_lun1"));
  EXPECT_EQ(sketch.drawers[0].called, "shelf");
  EXPECT_THAT(sketch.notes.arrays, ElementsAre("The site map puts these on no array: other.",
                                               HasSubstr("3 servers do not divide among 2 controllers"),
                                               HasSubstr("a3 of the site map has none")));
}

TEST(SiteMap, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(refusal("[[hosts]]\nname = 'a'\n"), "site.toml:1: [[hosts]] needs a 'called'");
  EXPECT_EQ(refusal("arays = 1\n"), "site.toml:1: a site map has no key 'arays'; did you mean 'arrays'?");
  EXPECT_EQ(refusal("hosts = 1\n"), "site.toml:1: 'hosts' must be written as tables: [[hosts]]");
  EXPECT_THAT(refusal("[[arrays]]\nname = 'a[1'\nluns='x'\n"), HasSubstr("site.toml:2: node set 'a[1'"));
  EXPECT_THAT(refusal("[[hosts]]\nname='a,b'\ncalled='x'\n"), HasSubstr("'x' is both 'a' and 'b'"));
  EXPECT_THAT(refusal("x ="), HasSubstr("site.toml:1: "));
}

}  // namespace
}  // namespace laggard::topology
