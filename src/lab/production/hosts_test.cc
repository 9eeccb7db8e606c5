// What the hosts of the production site record beside the probes: load, and lines of logs.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lab/production/host_loads.h"
#include "lab/production/host_logs.h"
#include "lab/production/stories.h"
#include "model/log_line.h"

namespace laggard::lab::production {
namespace {

/// By host and counter what was recorded last, less what was first; of gauges the last.
using Grown = std::map<std::pair<std::string, std::string>, double>;

Stretch short_stretch(const std::vector<ProductionIncident>& incidents) {
  return {
      .begin = from_unix_ns(0), .length = 600, .clients = choose_clients(Random(2)), .incidents = incidents};
}

ProductionIncident sick_from_three(const Effect& effect, IncidentKind kind) {
  ProductionIncident incident{.kind = kind, .start = 180, .stop = 600};
  incident.effects = {effect};
  incident.effects[0].from = 180;
  incident.effects[0].to = 600;
  return incident;
}

Grown simulate_loads(const Stretch& stretch, std::size_t& tables) {
  const Site site(2);
  Probes probes(site, stretch, Random(5));
  HostLoads loads(site, stretch, Random(5));
  std::map<std::pair<std::string, std::string>, std::vector<double>> seen;
  WallTime minute = stretch.begin;
  tables = 0;
  probes.run([&](const std::vector<EventTable>&) {
    minute += std::chrono::minutes(1);
    for (const SampleTable& table : loads.record(probes, minute)) {
      ++tables;
      EXPECT_EQ(table.times().front(), minute);
      for (std::size_t c = 0; c < table.counters().size(); ++c) {
        EXPECT_NE(find_counter(table.kind(), table.counters()[c].name), nullptr);
        seen[{table.host(), table.counters()[c].name}].push_back(*table.number(c, 0, 0));
      }
    }
  });
  Grown grown;
  for (const auto& [whose, values] : seen) {
    const bool is_gauge = find_counter(DeviceKind::kHost, whose.second) != nullptr &&
                          find_counter(DeviceKind::kHost, whose.second)->form == CounterForm::kGauge;
    EXPECT_TRUE(is_gauge || std::ranges::is_sorted(values)) << whose.second;
    grown[whose] = is_gauge ? values.back() : values.back() - values[3];
  }
  return grown;
}

TEST(ProductionHosts, AFloodIsWorkAndALimpIsWaiting) {
  const Stretch stretch = short_stretch(
      {sick_from_three({.stage = Stage::kTarget, .index = 100, .load = 2}, IncidentKind::kTargetOverload),
       sick_from_three(
           {.stage = Stage::kTarget, .index = 200, .delays = 0.8, .delay_s = 5, .least_delay_s = 2},
           IncidentKind::kDiskLimps),
       sick_from_three({.stage = Stage::kServer, .index = 300, .hangs = true}, IncidentKind::kServerHangs)});
  std::size_t tables = 0;
  Grown grown = simulate_loads(stretch, tables);
  EXPECT_EQ(tables, 10 * (2 * (Site::kServers + Site::kMetadataServers) + Site::kRouters + 6));
  const auto of = [&](const char* host, const char* counter) { return grown.at({host, counter}); };
  double usual = 0;
  for (int s = 11; s <= 19; ++s) usual += of(("oss0" + std::to_string(s)).c_str(), "rd_ios") / 9;
  EXPECT_GT(of("oss101", "rd_ios"), 2 * usual);
  EXPECT_GT(of("oss101", "weighted_ms"), 10 * of("oss050", "weighted_ms"));
  EXPECT_LT(of("oss201", "rd_ios"), 3 * usual) << "it is slow, and has no more to do";
  EXPECT_GT(of("oss201", "weighted_ms"), 10 * of("oss202", "weighted_ms"));
  EXPECT_LT(of("oss301", "rd_ios"), 0.2 * usual);
  EXPECT_GT(of("oss301", "procs_blocked"), 50);
}

TEST(ProductionHosts, AServerThatIsDownRecordsNothing) {
  ProductionIncident over = make_incident(IncidentKind::kFailover, 120, 600, Random(1), {});
  const std::string name = over.troubles.front().part.name;
  const Stretch stretch = short_stretch({over});
  const Site site(2);
  Probes probes(site, stretch, Random(5));
  HostLoads loads(site, stretch, Random(5));
  std::size_t minutes = 0;
  WallTime minute = stretch.begin;
  probes.run([&](const std::vector<EventTable>&) {
    minute += std::chrono::minutes(1);
    const auto tables = loads.record(probes, minute);
    if (std::ranges::find(tables, name, &SampleTable::host) != tables.end()) ++minutes;
  });
  EXPECT_GT(minutes, 0U);
  EXPECT_LT(minutes, 10U);
}

/// All lines by host.
std::map<std::string, std::vector<std::string>> lines_of(const Stretch& stretch, std::uint64_t seed) {
  const Site site(2);
  HostLogs logs(site, stretch, Random(seed));
  std::map<std::string, std::vector<std::string>> all;
  std::string text;
  for (Seconds at = 60; at <= stretch.length; at += 60) {
    for (const EventTable& table : logs.until(stretch.begin + std::chrono::seconds(at))) {
      const LogLines lines(table);
      for (std::size_t e = 0; e < table.size(); ++e) {
        EXPECT_LT(table.times()[e], stretch.begin + std::chrono::seconds(at));
        lines.text(e, text);
        all[table.host()].push_back(text);
      }
    }
  }
  return all;
}

TEST(ProductionLogs, TellOneStoryOfWhatIsBrokenAndWarnOfWhatIsOverloaded) {
  const Stretch stretch = short_stretch(
      {sick_from_three({.stage = Stage::kTarget, .index = 200, .delays = 1, .delay_s = 5},
                       IncidentKind::kDiskLimps),
       sick_from_three({.stage = Stage::kServer, .index = 30, .load = 2}, IncidentKind::kServerOverload)});
  std::set<std::size_t> told;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    auto all = lines_of(stretch, seed);
    EXPECT_GT(all.size(), 600U) << "routine lines of most hosts";
    for (const Statement& statement : stories_of(IncidentKind::kDiskLimps)) {
      const std::string_view head = statement.text.substr(0, 12);
      const bool any = std::ranges::any_of(
          all["oss201"], [&](const std::string& line) { return line.find(head) != std::string::npos; });
      if (any && head.find('~') == std::string_view::npos) told.insert(statement.story);
    }
    EXPECT_TRUE(std::ranges::any_of(all["oss031"], [](const std::string& line) {
      return line.find("due to heavy IO load") != std::string::npos;
    }));
    for (const std::string& line : all["oss031"]) EXPECT_EQ(line.find('~'), std::string::npos) << line;
  }
  EXPECT_GE(told.size(), 3U) << "each time another";
}

TEST(ProductionLogs, WhatIsSilentIsSeldom) {
  for (std::size_t k = 0; k < kIncidentKinds; ++k) {
    const auto kind = static_cast<IncidentKind>(k);
    const auto stories = stories_of(kind);
    EXPECT_EQ(stories.empty(), mode_of(kind) == FailureMode::kOverload) << to_name(kind);
    for (std::size_t s = 1; s < stories.size(); ++s) {
      EXPECT_LE(stories[s].story - stories[s - 1].story, 1U) << "they are counted without gaps";
    }
  }
  EXPECT_LT(Site(2).parameters().silent, 0.05);
}

}  // namespace
}  // namespace laggard::lab::production
