#include "lab/bench/catalogue_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lab/bench/run_spec.h"
#include "testing/fake_bench_machine.h"

namespace laggard::lab::bench {
namespace {

using testing::HasSubstr;

TEST(CatalogueText, HasEveryFaultWithItsStrengths) {
  const std::string table = catalogue_table();
  for (const FaultRow& fault : fault_catalogue()) {
    if (fault.strikes == Strikes::kNobody) continue;
    EXPECT_THAT(table, HasSubstr("\n" + std::string(fault.name) + " "));
  }
  EXPECT_THAT(table, HasSubstr("rate 0.5/0.2/0.05 of the port's rate"));
  EXPECT_THAT(table, HasSubstr("every 15 s"));
}

TEST(CatalogueText, IsJsonForPrograms) {
  const auto json = nlohmann::json::parse(catalogue_json());
  EXPECT_EQ(json["schema"], "laggard.faults/1");
  ASSERT_EQ(json["faults"].size(), fault_catalogue().size() - 1);
  const auto& flap = *std::find_if(json["faults"].begin(), json["faults"].end(),
                                   [](const auto& fault) { return fault["name"] == "link-flap"; });
  EXPECT_EQ(flap["strengths"]["medium"]["down"], 1.5);
  EXPECT_EQ(flap["units"]["down"], "s");
  EXPECT_EQ(flap["strikes"], "server");
  EXPECT_EQ(flap["simulated"], true);
}

TEST(CatalogueText, EveryNeedIsExplained) {
  for (const FaultRow& fault : fault_catalogue()) {
    EXPECT_EQ(fault.needs.empty(), need_of(fault.needs) == nullptr) << fault.name;
  }
}

TEST(CatalogueText, AFaultThatTheKernelCannotMakeIsRefused) {
  FakeMachine machine;
  EXPECT_TRUE(check_needs(machine, *parse_faults("disk-hog", "1")));
  const Status late = check_needs(machine, *parse_faults("disk-hog+link-latency", "1"));
  ASSERT_FALSE(late);
  EXPECT_THAT(late.error().message(), HasSubstr("/dev/net/tun: is not there, and link-latency needs it"));
  machine.files["/dev/net/tun"] = "";
  EXPECT_TRUE(check_needs(machine, *parse_faults("link-latency", "1")));
}

}  // namespace
}  // namespace laggard::lab::bench
