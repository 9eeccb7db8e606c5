#include "lab/scale/site.h"
#include "testing/topology.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace laggard::lab::scale {
namespace {

TEST(Site, HasIntrepidsNumbers) {  // T §5.2
  const SiteSpec site = intrepid();
  EXPECT_EQ(site.servers(), 128U);
  EXPECT_EQ(site.arrays, 16U);
  EXPECT_EQ(site.luns_per_array(), 72U);
  EXPECT_EQ(site.arrays * site.luns_per_array(), 1152U);
  EXPECT_EQ(site.attachments(), 9216U);
  EXPECT_EQ(site.set_of(47), 0U);
  EXPECT_EQ(site.set_of(48), 1U);
  EXPECT_EQ(site.lun_name(0, 0), "ddn6_lun000");
  EXPECT_EQ(site.lun_name(15, 71), "ddn21_lun071");
}

TEST(Site, EveryServerHasNinePrimariesOfItsSeventyTwo) {
  const SiteSpec site = intrepid();
  std::map<std::size_t, std::map<std::size_t, int>> count;  // server, priority
  for (std::size_t lun = 0; lun < site.luns_per_array(); ++lun) {
    std::set<std::size_t> servers;
    for (std::size_t priority = 0; priority < 8; ++priority) {
      const std::size_t server = site.server_at(lun, priority);
      EXPECT_EQ(site.priority_of(lun, server), priority);
      servers.insert(server);
      ++count[server][priority];
    }
    EXPECT_EQ(servers.size(), 8U);
  }
  for (const auto& [server, priorities] : count) {
    for (const auto& [priority, luns] : priorities) EXPECT_EQ(luns, 9) << server << " " << priority;
  }
}

TEST(Site, AgreesWithTheAttachmentsThatTheThesisNames) {
  const SiteSpec site = intrepid();
  const auto primary = [&](std::size_t ddn, std::size_t lun) {
    return site.attachment_name(ddn - 6, lun, site.server_at(lun, 0));
  };
  // T Tables 5.4 and 5.6, Fig 5.3.
  EXPECT_EQ(primary(12, 48), "12.48.49");
  EXPECT_EQ(primary(19, 50), "19.50.107");
  EXPECT_EQ(primary(16, 59), "16.59.84");
  EXPECT_EQ(primary(11, 69), "11.69.46");
  EXPECT_EQ(primary(15, 37), "15.37.78");
  EXPECT_EQ(primary(19, 12), "19.12.109");
  EXPECT_EQ(primary(9, 4), "9.04.29");
  EXPECT_EQ(primary(18, 61), "18.61.102");
  // "A (normally-unused) secondary attachment", T §5.8.1.
  EXPECT_EQ(site.attachment_name(15, 34, site.server_at(34, 1)), "21.34.124");
  // T Table 5.3: the load of fs16, 24, 25 was seen on the secondaries fs9, 17, 26; that of ddn12a on fs53.
  const auto secondary_of = [&](std::size_t server) {
    const std::size_t array = (server - 1) / 8;
    return site.server_name(array, site.server_at((server - 1) % 8, 1));
  };
  EXPECT_EQ(secondary_of(16), "fs9");
  EXPECT_EQ(secondary_of(24), "fs17");
  EXPECT_EQ(secondary_of(25), "fs26");
  EXPECT_EQ(secondary_of(52), "fs53");
}

Grouping groups_of(const SiteSpec& site) {
  auto model = topology::parse_system(system_toml(site), "system.toml");
  EXPECT_TRUE(model.has_value()) << model.error().message();
  auto grouping = topology::make_groups(topology::as_if_recorded(*model), &*model);
  EXPECT_TRUE(grouping.has_value());
  return std::move(*grouping);
}

TEST(Site, GroupsAsTheThesisDid) {  // T §5.2.2: 8 priorities x old and new
  const Grouping grouping = groups_of(intrepid());
  ASSERT_EQ(grouping.groups.size(), 16U);
  std::map<std::string, std::size_t> sizes;
  for (const PeerGroup& group : grouping.groups) sizes[group.name] = group.members.size();
  for (int priority = 1; priority <= 8; ++priority) {
    EXPECT_EQ(sizes["old LUNs, priority " + std::to_string(priority)], 768U);
    EXPECT_EQ(sizes["new LUNs, priority " + std::to_string(priority)], 384U);
  }
  EXPECT_EQ(grouping.components.size(), 9216U);
  EXPECT_TRUE(grouping.not_comparable.empty());
}

TEST(Site, SurveyorHasEightGroupsOfFour) {  // T §6.2.3
  const SiteSpec site = surveyor();
  EXPECT_EQ(site.attachments(), 32U);
  const Grouping grouping = groups_of(site);
  std::size_t first = 0;
  for (const PeerGroup& group : grouping.groups) {
    EXPECT_EQ(group.members.size(), 4U) << group.name;
    if (group.second_only) continue;
    ++first;
    EXPECT_EQ(group.double_with.size(), 4U) << group.name;
  }
  EXPECT_EQ(first, 8U);
}

}  // namespace
}  // namespace laggard::lab::scale
