#include "lab/production/probes.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "testing/topology.h"

namespace laggard::lab::production {
namespace {

/// How many probes of a target there were, and how many failed.
struct Count {
  std::size_t sent = 0;
  std::size_t failed = 0;
  [[nodiscard]] double share() const { return static_cast<double>(failed) / static_cast<double>(sent); }
};

struct Seen {
  std::map<std::string, Count> by_target;
  std::map<std::string, Count> by_operation;
  std::map<std::string, Count> by_client;
};

Seen simulate(Stretch stretch, std::uint64_t seed = 2) {
  const Site site(seed);
  if (stretch.clients.empty()) stretch.clients = choose_clients(Random(seed));
  Seen seen;
  Probes probes(site, stretch, Random(seed));
  probes.run([&](const std::vector<EventTable>& tables) {
    for (const EventTable& table : tables) {
      for (std::size_t e = 0; e < table.size(); ++e) {
        const auto text = [&](Word word) { return std::string(table.words().text(word)); };
        const bool failed = text(table.whats()[e]) != "ok";
        const Word operation{static_cast<std::uint32_t>(*table.attributes().front().bits(e))};
        for (Count* count : {&seen.by_target[text(table.subjects()[e])], &seen.by_operation[text(operation)],
                             &seen.by_client[table.host()]}) {
          ++count->sent;
          if (failed) ++count->failed;
        }
      }
    }
  });
  return seen;
}

Stretch sick(const Effect& effect) {
  Stretch stretch{.begin = from_unix_ns(0), .length = 600, .clients = {}, .incidents = {}};
  stretch.incidents.push_back({.stop = 600, .troubles = {}, .consequences = {}, .effects = {effect}});
  return stretch;
}

TEST(ProductionSite, IsAsLargeAsBlueWatersAndItsSystemFileSaysSo) {
  const auto model = topology::parse_system(Site::system_toml(), "system.toml");
  ASSERT_TRUE(model) << model.error().message();
  const Grouping grouping = topology::parts_alone(*model);
  std::map<PartKind, std::size_t> parts;
  for (std::uint32_t p = 0; p < grouping.parts.size(); ++p) ++parts[grouping.parts[PartId{p}].kind];
  EXPECT_EQ(parts[PartKind::kServer], 420U);
  EXPECT_EQ(parts[PartKind::kLun], 432U);
  EXPECT_EQ(parts[PartKind::kMetadataServer], 6U);
  EXPECT_EQ(parts[PartKind::kRouter], 582U);
  EXPECT_EQ(grouping.routes.size(), 146U);
  std::set<std::size_t> served;
  for (std::size_t server = 0; server < Site::kServers; ++server) {
    for (const std::size_t target : Site::targets_of(server)) {
      EXPECT_EQ(Site::server_of(target), server);
      served.insert(target);
    }
  }
  EXPECT_EQ(served.size(), 432U);
  EXPECT_EQ(Site::alike(Site::router(581)).size(), 1U) << "the last group has two";
}

TEST(ProductionProbes, AreAsManyAndAsPromptAsKaleidoscopesAndOneInAHundredIsSlow) {
  const Site site(2);
  const Stretch stretch{
      .begin = from_unix_ns(0), .length = 1200, .clients = choose_clients(Random(2)), .incidents = {}};
  Probes probes(site, stretch, Random(2));
  std::size_t minutes = 0;
  probes.run([&](const std::vector<EventTable>& tables) {
    ++minutes;
    EXPECT_EQ(tables.size(), 6U);
  });
  EXPECT_EQ(minutes, 20U);
  EXPECT_EQ(probes.sent(), 20U * (5184 + 144));
  EXPECT_GT(probes.prompt_share(), 0.95);
  const double failed = static_cast<double>(probes.failed()) / static_cast<double>(probes.sent());
  EXPECT_GT(failed, 0.001);
  EXPECT_LT(failed, 0.012) << "K §IV-A: 99 % within a second";
}

TEST(ProductionProbes, OneRouterOfFourFailsAQuarterOfWhatServiceNodesSend) {
  const Seen seen = simulate(sick({.stage = Stage::kRouter, .index = 40, .to = 600, .loses = 1}));
  // Group 10 serves the servers 20 and 21 and those of pair 156.
  double others = 0;
  double routed = 0;
  for (const auto& [client, count] : seen.by_client) {
    if (client.starts_with("nid")) {
      routed = count.share();
    } else {
      others += count.share() / 5;
    }
  }
  EXPECT_GT(routed, others + 0.001) << "of its 892 probes a minute eight pass the group";
  EXPECT_NEAR(seen.by_target.at("ost021").share(), 0.25 / 6, 0.03);
}

TEST(ProductionProbes, AServerThatHangsTakesItsTargetsAndOneThatIsFailedOverLoadsItsPartner) {
  const Seen hung = simulate(sick({.stage = Stage::kServer, .index = 410, .to = 600, .hangs = true}));
  for (const std::size_t target : Site::targets_of(410)) {
    EXPECT_EQ(hung.by_target.at(Site::target(target).name).share(), 1);
  }
  EXPECT_LT(hung.by_target.at(Site::target(Site::targets_of(411).front()).name).share(), 0.1);
  const Seen over = simulate(sick({.stage = Stage::kServer, .index = 410, .to = 600, .fails_over = true}));
  for (const std::size_t target : Site::targets_of(410)) {
    EXPECT_LT(over.by_target.at(Site::target(target).name).share(), 0.9) << "the partner serves it";
  }
}

TEST(ProductionProbes, AMetadataServerFailsOnlyWhoMakesNames) {
  const Seen seen = simulate(sick({.stage = Stage::kMetadata, .index = 2, .to = 600, .hangs = true}));
  EXPECT_EQ(seen.by_target.at("mds3").share(), 1);
  EXPECT_LT(seen.by_target.at("mds4").share(), 0.1);
  EXPECT_LT(seen.by_operation.at("WrEx").share(), 0.02);
  EXPECT_GT(seen.by_operation.at("CrWr").share(), 0.1);
}

TEST(StageQueues, WhoWaitsHoldsBackSoThatAnOverloadSettles) {
  SiteParameters parameters;
  parameters.bursts_per_hour = 0;
  StageQueues queues(2, 0.1, parameters, Random(4));
  queues.strain(0, {.load = 2, .capacity = 1});
  double loaded = 0;
  double idle = 0;
  for (int second = 0; second < 3600; ++second) {
    queues.step();
    loaded += queues.waiting(0) / 3600;
    idle += queues.waiting(1) / 3600;
  }
  // 0.1 + 2 / (1 + V / 4) = 1 at V = 4.9 s.
  EXPECT_NEAR(loaded, 4.9, 1.5);
  EXPECT_LT(idle, 0.1);
}

TEST(ProductionIncident, TheProportionsAreKaleidoscopesAndASeedIsAnIncident) {
  Random random(3);
  std::size_t reliable = 0;
  std::set<IncidentKind> kinds;
  constexpr std::uint64_t kAll = 843;
  for (std::uint64_t number = 100; number < 100 + kAll; ++number) {
    const IncidentKind kind = draw_kind(number, random);
    kinds.insert(kind);
    if (mode_of(kind) == FailureMode::kReliability) ++reliable;
  }
  EXPECT_EQ(reliable, 346U) << "K Table I";
  EXPECT_EQ(kinds.size(), kIncidentKinds);
  const std::vector<Part> clients = choose_clients(Random(1));
  for (const IncidentKind kind : kinds) {
    const ProductionIncident one = make_incident(kind, 60, 600, Random(5), clients);
    const ProductionIncident again = make_incident(kind, 60, 600, Random(5), clients);
    ASSERT_FALSE(one.troubles.empty()) << to_name(kind);
    EXPECT_FALSE(one.effects.empty());
    EXPECT_EQ(one.troubles.front().part, again.troubles.front().part);
    for (const Effect& effect : one.effects) EXPECT_LE(effect.to, 600);
  }
}

}  // namespace
}  // namespace laggard::lab::production
