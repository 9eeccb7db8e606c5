#include "model/grouping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/recorded_hosts.h"
#include "testing/grouping.h"

namespace laggard {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(GroupingHosts, AreWhoseLogsAndLoadTellOfAPart) {
  testing_support::GroupingBuilder system;
  system.disk("s1", "sda").lun("ost1", "c1", "a1", {"s2", "s3"});
  const Grouping& grouping = system.get();
  EXPECT_THAT(grouping.hosts_of({PartKind::kServer, "s1"}), ElementsAre("s1"));
  EXPECT_THAT(grouping.hosts_of({PartKind::kClient, "unheard-of"}), ElementsAre("unheard-of"));
  EXPECT_THAT(grouping.hosts_of({PartKind::kDisk, "s1/sda"}), ElementsAre("s1"));
  EXPECT_THAT(grouping.hosts_of({PartKind::kAttachment, "ost1.s3"}), ElementsAre("s3"));
  EXPECT_THAT(grouping.hosts_of({PartKind::kLun, "ost1"}), ElementsAre("s2", "s3")) << "the primary first";
  EXPECT_THAT(grouping.hosts_of({PartKind::kArray, "a1"}), ElementsAre("a1")) << "it logs by its own name";
}

TEST(RecordedHosts, AreFoundByThePartsThatTheyServe) {
  testing_support::GroupingBuilder system;
  for (int s = 1; s <= 9; ++s) system.disk("s" + std::to_string(s), "sda");
  system.lun("ost1", "c1", "a1", {"s8", "s9"});
  RecordedHosts recorded(system.get());
  EXPECT_THAT(recorded.of(std::vector<Part>{{PartKind::kServer, "s1"}}), IsEmpty());
  for (const char* host : {"s1.example.org", "s2", "s3", "s4", "s8", "rack1"}) recorded.add(host);
  recorded.add("s2");
  EXPECT_THAT(recorded.of(std::vector<Part>{{PartKind::kLun, "ost1"},
                                            {PartKind::kDrawer, "rack1"},
                                            {PartKind::kDisk, "s1/sda"},
                                            {PartKind::kServer, "s1"},
                                            {PartKind::kServer, "s7"}}),
              ElementsAre("s8", "rack1", "s1.example.org"));
  std::vector<Part> servers;
  for (int s = 1; s <= 8; ++s) servers.push_back({PartKind::kServer, "s" + std::to_string(s)});
  const std::vector<std::string> own{"s3"};
  EXPECT_THAT(recorded.some_of(servers, own, 9), ElementsAre("s1.example.org", "s2", "s4", "s8"));
  EXPECT_THAT(recorded.some_of(servers, own, 2), ElementsAre("s1.example.org", "s4"));
}

}  // namespace
}  // namespace laggard
