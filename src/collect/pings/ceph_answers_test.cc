#include "collect/pings/ceph_answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace laggard::collect {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// As Ceph 16.2.15 answers `osd map`.
constexpr std::string_view kPlace =
    R"({"epoch":13,"pool":"laggard-pings","pool_id":2,"objname":"laggard-ping-0","raw_pgid":"2.7fc1f406",)"
    R"("pgid":"2.6","up":[1,0],"up_primary":1,"acting":[1,0],"acting_primary":1})";

TEST(CephAnswers, APlaceIsThePrimaryTheHashAndHowManyHaveIt) {
  const auto place = parse_ceph_place(kPlace);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->osd, 1);
  EXPECT_EQ(place->hash, 0x7fc1f406U);
  EXPECT_EQ(place->copies, 2U);
  const auto nobody = parse_ceph_place(R"({"raw_pgid":"2.0","acting":[],"acting_primary":-1})");
  ASSERT_TRUE(nobody);
  EXPECT_LT(nobody->osd, 0);
}

TEST(CephAnswers, WhatIsCutOffOrOfAnotherTypeIsNoPlace) {
  for (std::size_t length = 0; length < kPlace.size(); ++length)
    EXPECT_FALSE(parse_ceph_place(kPlace.substr(0, length))) << length;
  for (const char* answer : {"[]", "{}", R"({"raw_pgid":"2.g","acting":[],"acting_primary":1})",
                             R"({"raw_pgid":"2.7fc1f4060","acting":[],"acting_primary":1})",
                             R"({"raw_pgid":"2","acting":[],"acting_primary":1})",
                             R"({"raw_pgid":"2.1","acting":1,"acting_primary":1})",
                             R"({"raw_pgid":"2.1","acting":[],"acting_primary":"1"})"})
    EXPECT_FALSE(parse_ceph_place(answer)) << answer;
}

TEST(CephAnswers, QuestionsAreJsonWhateverAPoolIsCalled) {
  EXPECT_EQ(ceph_place_command("p", "k"),
            R"({"format":"json","nspace":"laggard-pings","object":"k","pool":"p","prefix":"osd map"})");
  EXPECT_NE(ceph_place_command("a\"b\xff", "k").find(R"("pool":"a\"b)"), std::string::npos);
}

TEST(CephAnswers, OsdsAreCalledAsSystemFilesCallTheirDisks) {
  const auto osds = parse_ceph_osds(R"([
      {"id":4,"hostname":"n2","devices":"sda,nvme0n1","bluestore_bdev_devices":"sda"},
      {"id":0,"hostname":"n1.example.org","devices":"sdb"},
      {"id":1,"hostname":"n1","devices":"sdc,sdd"},
      {"id":2,"hostname":"n1","devices":"vda"},
      {"id":3,"hostname":"n1","devices":"vda"},
      {"id":5},{"hostname":"n9"},{"id":-1,"hostname":"n9"},7])");
  ASSERT_TRUE(osds);
  std::vector<std::string> names;
  for (const CephOsd& osd : *osds) names.push_back(osd.target_name());
  EXPECT_THAT(names, ElementsAre("n1/sdb", "n1/osd.1", "n1/osd.2", "n1/osd.3", "n2/sda", "osd.5"));
  EXPECT_EQ((*osds)[4].place(), "osd.4");
  EXPECT_FALSE(parse_ceph_osds("{}"));
}

TEST(CephAnswers, WhoIsDownAndWhoIsOut) {
  const auto down = parse_ceph_down(R"({"nodes":[{"id":-1,"name":"default","type":"root","children":[0]},
      {"id":0,"name":"osd.0","status":"down","crush_weight":1,"reweight":1},
      {"id":1,"name":"osd.1","status":"up","crush_weight":1,"reweight":1},
      {"id":2,"name":"osd.2","status":"down","crush_weight":1,"reweight":0},
      {"id":3,"name":"osd.3","status":"down","crush_weight":0,"reweight":1}],"stray":[]})");
  ASSERT_TRUE(down);
  EXPECT_THAT(down->all, ElementsAre(0, 2, 3));
  EXPECT_THAT(down->in, ElementsAre(0));
  EXPECT_FALSE(parse_ceph_down("[]"));
  const auto none = parse_ceph_down(R"({"nodes":[],"stray":[]})");
  ASSERT_TRUE(none);
  EXPECT_THAT(none->all, IsEmpty());
}

TEST(CephAnswers, NamesOfOsds) {
  EXPECT_EQ(parse_osd_name("osd.12"), 12);
  for (const char* name : {"osd.", "osd", "12", "osd.-1", "osd.1x", "mon.1", ""})
    EXPECT_FALSE(parse_osd_name(name)) << name;
}

}  // namespace
}  // namespace laggard::collect
