#include "lab/scale/generator.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

#include "lab/scale/truth.h"
#include "testing/scale.h"

namespace laggard::lab::scale {
namespace {
using testing_support::Samples;
using testing_support::small_spec;

Samples samples_of(const Generator& generator, std::size_t array) {
  Samples samples;
  EXPECT_TRUE(generator.write_array(array, samples, {}));
  return samples;
}

TEST(Generator, SameSeedSameSamples) {
  ScaleSpec spec = small_spec();
  spec.duration = kHour;
  spec.random_incidents = 2;
  spec.transients = 5;
  spec.server_work = true;
  const Generator one(spec);
  const Generator two(spec);
  EXPECT_EQ(to_json(spec, one.plan()), to_json(spec, two.plan()));
  // The order in which arrays are made does not matter.
  const Samples first = samples_of(one, 1);
  [[maybe_unused]] const Samples other = samples_of(two, 0);
  EXPECT_EQ(first.tables(), samples_of(two, 1).tables());
  spec.seed = 2;
  EXPECT_NE(first.tables(), samples_of(Generator(spec), 1).tables());
}

TEST(Generator, AnIncidentLeavesOtherArraysAsTheyWere) {
  ScaleSpec spec = small_spec();
  spec.duration = kHour;
  const Generator healthy(spec);
  spec.incidents = {IncidentKind::kControllerFailed};
  const Generator sick(spec);
  const std::size_t other = 1 - sick.plan().incidents.front().array;
  EXPECT_EQ(samples_of(healthy, other).tables(), samples_of(sick, other).tables());
}

TEST(Generator, CountersOnlyGrowAndFit) {
  const ScaleSpec spec = small_spec();
  const Generator generator(spec);
  const Samples samples = samples_of(generator, 0);
  ASSERT_EQ(samples.tables().size(), 8U);
  EXPECT_EQ(samples.described().size(), 8U * 72);
  for (const auto& [host, tables] : samples.tables()) {
    std::size_t rows = 0;
    for (const SampleTable& table : tables) {
      rows += table.times().size();
      EXPECT_EQ(table.devices().size(), 72U);
      EXPECT_EQ(table.present_cells(), table.cells());
      for (std::size_t c = 0; c < table.counters().size(); ++c) {
        if (table.counters()[c].form != CounterForm::kCumulative) continue;
        for (std::size_t d = 0; d < table.devices().size(); ++d) {
          EXPECT_TRUE(std::ranges::is_sorted(table.series(c, d)));
        }
      }
      const std::size_t io_ms = *table.counter_index("io_ms");
      for (std::size_t d = 0; d < table.devices().size(); ++d) {
        const auto series = table.series(io_ms, d);
        for (std::size_t t = 1; t < series.size(); ++t) EXPECT_LE(series[t] - series[t - 1], 15'001U);
      }
    }
    EXPECT_EQ(rows, spec.samples());
  }
}

TEST(Generator, PeersShareALightBurstyLoad) {
  const ScaleSpec spec = small_spec();
  const Generator generator(spec);
  const Samples samples = samples_of(generator, 0);
  const WallTime end = spec.start + std::chrono::hours(7);
  const auto sectors = [&](std::size_t lun, const char* counter) {
    const std::string host = spec.site.server_name(0, spec.site.server_at(lun, 0));
    return *samples.increase(host, spec.site.lun_name(0, lun), counter, spec.start, end);
  };
  std::vector<double> old_reads;
  double new_reads = 0;
  for (std::size_t lun = 0; lun < 48; ++lun) old_reads.push_back(sectors(lun, "rd_sectors"));
  for (std::size_t lun = 48; lun < 72; ++lun) new_reads += sectors(lun, "rd_sectors") / 24;
  const auto [least, most] = std::ranges::minmax(old_reads);
  EXPECT_LT(most, 1.5 * least);
  EXPECT_LT(new_reads, 0.5 * least);                                      // T §5.2.1: fewer reads ...
  EXPECT_GT(sectors(60, "wr_sectors"), 1.2 * sectors(20, "wr_sectors"));  // ... and more writes.
  EXPECT_LT(most * 512 / 21'600, 5e6);  // Light: a LUN of 8+2 disks does hundreds of MB/s.
}

TEST(Generator, ServerWorkStaysBelowTheNoise) {  // T §5.8.2
  ScaleSpec spec = small_spec();
  spec.server_work = true;
  const Generator generator(spec);
  ASSERT_FALSE(generator.plan().server_work.empty());
  const ServerWork& work = generator.plan().server_work.front();
  const Samples samples = samples_of(generator, work.array);
  const std::string host = spec.site.server_name(work.array, work.server);
  const Seconds from = std::max<Seconds>(0, work.from);
  const Seconds to = std::min(spec.duration, work.to);
  std::size_t touched = 0;
  for (std::size_t lun = 0; lun < 72; ++lun) {
    if (spec.site.server_at(lun, 0) == work.server) continue;
    const auto span = [&](const char* counter) {
      return *samples.increase(host, spec.site.lun_name(work.array, lun), counter,
                               spec.start + std::chrono::seconds(from),
                               spec.start + std::chrono::seconds(to));
    };
    const double requests = span("rd_ios") + span("wr_ios");
    if (requests > 0) ++touched;
    EXPECT_LT((span("rd_sectors") + span("wr_sectors")) * 512, 10'000 * static_cast<double>(to - from));
    EXPECT_LE(span("rd_ms") + span("wr_ms"), 1.3 * requests);
  }
  EXPECT_GT(touched, 60U);
}

TEST(Generator, WorkOfAServerThatGoesDownMigratesForGood) {  // T §6.2.3
  ScaleSpec spec = small_spec();
  spec.site = surveyor();
  spec.server_work = true;
  spec.incidents = {IncidentKind::kServerDown};
  std::size_t migrated = 0;
  for (spec.seed = 1; spec.seed <= 20; ++spec.seed) {
    const Plan plan = make_plan(spec);
    const Outage& outage = plan.incidents.front().outages.front();
    for (const LunSet& set : spec.site.sets) {
      std::vector<ServerWork> of_set;
      for (const ServerWork& work : plan.server_work) {
        if (work.pool == set.pool) of_set.push_back(work);
      }
      ASSERT_FALSE(of_set.empty());
      EXPECT_EQ(of_set.back().to, spec.duration);
      if (of_set.front().server != outage.server) {
        EXPECT_EQ(of_set.size(), 1U);
        continue;
      }
      ++migrated;
      ASSERT_EQ(of_set.size(), 2U);
      EXPECT_EQ(of_set[0].to, outage.from);
      EXPECT_EQ(of_set[1].from, outage.from);
      EXPECT_NE(of_set[1].server, outage.server);
      EXPECT_EQ(of_set[1].requests.rate.reads_per_s, of_set[0].requests.rate.reads_per_s);
    }
  }
  EXPECT_GT(migrated, 2U);
  EXPECT_LT(migrated, 30U);
}

TEST(Generator, ClocksStepBothWays) {
  ScaleSpec spec = small_spec();
  spec.site.arrays = 16;
  spec.duration = kDay;
  spec.clock_steps = true;
  const Generator generator(spec);
  ASSERT_EQ(generator.plan().clock_steps.size(), 6U);
  ClockStep step = generator.plan().clock_steps.front();
  spec.site.arrays = 1;
  spec.duration = kHour;
  for (const Seconds by : {-20, 20}) {
    Plan plan;
    step = {.array = 0, .server = 0, .at = 1800, .by = by};
    plan.clock_steps = {step};
    Samples samples;
    ASSERT_TRUE(Generator(spec, plan).write_array(0, samples, {}));
    std::vector<WallTime> times;
    for (const SampleTable& table : samples.tables().at("fs1")) {
      times.insert(times.end(), table.times().begin(), table.times().end());
    }
    EXPECT_EQ(times[120] - times[119], std::chrono::seconds(15 + by));
    EXPECT_EQ(times[121] - times[120], std::chrono::seconds(15));
  }
}

TEST(Generator, TruthNamesEverything) {
  ScaleSpec spec = small_spec();
  spec.site = intrepid();
  spec.random_incidents = kIncidentKinds;
  spec.transients = 0.1;
  spec.server_work = true;
  spec.clock_steps = true;
  const Generator generator(spec);
  const auto json = nlohmann::json::parse(to_json(spec, generator.plan()));
  EXPECT_EQ(json["schema"], "laggard.lab-scale-truth/1");
  ASSERT_EQ(json["incidents"].size(), kIncidentKinds);
  std::set<std::string> kinds;
  std::set<std::size_t> arrays;
  for (const auto& incident : json["incidents"]) {
    kinds.insert(incident["kind"]);
    EXPECT_FALSE(incident["affected"].empty()) << incident["kind"];
    EXPECT_LT(incident["start"].get<std::string>(), incident["stop"].get<std::string>());
  }
  for (const ScaleIncident& incident : generator.plan().incidents) arrays.insert(incident.array);
  EXPECT_EQ(kinds.size(), kIncidentKinds);
  EXPECT_EQ(arrays.size(), kIncidentKinds);
  EXPECT_FALSE(json["transients"].empty());
  EXPECT_FALSE(json["server_work"].empty());
  EXPECT_FALSE(json["clock_steps"].empty());
}

}  // namespace
}  // namespace laggard::lab::scale
