#include "explain/checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testing/grouping.h"

namespace laggard::explain {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_support::GroupingBuilder;

class ChecksTest : public testing::Test {
 protected:
  /// Something that was found about a component.
  void add(const std::string& component, Resource resource, double strength) {
    Finding& finding = findings_.emplace_back();
    finding.component = system_.index(component);
    finding.resource = resource;
    finding.strength = strength;
  }
  [[nodiscard]] std::vector<std::string> checks(std::vector<std::string> commands) const {
    Rule rule;
    rule.resource = "storage";
    rule.check = std::move(commands);
    Suspect suspect;
    for (const Finding& finding : findings_) suspect.findings.push_back(&finding);
    Grouping grouping = system_.get();
    for (Component& component : grouping.components) {
      component.device = component.name.substr(component.host.size() + 1);
      if (component.device.starts_with("tcp")) component.kind = DeviceKind::kTcp;
    }
    return checks_of(rule, suspect, grouping);
  }

  GroupingBuilder system_ = GroupingBuilder().servers(3, 1, true);
  std::vector<Finding> findings_;
};

TEST_F(ChecksTest, HostAndDeviceAreThoseOfTheStrongestFindingOfTheResource) {
  add("s1/eth0", Resource::kNetwork, 9);
  add("s2/d1", Resource::kStorage, 2);
  add("s3/d1", Resource::kStorage, 5);
  EXPECT_THAT(
      checks({"ssh {host} smartctl -x /dev/{device}", "ssh {host} \"cat /proc/mdstat; hostname {host}\""}),
      ElementsAre("ssh s3 smartctl -x /dev/d1", "ssh s3 \"cat /proc/mdstat; hostname s3\""));
}

TEST_F(ChecksTest, AnotherResourceIsBetterThanNone) {
  add("s1/eth0", Resource::kNetwork, 9);
  EXPECT_THAT(checks({"ssh {host} ethtool {device}"}), ElementsAre("ssh s1 ethtool eth0"));
}

TEST_F(ChecksTest, WhatAsksForADeviceNeedsOne) {
  add("s1/tcp-in", Resource::kStorage, 9);
  EXPECT_THAT(checks({"ssh {host} smartctl -x /dev/{device}", "ssh {host} uptime"}),
              ElementsAre("ssh s1 uptime"));
}

TEST_F(ChecksTest, NamesThatAShellWouldReadMakeNoCommand) {
  for (const char* hostile : {"sda;reboot", "$(reboot)", "-rf", "a b", "`x`", "a\nb"}) {
    Grouping grouping = system_.get();
    Finding finding;
    finding.component = system_.index("s1/d1");
    grouping.components[finding.component].device = hostile;
    Rule rule;
    rule.check = {"ssh {host} smartctl -x /dev/{device}"};
    Suspect suspect;
    suspect.findings = {&finding};
    EXPECT_THAT(checks_of(rule, suspect, grouping), IsEmpty()) << hostile;
  }
}

TEST_F(ChecksTest, OfWhatIsNoComponentNothingIsKnown) { EXPECT_THAT(checks({"uptime"}), IsEmpty()); }

TEST_F(ChecksTest, EveryBuiltInCommandFillsInWhatItAsksFor) {
  add("s1/d1", Resource::kStorage, 9);
  const auto rules = parse_rules(default_rules(), "rules");
  ASSERT_TRUE(rules);
  std::size_t commands = 0;
  for (const Rule& rule : *rules) {
    const std::vector<std::string> all = checks(rule.check);
    EXPECT_EQ(all.size(), rule.check.size()) << rule.name;
    for (const std::string& command : all) {
      EXPECT_EQ(command.find("{host"), std::string::npos) << command;
      EXPECT_EQ(command.find("{device"), std::string::npos) << command;
    }
    commands += all.size();
  }
  EXPECT_GE(commands, 25U);
}

}  // namespace
}  // namespace laggard::explain
