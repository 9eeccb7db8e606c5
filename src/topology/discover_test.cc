#include "topology/discover.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "testing/property.h"
#include "testing/topology.h"
#include "topology/check.h"
#include "topology/system_file.h"

namespace laggard::topology {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_support::gluster_inventory;
using testing_support::InventoryBuilder;

/// Group name -> member name -> its series: all that a comparison depends on.
using Picture = std::map<std::string, std::map<std::string, std::vector<SeriesKey>>>;

Picture picture(const Grouping& grouping) {
  Picture out;
  for (const PeerGroup& group : grouping.groups) {
    for (const ComponentId id : group.members) {
      std::vector<SeriesKey> series = grouping[id].series;
      std::sort(series.begin(), series.end());
      out[group.name][grouping[id].name] = series;
    }
  }
  return out;
}

/// What discover writes is accepted by check, and groups as without a file.
void expect_same_groups(const Inventory& inventory, const GroupingOptions& options = {}) {
  const auto discovered = discover_system(inventory, options);
  if (!discovered) {
    EXPECT_THAT(make_groups(inventory, nullptr, options)->servers, IsEmpty()) << discovered.error().message();
    return;
  }
  const std::string& text = *discovered;
  const SystemReading reading = read_system(text, "discovered.toml");
  ASSERT_THAT(reading.mistakes, IsEmpty()) << reading.mistakes.front().message() << "\n" << text;
  EXPECT_THAT(differences(reading.model, inventory, options), IsEmpty()) << text;
  const auto with = make_groups(inventory, &reading.model, options);
  ASSERT_TRUE(with.has_value()) << with.error().message();
  const Grouping without = *make_groups(inventory, nullptr, options);
  EXPECT_EQ(picture(*with), picture(without)) << text;
  EXPECT_EQ(with->servers, without.servers);
  EXPECT_EQ(with->clients, without.clients);
}

TEST(Discover, WritesTheShortFormOfSimpleServers) {
  const std::string text = *discover_system(gluster_inventory());
  EXPECT_THAT(
      text,
      HasSubstr(
          "[[servers]]\nname    = \"s[1-9]\"\ndevice  = \"loop[21-29]\"\naddress = \"10.77.0.[1-9]\"\n"));
  EXPECT_THAT(text, HasSubstr("[[clients]]\nname    = \"c[1-4]\"\naddress = \"10.77.0.[101-104]\"\n"));
  expect_same_groups(gluster_inventory());
}

TEST(Discover, OneHostWithManyDisks) {
  InventoryBuilder build;
  for (int d = 1; d <= 12; ++d) build.disk("host_22", "disk" + std::to_string(d));
  EXPECT_THAT(*discover_system(build.get()), HasSubstr("devices = \"disk[1-12]\""));
  expect_same_groups(build.get());
}

TEST(Discover, NamesUnknownAddressesAndSharedStorage) {
  InventoryBuilder build;
  for (int s = 1; s <= 3; ++s) {
    const std::string n = std::to_string(s);
    build.disk("s" + n, "dm-" + n, 100, {{"wwn", "naa.1"}}).tcp("s" + n, "10.0.0." + n + ":7>10.9.9.9:5");
  }
  build.net("c1", "eth0", 100, {{"address", "10.0.1.1"}});
  const std::string text = *discover_system(build.get());
  EXPECT_THAT(text, HasSubstr("also talk to 1 address of hosts"));
  EXPECT_THAT(text, Not(HasSubstr("10.0.1.1")));
  EXPECT_THAT(text, HasSubstr("# 1 device has a WWN that several servers show, such as s1/dm-1"));
  expect_same_groups(build.get());
}

TEST(Discover, NamesThatNoNodeSetHoldsAreNamedInAComment) {
  InventoryBuilder build;
  for (const char* host : {"a", "b", "c"}) build.disk(host, "sda").disk(host, "x,y");
  build.disk("bad[host]", "sda").disk("new\nline", "sda");
  const std::string text = *discover_system(build.get());
  EXPECT_THAT(text, HasSubstr("cannot hold these names: a/x,y  b/x,y  bad[host]  c/x,y  new\\x0aline"));
  EXPECT_THAT(read_system(text, "f").mistakes, IsEmpty()) << text;
}

TEST(Discover, WithoutAnyStorageTheServersHaveNoDevices) {
  InventoryBuilder build;
  for (const char* host : {"a", "b", "c"}) build.disk(host, "sda", 0).net(host, "eth0");
  build.net("d", "eth0", 0);
  expect_same_groups(build.get());
}

TEST(Discover, GroupsAsNoFileDoes) {
  expect_property("discover, check and group again", [] {
    InventoryBuilder build;
    const auto devices = *rc::gen::container<std::set<std::tuple<int, int, int>>>(
        rc::gen::tuple(rc::gen::inRange(1, 8), rc::gen::inRange(0, 5), rc::gen::inRange(0, 3)));
    RC_PRE(!devices.empty());
    const bool own_names = *rc::gen::arbitrary<bool>();
    std::set<std::string> added;
    for (const auto& [host, disk, load] : devices) {
      const std::string name = "h" + std::to_string(host);
      const std::string device =
          own_names ? "loop" + std::to_string(10 * host + disk) : std::string("sd") + char('a' + disk);
      if (added.insert(name + device).second) build.disk(name, device, load == 0 ? 0 : 100);
      if (added.insert(name).second) build.net(name, "eth0", static_cast<std::uint64_t>(50 * load));
    }
    const auto talks = *rc::gen::container<std::set<std::pair<int, int>>>(
        rc::gen::pair(rc::gen::inRange(1, 8), rc::gen::inRange(1, 12)));
    for (const auto& [from, to] : talks) {
      build.tcp("h" + std::to_string(from),
                "10.0.0." + std::to_string(from) + ":1>10.0.0." + std::to_string(to) + ":2");
    }
    GroupingOptions options;
    options.peers = *rc::gen::element(DiskPeers::kAuto, DiskPeers::kRank, DiskPeers::kHost, DiskPeers::kAll);
    expect_same_groups(build.get(), options);
    RC_ASSERT(!testing::Test::HasFailure());
  });
}

TEST(Differences, AreNamedWithTheLineOfTheFile) {
  InventoryBuilder build;
  build.disk("s1", "sda").disk("s2", "sdb").net("c1", "eth0").disk("s2", "sdc", 1).net("x9", "eth0");
  const SystemReading reading = read_system(
      "[[servers]]\nname = \"s[1-3]\"\ndevice = \"sda\"\n[[clients]]\nname = \"c[1-2]\"\n[[networks]]\nname "
      "= "
      "\"n\"\nhosts = \"c[1-2]\"\ninterface = \"ib0\"\n",
      "f");
  ASSERT_THAT(reading.mistakes, IsEmpty());
  std::vector<std::string> lines;
  for (const Error& difference : differences(reading.model, build.get()))
    lines.push_back(difference.message());
  EXPECT_THAT(lines, testing::ElementsAre("f: recorded hosts that the file does not name: x9",
                                          "f:2: servers that the recording does not have: s3",
                                          "f:3: devices that the recording does not have: s2/sda",
                                          "f:3: recorded under load, but not named for this server: s2/sdb",
                                          "f:5: clients that the recording does not have: c2",
                                          "f:7: interfaces that the recording does not have: c1/ib0"));
}

TEST(AsIfRecorded, ShowsTheGroupsOfTheFileAlone) {
  const SystemModel model = *parse_system(
      "[[servers]]\nname = \"s[1-5]\"\ndevice = \"sda\"\n[[peer_groups]]\nname = \"p\"\nmembers = "
      "\"s[1-3]/sdz\"\n",
      "f");
  const Grouping grouping = *make_groups(as_if_recorded(model), &model);
  ASSERT_EQ(grouping.groups.size(), 2U);
  EXPECT_EQ(grouping.groups[0].name, "p");
  EXPECT_EQ(grouping.groups[1].members.size(), 5U);
}

}  // namespace
}  // namespace laggard::topology
