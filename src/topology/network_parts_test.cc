#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/topology.h"
#include "topology/groups.h"
#include "topology/system_file.h"

namespace laggard::topology {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using testing_support::InventoryBuilder;

/// Four servers with two recorded interfaces each.
Grouping grouped(const std::string& network) {
  InventoryBuilder build;
  for (int h = 1; h <= 4; ++h) {
    const std::string host = "s" + std::to_string(h);
    build.disk(host, "sda").net(host, "eth0").net(host, "eth1");
  }
  const auto model =
      parse_system("[[servers]]\nname = \"s[1-4]\"\ndevice = \"sda\"\n" + network, "system.toml");
  EXPECT_TRUE(model) << model.error().message();
  auto grouping = make_groups(build.get(), &*model);
  EXPECT_TRUE(grouping) << grouping.error().message();
  return std::move(*grouping);
}

std::vector<Part> needed_by(const Grouping& grouping, const std::string& name) {
  std::vector<Part> parts;
  for (const Component& component : grouping.components) {
    if (component.name != name) continue;
    for (const PartId id : grouping.parts.needs(component.part)) parts.push_back(grouping.parts[id]);
  }
  return parts;
}

TEST(NetworkParts, LinksRouteOverTheSwitchesThatTheyArePluggedInto) {
  const Grouping grouping = grouped(
      "[[switches]]\nname = \"leaf[1-2]\"\nports = \"s[1-4]/eth0 by 2\"\nuplink = \"spine\"\n"
      "[[switches]]\nname = \"spine\"\nports = \"s4/eth1\"\n");
  const Part spine{PartKind::kSwitch, "spine"};
  EXPECT_THAT(needed_by(grouping, "s1/eth0"),
              ElementsAre(Part{PartKind::kLink, "s1/eth0"}, Part{PartKind::kServer, "s1"},
                          Part{PartKind::kSwitch, "leaf1"}, spine));
  EXPECT_THAT(needed_by(grouping, "s3/eth0"), Contains(Part{PartKind::kSwitch, "leaf2"}));
  EXPECT_THAT(needed_by(grouping, "s3/eth1"), Not(Contains(spine)));
  EXPECT_THAT(needed_by(grouping, "s4/eth1"), Contains(spine));
  EXPECT_THAT(needed_by(grouping, "s1/sda"),
              ElementsAre(Part{PartKind::kDisk, "s1/sda"}, Part{PartKind::kServer, "s1"}))
      << "a disk needs no switch";
}

TEST(NetworkParts, OneRouterIsNeededAndOfSeveralTheirGroup) {
  const Grouping grouping = grouped(
      "[[routes]]\nover = \"gw\"\nto = \"s1\"\n"
      "[[routes]]\nname = \"lnet\"\nover = \"rtr[1-4]\"\nto = \"s[2-4]\"\n"
      "[[load_balancers]]\nname = \"lb\"\nservers = \"s4\"\n");
  EXPECT_THAT(needed_by(grouping, "s1/eth0"), Contains(Part{PartKind::kRouter, "gw"}));
  EXPECT_THAT(needed_by(grouping, "s2/eth0"), Contains(Part{PartKind::kLoadBalancer, "lnet"}));
  EXPECT_THAT(needed_by(grouping, "s2/eth0"), Not(Contains(Part{PartKind::kRouter, "rtr1"})));
  EXPECT_THAT(needed_by(grouping, "s4/eth1"), Contains(Part{PartKind::kLoadBalancer, "lb"}));
  const PartId router = *grouping.parts.find(PartKind::kRouter, "rtr3");
  const PartId group = *grouping.parts.find(PartKind::kLoadBalancer, "lnet");
  EXPECT_THAT(grouping.parts.edges_of(router), ElementsAre(PartGraph::Edge{EdgeKind::kMemberOf, group}));
}

TEST(NetworkParts, ARouteOfSomeClientsIsForProbesOnly) {
  const Grouping grouping = grouped(
      "[[clients]]\nname = \"n[1-2]\"\n"
      "[[routes]]\nname = \"lnet\"\nover = \"rtr[1-2]\"\nfrom = \"n[1-2]\"\nto = \"s2\"\n");
  EXPECT_THAT(needed_by(grouping, "s2/eth0"), Not(Contains(Part{PartKind::kLoadBalancer, "lnet"})));
  ASSERT_EQ(grouping.routes.size(), 1U);
  EXPECT_THAT(grouping.routes[0].clients, ElementsAre("n1", "n2"));
  EXPECT_THAT(grouping.routes[0].servers, ElementsAre("s2"));
  EXPECT_THAT(grouping.routes[0].over,
              ElementsAre(Part{PartKind::kRouter, "rtr1"}, Part{PartKind::kRouter, "rtr2"}));
}

TEST(NetworkParts, OfEventsAloneTheFileStillTellsWhatThereIs) {
  const SystemModel model = *parse_system(
      "[[servers]]\nname = \"s[1-2]\"\nset = \"home\"\n"
      "[[servers]]\nname = \"m1\"\nrole = \"metadata\"\nset = \"home\"\n"
      "[[luns]]\nname = \"ost1\"\nservers = \"s[1-2]\"\ndevice = \"{lun}\"\nset = \"home\"\n",
      "system.toml");
  const Grouping grouping = parts_alone(model);
  EXPECT_TRUE(grouping.components.empty());
  EXPECT_TRUE(grouping.parts.find(PartKind::kMetadataServer, "m1"));
  EXPECT_TRUE(grouping.parts.find(PartKind::kLun, "ost1"));
  EXPECT_TRUE(grouping.parts.find(PartKind::kServer, "s2")) << "through which it is reached, too";
  EXPECT_THAT(grouping.sets, ElementsAre(std::pair("m1", "home"), std::pair("ost1", "home")));
}

TEST(NetworkParts, MistakesAreNamedWithTheirLines) {
  const auto mistake = [](const std::string& text) {
    const SystemReading reading =
        read_system("[[servers]]\nname = \"s[1-4]\"\n[[clients]]\nname = \"c1\"\n" + text, "system.toml");
    return reading.mistakes.empty() ? std::string() : reading.mistakes.front().message();
  };
  EXPECT_EQ(mistake("[[switches]]\nname = \"sw1\"\nports = \"s1\"\n"),
            "system.toml:7: 's1' is no port; write ports as host/interface");
  EXPECT_EQ(mistake("[[switches]]\nname = \"sw1\"\nports = \"t1/eth0\"\n"),
            "system.toml:7: 't1/eth0' is on no host of this file");
  EXPECT_EQ(mistake("[[switches]]\nname = \"sw[1-2]\"\nports = \"s[1-2]/eth0\"\n"),
            "system.toml:7: switch port 's1/eth0' comes twice");
  EXPECT_EQ(mistake("[[switches]]\nname = \"sw1\"\nuplink = \"sw11\"\n"),
            "system.toml:6: no [[switches]] entry names 'sw11', the uplink of 'sw1'; did you mean 'sw1'?");
  EXPECT_EQ(mistake("[[switches]]\nname = \"sw1\"\n"),
            "system.toml:5: [[switches]] needs 'ports' (host/interface) or an 'uplink'");
  EXPECT_EQ(mistake("[[routes]]\nover = \"rtr[1-2]\"\n"),
            "system.toml:6: a route over several routers needs a 'name': that of their group");
  EXPECT_EQ(mistake("[[routes]]\nover = \"r\"\nto = \"x\"\n"),
            "system.toml:7: no [[servers]] or [[clients]] entry names 'x'");
  EXPECT_EQ(mistake("[[load_balancers]]\nname = \"lb\"\nmember = \"s1\"\n").find("system.toml:7: "), 0U);
  EXPECT_THAT(
      mistake("[[switches]]\nname = \"a\"\nuplink = \"b\"\n[[switches]]\nname = \"b\"\nuplink = \"a\"\n"),
      IsEmpty())
      << "a ring is walked once";
}

}  // namespace
}  // namespace laggard::topology
