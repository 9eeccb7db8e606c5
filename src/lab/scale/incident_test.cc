#include "lab/scale/incident.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "testing/scale.h"

/// For every kind of incident: the counters show what the thesis says that they show.
namespace laggard::lab::scale {
namespace {

using testing_support::Samples;
using testing_support::small_spec;

class Incident : public testing::Test {
 protected:
  void make(IncidentKind kind, std::uint64_t seed = 3) {
    ScaleSpec spec = small_spec();
    spec.incidents = {kind};
    spec.seed = seed;
    generator_.emplace(spec);
    ASSERT_EQ(generator_->plan().incidents.size(), 1U);
    incident_ = generator_->plan().incidents.front();
    ASSERT_TRUE(generator_->write_array(incident_.array, samples_, {}));
  }

  [[nodiscard]] const SiteSpec& site() const { return generator_->spec().site; }
  [[nodiscard]] WallTime at(Seconds t) const { return generator_->spec().start + std::chrono::seconds(t); }
  [[nodiscard]] std::string host(std::size_t server) const {
    return site().server_name(incident_.array, server);
  }
  [[nodiscard]] std::string device(std::size_t lun) const { return site().lun_name(incident_.array, lun); }
  [[nodiscard]] std::size_t lun_of(const Effect& effect) const {
    std::size_t lun = 0;
    while (!effect.luns.test(lun)) ++lun;
    return lun;
  }

  /// Requests completed by the attachment at `priority`, before the incident and during it.
  [[nodiscard]] std::optional<double> requests(std::size_t lun, std::size_t server, bool during) const {
    // A moment of grace, so that the first interval after the change does not count for either.
    const WallTime from = during ? at(incident_.start + 60) : at(0);
    const WallTime to = during ? at(incident_.stop) : at(incident_.start);
    const auto reads = samples_.increase(host(server), device(lun), "rd_ios", from, to);
    const auto writes = samples_.increase(host(server), device(lun), "wr_ios", from, to);
    if (!reads || !writes) return std::nullopt;
    return *reads + *writes;
  }

  [[nodiscard]] double await(std::size_t lun, std::size_t priority, Seconds from, Seconds to) const {
    return samples_.await(host(site().server_at(lun, priority)), device(lun), at(from), at(to)).value_or(-1);
  }
  /// Of the median LUN through its primary.
  [[nodiscard]] double usual_await(Seconds from, Seconds to) const {
    std::vector<double> all;
    for (std::size_t lun = 0; lun < 48; ++lun) all.push_back(await(lun, 0, from, to));
    std::ranges::nth_element(all, all.begin() + 24);
    return all[24];
  }

  /// Mean wait of a LUN's reads through its primary; writes wait for the controllers' memory alone.
  [[nodiscard]] double reads(std::size_t lun, Seconds from, Seconds to) const {
    const std::string server = host(site().server_at(lun, 0));
    const auto ms = samples_.increase(server, device(lun), "rd_ms", at(from), at(to));
    const auto ios = samples_.increase(server, device(lun), "rd_ios", at(from), at(to));
    return ios.value_or(0) > 0 ? *ms / *ios : -1;
  }
  /// Of the median one of the LUNs of its set, at the same time.
  [[nodiscard]] double usual_reads(std::size_t lun, Seconds from, Seconds to) const {
    std::vector<double> all;
    for (std::size_t other = 0; other < site().luns_per_array(); ++other) {
      if (site().set_of(other) == site().set_of(lun)) all.push_back(reads(other, from, to));
    }
    std::ranges::sort(all);
    return all[all.size() / 2];
  }

  /// The attachments of `lost` show no data (or zeros), and the next priority has the load.
  void expect_lost(const std::vector<ServerMask>& lost, Lost how) const {
    for (std::size_t lun = 0; lun < lost.size(); ++lun) {
      bool served = false;
      for (std::size_t priority = 0; priority < 8; ++priority) {
        const std::size_t server = site().server_at(lun, priority);
        const auto before = requests(lun, server, false);
        const auto during = requests(lun, server, true);
        ASSERT_TRUE(before.has_value());
        EXPECT_EQ(*before > 0, priority == 0) << lun << " " << priority;
        if (lost[lun].test(server)) {
          EXPECT_EQ(during.has_value(), how == Lost::kUnused);
          EXPECT_EQ(during.value_or(0), 0);
        } else {
          ASSERT_TRUE(during.has_value());
          EXPECT_EQ(*during > 0, !served) << lun << " " << priority;
          served = true;
        }
      }
    }
  }

  [[nodiscard]] std::vector<ServerMask> lost_luns() const {
    std::vector<ServerMask> lost(site().luns_per_array());
    for (const Effect& effect : incident_.effects) {
      for (std::size_t lun = 0; lun < lost.size(); ++lun) {
        if (effect.lost != Lost::kNot && effect.luns.test(lun)) lost[lun] |= effect.servers;
      }
    }
    return lost;
  }

  [[nodiscard]] std::size_t count_lost() const {
    std::size_t count = 0;
    for (const ServerMask& mask : lost_luns()) count += mask.count();
    return count;
  }

  std::optional<Generator> generator_;
  ScaleIncident incident_;
  Samples samples_;
};

TEST_F(Incident, FailedControllerTakesTheDevicesOfItsFourServers) {
  make(IncidentKind::kControllerFailed);
  EXPECT_EQ(count_lost(), 4U * 72);
  EXPECT_EQ(incident_.blame.kind, PartKind::kController);
  expect_lost(lost_luns(), Lost::kAbsent);
  const Affected affected = affected_by(site(), incident_);
  EXPECT_EQ(affected.attachments.size(), 4U * 72);
  EXPECT_EQ(affected.relieving.size(), 36U);  // As many as have their primary on it.
  // All of them on one server, as T Table 5.3 has fs53 for ddn12a.
  std::set<std::string> relieving;
  for (const std::string& name : affected.relieving) relieving.insert(name.substr(name.rfind('.') + 1));
  EXPECT_EQ(relieving.size(), 1U);
}

TEST_F(Incident, DownServerRecordsNothingAndItsNeighbourTakesOver) {
  make(IncidentKind::kServerDown);
  ASSERT_EQ(incident_.outages.size(), 1U);
  const Outage& outage = incident_.outages.front();
  const std::string down = host(outage.server);
  EXPECT_EQ(incident_.blame.name, down);
  for (const SampleTable& table : samples_.tables().at(down)) {
    for (const WallTime t : table.times()) {
      EXPECT_FALSE(t > at(outage.from + 1) && t <= at(outage.to)) << to_iso8601(t);
    }
  }
  const std::size_t lun = outage.server;  // The first of its primaries.
  EXPECT_GT(*requests(lun, site().server_at(lun, 1), true), 0);
  EXPECT_EQ(*requests(lun, site().server_at(lun, 1), false), 0);
}

TEST_F(Incident, ServerThatComesBackHasBootedAnew) {
  ScaleSpec spec = small_spec();
  spec.incidents = {IncidentKind::kServerDown};
  spec.seed = 0;
  do {
    ++spec.seed;
    generator_.emplace(spec);
  } while (generator_->plan().incidents.front().stop == spec.duration);
  incident_ = generator_->plan().incidents.front();
  ASSERT_TRUE(generator_->write_array(incident_.array, samples_, {}));
  const auto& tables = samples_.tables().at(incident_.blame.name);
  EXPECT_NE(tables.front().boot(), tables.back().boot());
  EXPECT_LT(tables.back().bits(0, 0, 0), tables.front().bits(0, 0, 0));
}

TEST_F(Incident, MisconfigurationShowsZerosAndLoadOnLaterPriorities) {
  make(IncidentKind::kMisconfiguration);
  EXPECT_EQ(count_lost(), 4U * 36);
  expect_lost(lost_luns(), Lost::kUnused);
  // "Zero await on the LUNs' secondary attachments, pushing the load onto the tertiary" (T §5.8.1).
  const auto lost = lost_luns();
  const bool tertiary =
      std::ranges::any_of(std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7}, [&](std::size_t l) {
        return lost[l].test(site().server_at(l, 0)) && lost[l].test(site().server_at(l, 1));
      });
  EXPECT_TRUE(tertiary);
}

TEST_F(Incident, LostCoherencyLeavesEachLunToItsOwnersServers) {
  make(IncidentKind::kCoherencyLost);
  EXPECT_EQ(count_lost(), 72U * 4);
  expect_lost(lost_luns(), Lost::kAbsent);
}

TEST_F(Incident, ServerWithoutServiceShowsZerosOnAllItsAttachments) {
  make(IncidentKind::kServiceDown);
  EXPECT_EQ(count_lost(), 72U);
  expect_lost(lost_luns(), Lost::kUnused);
}

TEST_F(Incident, InaccessibleLunsVanishFromAllButOneServerOfAController) {
  make(IncidentKind::kLunsInaccessible);
  EXPECT_EQ(count_lost(), 72U * 3);
  expect_lost(lost_luns(), Lost::kAbsent);
}

TEST_F(Incident, AllButOneOfTwoServersIsOneServer) {
  const SiteSpec small = surveyor();
  const ScaleIncident lost =
      make_incident(small, IncidentKind::kLunsInaccessible, {0, kHour, kDay}, Random(3));
  ASSERT_EQ(lost.effects.size(), 1U);
  ASSERT_EQ(lost.effects[0].servers.count(), 1U);
  EXPECT_EQ(lost.blame.kind, PartKind::kController);
  ASSERT_EQ(lost.accepted.size(), 1U);
  EXPECT_EQ(lost.accepted[0].kind, PartKind::kServer);
  make(IncidentKind::kLunsInaccessible);
  EXPECT_TRUE(incident_.accepted.empty()) << "three servers of four are the controller's trouble";
}

TEST_F(Incident, CascadeJittersStallsAndLeavesServersUnused) {
  make(IncidentKind::kCascadedFailure);
  ASSERT_EQ(incident_.effects.size(), 3U);
  const Effect& jitter = incident_.effects[0];
  const Effect& stall = incident_.effects[1];
  const Effect& refused = incident_.effects[2];
  const std::size_t sick = lun_of(jitter);
  EXPECT_GT(reads(sick, jitter.from, jitter.to), 1.3 * usual_reads(sick, jitter.from, jitter.to));
  EXPECT_EQ(stall.to - stall.from, 103);
  const std::string primary = host(site().server_at(sick, 0));
  // Nothing completes while requests are in flight; then waits of up to 103 s (T Table 5.4).
  EXPECT_GE(samples_.largest(primary, device(sick), "in_flight"), 2U);
  const double waited = await(sick, 0, stall.to - 15, stall.to + 31);
  EXPECT_GT(waited, 10'000);
  EXPECT_LT(waited, 120'000);
  const ServerMask servers = refused.servers;
  EXPECT_EQ(servers.count(), 4U);
  for (std::size_t lun = 0; lun < 72; ++lun) {
    const std::size_t server = site().server_at(lun, 0);
    const auto later =
        samples_.increase(host(server), device(lun), "wr_ios", at(refused.from + 60), at(6 * kHour));
    EXPECT_EQ(*later == 0, servers.test(server)) << lun;
  }
}

TEST_F(Incident, DrawerErrorsAreJitterOnManyLuns) {
  make(IncidentKind::kDrawerErrors);
  const Effect& effect = incident_.effects.front();
  EXPECT_GE(effect.luns.count(), 3U);
  std::vector<double> sick;
  std::vector<double> well;
  for (std::size_t lun = 0; lun < 72; ++lun) {
    const double now = reads(lun, incident_.start, incident_.stop);
    const double before = reads(lun, 0, incident_.start);
    (effect.luns.test(lun) ? sick : well).push_back(now / before);
  }
  // The load changes for all alike.
  EXPECT_GT(*std::ranges::min_element(sick), 1.3 * *std::ranges::max_element(well));
}

TEST_F(Incident, SlowLunWaitsWithoutMoreTraffic) {
  make(IncidentKind::kSlowLun);
  const std::size_t lun = lun_of(incident_.effects.front());
  EXPECT_GT(reads(lun, incident_.start, incident_.stop),
            1.7 * usual_reads(lun, incident_.start, incident_.stop));
  const std::size_t other = (lun + 1) % 24 + (lun < 48 ? 0 : 48);
  const double mine = *requests(lun, site().server_at(lun, 0), true);
  const double theirs = *requests(other, site().server_at(other, 0), true);
  EXPECT_NEAR(mine / theirs, 1, 0.5);
}

TEST_F(Incident, BusyLunHasMoreTrafficAndSoWaits) {
  make(IncidentKind::kBusyLun);
  const std::size_t lun = lun_of(incident_.effects.front());
  const std::size_t other = (lun + 1) % 24 + (lun < 48 ? 0 : 48);
  EXPECT_GT(await(lun, 0, incident_.start, incident_.stop),
            1.3 * await(other, 0, incident_.start, incident_.stop));
  EXPECT_GT(*requests(lun, site().server_at(lun, 0), true),
            2 * *requests(other, site().server_at(other, 0), true));
}

TEST_F(Incident, SilentLunWaitsOnItsUnusedSecondary) {
  make(IncidentKind::kSilentLun);
  const std::size_t lun = lun_of(incident_.effects.front());
  const std::size_t secondary = site().server_at(lun, 1);
  EXPECT_EQ(*requests(lun, secondary, false), 0);
  EXPECT_GT(await(lun, 1, incident_.start, incident_.stop), 50);
  const auto sectors =
      samples_.increase(host(secondary), device(lun), "rd_sectors", at(incident_.start), at(incident_.stop));
  const auto seconds = static_cast<double>(incident_.stop - incident_.start);
  EXPECT_LT(*sectors * 512 / seconds, 10'000);  // No workload to speak of.
}

TEST_F(Incident, ReconstructionSlowsItsLunAloneWhereLoopsAreWide) {  // T §6.3.1, §6.4.2
  for (const IncidentKind kind : {IncidentKind::kReconstruction, IncidentKind::kReconstructionSpare}) {
    samples_ = {};
    make(kind);
    const auto phase = std::ranges::find(incident_.effects, Repair::kRebuilding, &Effect::repair);
    ASSERT_NE(phase, incident_.effects.end());
    const std::size_t failed = lun_of(*phase);
    const double usual = usual_reads(failed, phase->from, phase->to);
    EXPECT_GT(reads(failed, phase->from, phase->to), 1.2 * usual) << to_name(kind);
    EXPECT_LT(reads(failed ^ 1, phase->from, phase->to), 1.2 * usual) << to_name(kind);
    EXPECT_EQ(incident_.blame.name, device(failed));
  }
}

TEST_F(Incident, OscillationIsSlowForMoreThanHalfOfThePeriod) {
  make(IncidentKind::kOscillation);
  ASSERT_GE(incident_.effects.size(), 3U);
  const Effect& first = incident_.effects[0];
  const Effect& second = incident_.effects[1];
  const auto period = static_cast<double>(second.from - first.from);
  EXPECT_GT(static_cast<double>(first.to - first.from), 0.55 * period);
  const std::size_t lun = lun_of(first);
  EXPECT_GT(reads(lun, first.from, first.to), 1.5 * usual_reads(lun, first.from, first.to));
  EXPECT_LT(reads(lun, first.to + 15, second.from), 1.5 * usual_reads(lun, first.to + 15, second.from));
}

TEST_F(Incident, NamesAreThereAndBack) {
  for (std::size_t i = 0; i < kIncidentKinds; ++i) {
    const auto kind = static_cast<IncidentKind>(i);
    EXPECT_EQ(incident_kind_of(to_name(kind)), kind);
  }
  EXPECT_FALSE(incident_kind_of("gremlins").has_value());
}

}  // namespace
}  // namespace laggard::lab::scale
