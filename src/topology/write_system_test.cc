#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>

#include "testing/property.h"
#include "topology/check.h"
#include "topology/groups.h"
#include "topology/sketch.h"
#include "topology/system_file.h"

namespace laggard::topology {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

using Sketch = SystemSketch;

std::string written(const Sketch& sketch) {
  const auto text = write_system(sketch);
  EXPECT_TRUE(text.has_value()) << text.error().message();
  return text.value_or("");
}

SystemModel read_back(const Sketch& sketch) {
  const std::string text = written(sketch);
  const SystemReading reading = read_system(text, "written.toml");
  EXPECT_THAT(reading.mistakes, IsEmpty()) << text;
  return reading.model;
}

/// `lun server device`, primary first: all that LUNs are compared by.
std::set<std::string> paths_of(const Sketch& sketch) {
  std::set<std::string> out;
  for (const auto& lun : sketch.luns) {
    for (std::size_t p = 0; p < lun.paths.size(); ++p) {
      out.insert(lun.array + " " + lun.set + " " + lun.name + " " + std::to_string(p) + " " +
                 lun.paths[p].server + " " + lun.paths[p].device);
    }
  }
  return out;
}

std::set<std::string> paths_of(const SystemModel& model) {
  const Topology& topology = model.topology;
  std::set<std::string> out;
  for (const Attachment& attachment : topology.attachments) {
    const Lun& lun = topology.luns[attachment.lun.index()];
    const std::string array = lun.array ? topology.arrays[lun.array->index()].name : "";
    out.insert(array + " " + lun.set + " " + lun.name + " " + std::to_string(attachment.priority) + " " +
               topology.hosts[attachment.server.index()].name + " " + attachment.device);
  }
  return out;
}

Sketch rotating(std::size_t servers, std::size_t luns, const std::string& array = "") {
  Sketch sketch;
  for (std::size_t s = 0; s < servers; ++s) sketch.servers.push_back({.name = "fs" + std::to_string(s + 1)});
  for (std::size_t n = 0; n < luns; ++n) {
    Sketch::Lun& lun = sketch.luns.emplace_back();
    lun.name = "lun" + std::to_string(n);
    lun.array = array;
    for (std::size_t s = 0; s < servers; ++s) {
      lun.paths.push_back({"fs" + std::to_string((n + s) % servers + 1), lun.name});
    }
  }
  return sketch;
}

TEST(WriteSystem, FoldsServersAndAddresses) {
  Sketch sketch;
  sketch.name = "scratch \"one\"";
  sketch.notes.head = {"From\nsomewhere."};
  for (int s = 1; s <= 3; ++s) {
    const std::string n = std::to_string(s);
    sketch.servers.push_back({.name = "s" + n, .addresses = {"10.0.0." + n}, .devices = {"sda", "sdb"}});
  }
  sketch.servers.push_back({.name = "m1", .role = HostRole::kMetadataServer});
  sketch.clients = {"c10", "c9"};
  EXPECT_EQ(written(sketch),
            "# From?somewhere.\n\nname = \"scratch \\\"one\\\"\"\n\n"
            "[[servers]]\nname    = \"s[1-3]\"\naddress = \"10.0.0.[1-3]\"\ndevices = \"sda,sdb\"\n\n"
            "[[servers]]\nname    = \"m1\"\nrole    = \"metadata\"\n\n"
            "[[clients]]\nname    = \"c[9-10]\"\n");
}

TEST(WriteSystem, SaysRotateWhereLunsRotate) {
  EXPECT_THAT(written(rotating(4, 9)), HasSubstr("[[luns]]\nname    = \"lun[0-8]\"\nservers = \"fs[1-4]\"\n"
                                                 "order   = \"rotate\"\ndevice  = \"{lun}\"\n"));
}

TEST(WriteSystem, CountsTheLunsOfAnArrayOverItsTables) {
  Sketch sketch = rotating(4, 9, "ddn1");
  sketch.arrays.push_back({.name = "ddn1",
                           .servers = {"fs1", "fs2", "fs3", "fs4"},
                           .controllers = {"ddn1a", "ddn1b"},
                           .cabling = {}});
  for (std::size_t n = 5; n < 9; ++n) sketch.luns[n].set = "new";
  EXPECT_THAT(written(sketch), HasSubstr("set     = \"new\"\norder   = \"rotate\"\n"));
  EXPECT_EQ(paths_of(read_back(sketch)), paths_of(sketch));
  EXPECT_THAT(read_back(sketch).topology.controllers, SizeIs(2));
}

TEST(WriteSystem, NamesDevicesByServerWhereTheyDiffer) {
  Sketch sketch = rotating(2, 2);
  sketch.luns[0].paths = {{"fs1", "dm-0"}, {"fs2", "dm-7"}};
  sketch.luns[1].paths = {{"fs2", "dm-8"}, {"fs1", "dm-1"}};
  EXPECT_THAT(written(sketch), HasSubstr("device.\"fs1\" = \"dm-[0-1]\"\ndevice.\"fs2\" = \"dm-[7-8]\"\n"));
  EXPECT_EQ(paths_of(read_back(sketch)), paths_of(sketch));
}

TEST(WriteSystem, WritesATableForEachOrderWhereTheyDoNotRepeat) {
  Sketch sketch = rotating(7, 5040);
  std::vector<std::size_t> order{0, 1, 2, 3, 4, 5, 6};
  for (auto& lun : sketch.luns) {
    for (std::size_t s = 0; s < order.size(); ++s) lun.paths[s].server = "fs" + std::to_string(order[s] + 1);
    std::next_permutation(order.begin(), order.end());
  }
  EXPECT_EQ(paths_of(read_back(sketch)), paths_of(sketch));
}

TEST(WriteSystem, EveryOrderComesBack) {
  expect_property("any order", [] {
    const auto servers = *rc::gen::inRange<std::size_t>(1, 5);
    const auto luns = *rc::gen::inRange<std::size_t>(1, 12);
    Sketch sketch = rotating(servers, luns, "a1");
    Sketch::Array array{.name = "a1", .servers = {}, .controllers = {}, .cabling = {}};
    for (const auto& server : sketch.servers) array.servers.push_back(server.name);
    std::reverse(array.servers.begin(), array.servers.end());
    sketch.arrays.push_back(array);
    for (auto& lun : sketch.luns) {
      if (*rc::gen::inRange(0, 3) == 0) lun.array.clear();
      if (*rc::gen::inRange(0, 3) == 0) lun.set = "new";
      if (*rc::gen::inRange(0, 2) == 0) std::reverse(lun.paths.begin(), lun.paths.end());
      if (lun.paths.size() > 1 && *rc::gen::inRange(0, 3) == 0) lun.paths.pop_back();
      for (auto& path : lun.paths) {
        if (*rc::gen::inRange(0, 3) == 0) path.device = "dev-" + lun.name + path.server;
      }
    }
    RC_ASSERT(paths_of(read_back(sketch)) == paths_of(sketch));
  });
}

TEST(WriteSystem, WritesGroupsAndDrawers) {
  Sketch sketch;
  for (int s = 1; s <= 3; ++s) {
    sketch.servers.push_back({.name = "s" + std::to_string(s), .addresses = {}, .devices = {"sda", "sdb"}});
  }
  sketch.groups.push_back({"fast ones", {"s1/sdb", "s2/sdb", "s3/sdb"}});
  sketch.drawers.push_back(
      {.name = "rack1", .array = "", .luns = {}, .devices = {"s1/sda", "s2/sda"}, .called = "rack \"A\""});
  const SystemModel model = read_back(sketch);
  const auto grouping = make_groups(as_if_recorded(model), &model);
  ASSERT_TRUE(grouping.has_value());
  ASSERT_THAT(grouping->groups, SizeIs(2));
  EXPECT_THAT(written(sketch), HasSubstr("members = \"s[1-3]/sdb\""));
  EXPECT_THAT(model.topology.drawers, SizeIs(1));
  const auto disk = std::ranges::find(grouping->components, "s1/sda", &Component::name);
  ASSERT_NE(disk, grouping->components.end());
  const Part* rack = grouping->part_of(*disk, PartKind::kDrawer);
  ASSERT_NE(rack, nullptr);
  EXPECT_EQ(*rack, (Part{PartKind::kDrawer, "rack1", "rack \"A\""}));
}

TEST(WriteSystem, RefusesWhatAFileCannotSay) {
  const auto refusal = [](const Sketch& sketch) {
    const auto text = write_system(sketch);
    return text ? std::string("written") : text.error().message();
  };
  Sketch odd;
  odd.servers = {{.name = "a b"}};
  EXPECT_THAT(refusal(odd), HasSubstr("the name 'a b' cannot stand in a system file"));
  Sketch twice = rotating(2, 2);
  twice.luns[1].paths[0].device = "lun0";
  EXPECT_THAT(refusal(twice), HasSubstr("this makes no sound system: device 'fs2/lun0'"));
  Sketch unknown = rotating(2, 2);
  unknown.luns[0].paths[0].server = "x";
  EXPECT_THAT(refusal(unknown), HasSubstr("no [[servers]] entry names x"));
  EXPECT_THAT(refusal(Sketch{}), HasSubstr("names no servers"));
}

}  // namespace
}  // namespace laggard::topology
