#include "engine/incident_state.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testing/restored.h"

namespace laggard {
namespace {

std::vector<Payload> one_of_each_shape() {
  const WallTime noon = from_unix_ns(1'763'985'600'000'000'000);
  return {
      {"waits", SeriesPayload{"ms", {noon}, {{"s2", {10}}}}},
      {"sizes", DistributionPayload{"bytes/s", {{"s2", {1, 2}}}}},
      {"targets", TablePayload{{"target"}, {{"OST0003"}}}},
      {"functions", RankedPayload{"%", {{.name = "memcpy", .own = 80, .peers = 3, .low = 70, .high = 90}}}},
      {"log", LinesPayload{{{noon, "disk failed"}}}},
      {"slow", GridPayload{"%", "client", "target", {"c1"}, {"a", "b"}, {0, 50}}},
      {"flames",
       FlamesPayload{"% CPU", {{"all", 0, 5, 4}, {"dd", 1, 3, 0}, {"x", 2, 3, 0}, {"sh", 1, 2, 4}}}}};
}

TEST(IncidentState, EvidenceKeepsItsPayloadsOfEveryShape) {
  Evidence saved;
  saved.payloads = one_of_each_shape();
  Evidence fresh;
  expect_restores(saved, fresh);
  EXPECT_EQ(fresh.payloads, saved.payloads);
}

TEST(IncidentState, FramesThatAreNoTreeAreRefused) {
  StateWriter writer;
  writer(FlamesPayload{"% CPU", {{"all", 0, 5, 4}, {"dd", 1, 3, 0}}});
  const std::string bytes = writer.take();
  const std::size_t depth = bytes.find("dd") + 2;
  ASSERT_LT(depth, bytes.size());
  ASSERT_EQ(bytes[depth], 1);
  const auto is_taken = [&](char of_dd) {
    std::string changed = bytes;
    changed[depth] = of_dd;
    StateReader reader(changed);
    FlamesPayload fresh;
    reader(fresh);
    return reader.complete();
  };
  EXPECT_TRUE(is_taken(1));
  EXPECT_FALSE(is_taken(0)) << "two wholes";
  EXPECT_FALSE(is_taken(2)) << "a part of nothing";
}

}  // namespace
}  // namespace laggard
