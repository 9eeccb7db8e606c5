#include "testing/script/simulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace laggard::script {

namespace {

TEST(Simulator, TheSameSeedGivesTheSameSamples) {
  System system;
  system.clients = 2;
  system.length = 70;
  const auto tables = [](const System& s) {
    std::vector<SampleTable> all;
    Simulator(s).run([&](const SampleTable& table) { all.push_back(table); });
    return all;
  };
  const auto once = tables(system);
  EXPECT_EQ(once, tables(system));
  EXPECT_EQ(once.size(), (9 * 3 + 2 * 2) * 2U) << "two tables per host and kind";
  system.seed = 2;
  EXPECT_NE(once, tables(system));
}

}  // namespace

}  // namespace laggard::script
