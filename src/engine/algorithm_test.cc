#include "engine/algorithm.h"

#include <gtest/gtest.h>

#include <cmath>

#include "explain/rules.h"

namespace laggard::engine {
namespace {

TEST(Algorithm, IsFoundByItsName) {
  for (const std::string_view name : {"laggard", "paper"}) {
    const auto algorithm = find_algorithm(name);
    ASSERT_TRUE(algorithm.has_value()) << name;
    EXPECT_EQ(algorithm->name, name);
    EXPECT_TRUE(explain::parse_rules(algorithm->rules(), name.data()).has_value()) << name;
  }
  EXPECT_FALSE(find_algorithm("Paper").has_value());
}

TEST(Algorithm, ThePaperKeepsThePresetAndKnowsNoShortcutToFaulty) {
  detect::Preset preset;
  preset.idle_requests = 7;
  preset.gate_severity = 4;
  EXPECT_EQ(laggard_algorithm().parameters(preset).incidents.gate_severity, 4);
  const detect::Parameters paper = paper_algorithm().parameters(preset);
  EXPECT_EQ(paper.idle_requests, 7);
  EXPECT_TRUE(std::isinf(paper.incidents.gate_severity));
  EXPECT_TRUE(std::isinf(paper.incidents.confirm_severity)) << "persistence alone confirms";
  EXPECT_TRUE(paper.policies.halting) << "as in F";
  preset.confirm_persistence = 100;
  EXPECT_FALSE(paper_algorithm().parameters(preset).policies.halting) << "as in T";
  EXPECT_FALSE(paper.policies.one_client) << "asked for";
  EXPECT_EQ(paper.longest_filled_hole, 0) << "samples that were lost are none";
}

}  // namespace
}  // namespace laggard::engine
