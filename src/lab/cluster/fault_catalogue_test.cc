#include "lab/cluster/fault_catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace laggard::lab {
namespace {

TEST(FaultCatalogue, HasThePapersSixFirst) {
  EXPECT_EQ(to_name(FaultKind::kNone), "none");
  EXPECT_EQ(to_name(FaultKind::kDiskHog), "disk-hog");
  EXPECT_EQ(to_name(FaultKind::kDiskBusy), "disk-busy");
  EXPECT_EQ(to_name(FaultKind::kWriteNetworkHog), "write-network-hog");
  EXPECT_EQ(to_name(FaultKind::kReadNetworkHog), "read-network-hog");
  EXPECT_EQ(to_name(FaultKind::kReceiveLoss), "receive-pktloss");
  EXPECT_EQ(to_name(FaultKind::kSendLoss), "send-pktloss");
  EXPECT_EQ(value_of(FaultKind::kSendLoss, about(FaultKind::kSendLoss).usual, "loss"), 0.05);
  EXPECT_EQ(value_of(FaultKind::kDiskHog, about(FaultKind::kDiskHog).usual, "load"), 1);
}

TEST(FaultCatalogue, EveryFaultIsWhole) {
  std::set<std::string_view> names;
  for (const FaultRow& fault : fault_catalogue()) {
    EXPECT_TRUE(names.insert(fault.name).second) << fault.name;
    if (fault.name == "none") continue;
    EXPECT_FALSE(fault.causes.empty()) << fault.name;
    EXPECT_FALSE(fault.does.empty()) << fault.name;
    EXPECT_FALSE(fault.resource.empty()) << fault.name;
    bool graded = false;  // At least one number differs from strength to strength, in one direction.
    for (const FaultParameter& parameter : fault.parameters) {
      const auto& [mild, medium, strong] = parameter.values;
      const bool rises = mild < medium && medium < strong;
      const bool falls = mild > medium && medium > strong;
      EXPECT_TRUE(rises || falls || (mild == medium && medium == strong)) << fault.name;
      graded = graded || rises || falls;
    }
    EXPECT_TRUE(graded) << fault.name;
  }
  EXPECT_GE(names.size(), 25U);
}

TEST(FaultCatalogue, StrengthsAreReadFromNames) {
  const auto strong = sized_fault_of("link-rate:strong");
  ASSERT_TRUE(strong);
  EXPECT_EQ(to_name(strong->kind), "link-rate");
  EXPECT_EQ(value_of(strong->kind, strong->strength, "rate"), 0.05);
  EXPECT_EQ(sized_fault_of("disk-hog")->strength, Strength::kStrong);
  EXPECT_FALSE(sized_fault_of("link-rate:harsh"));
  EXPECT_FALSE(sized_fault_of("link-rate:"));
  EXPECT_FALSE(sized_fault_of("fire"));
}

TEST(FaultCatalogue, SimulatedOnesAreFound) {
  EXPECT_TRUE(simulated_fault_of("send-pktloss"));
  EXPECT_FALSE(simulated_fault_of("memory-limit"));
  EXPECT_THAT(simulated_fault_names(), testing::Contains("disk-busy"));
}

}  // namespace
}  // namespace laggard::lab
