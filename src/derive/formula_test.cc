#include "derive/formula.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <string>

#include "base/missing.h"

namespace laggard::derive {
namespace {
/// What a device did in a cell, by name.
struct NamedCell {
  std::map<std::string, double> values;
  double seconds = 1;
  double stalled_seconds = 0;

  double operator[](const std::string& counter) const {
    const auto found = values.find(counter);
    return found == values.end() ? kMissing : found->second;
  }
};

/// \param b  where `a` is missing.
double either(double a, double b) { return std::isnan(a) ? b : a; }

double requests(const NamedCell& c) { return either(c["ios"], c["rd_ios"] + c["wr_ios"]); }

bool stalled(const NamedCell& c) {
  if (!(requests(c) < 0.5)) return false;
  return c.values.contains("in_flight") ? c["in_flight"] >= 1 : c["weighted_ms"] > 500 * c.seconds;
}

/// What each of `done` took, of requests that waited `waited` in all; a stalled disk is as slow as it is long
/// stalled.
double wait_of(const NamedCell& c, double waited, double done) {
  if (done >= 0.5) return waited / done;
  if (!stalled(c)) return 0;
  return c.stalled_seconds > 0 ? 1000 * c.stalled_seconds : kMissing;
}

double wait_per_request(const NamedCell& c) {
  const double waited = c["rd_ms"] + c["wr_ms"] + either(c["dc_ms"], 0);
  return std::isnan(waited + requests(c)) ? c["await"] : wait_of(c, waited, requests(c));
}

double wait_per_read(const NamedCell& c) {
  return std::isnan(c["rd_ms"] + c["rd_ios"]) ? kMissing : wait_of(c, c["rd_ms"], c["rd_ios"]);
}

double request_size(const NamedCell& c) {
  const double size = (c["rd_sectors"] + c["wr_sectors"]) / requests(c);
  return requests(c) < 0.5 && !std::isnan(c["rd_sectors"] + c["wr_sectors"]) ? 0 : size;
}

double us_share(const NamedCell& c, const std::string& counter) {
  return 100 * c[counter] / (1e6 * c.seconds);
}

double mean_ms(const NamedCell& c, const std::string& ns, const std::string& done) {
  if (std::isnan(c[ns] + c[done])) return kMissing;
  return c[done] < 0.5 ? 0 : c[ns] / (1e6 * c[done]);
}

/// docs/methods/metrics.md, formula by formula.
const std::map<std::string, std::function<double(const NamedCell&)>>& definitions() {
  static const std::map<std::string, std::function<double(const NamedCell&)>> kAll{
      {"rd_sec", [](const NamedCell& c) { return either(c["rd_sectors"] / c.seconds, c["rd_sec"]); }},
      {"wr_sec", [](const NamedCell& c) { return either(c["wr_sectors"] / c.seconds, c["wr_sec"]); }},
      {"await", wait_per_request},
      {"r_await", wait_per_read},
      {"tps", [](const NamedCell& c) { return requests(c) / c.seconds; }},
      {"avgrq-sz", request_size},
      {"avgqu-sz", [](const NamedCell& c) { return c["weighted_ms"] / (1000 * c.seconds); }},
      {"%util", [](const NamedCell& c) { return 100 * c["io_ms"] / (1000 * c.seconds); }},
      {"throughput", [](const NamedCell& c) { return c["throughput"]; }},
      {"latency", [](const NamedCell& c) { return c["latency"]; }},
      {"rxbyt", [](const NamedCell& c) { return either(c["rx_bytes"] / c.seconds, c["rxbyt"]); }},
      {"txbyt", [](const NamedCell& c) { return either(c["tx_bytes"] / c.seconds, c["txbyt"]); }},
      {"rxpck", [](const NamedCell& c) { return either(c["rx_packets"] / c.seconds, c["rxpck"]); }},
      {"txpck", [](const NamedCell& c) { return either(c["tx_packets"] / c.seconds, c["txpck"]); }},
      {"cwnd", [](const NamedCell& c) { return c["snd_cwnd"]; }},
      {"retransmits", [](const NamedCell& c) { return c["retrans"] / c.seconds; }},
      {"rtt", [](const NamedCell& c) { return c["rtt_us"] / 1000; }},
      {"awaiting", [](const NamedCell& c) { return c["awaiting"] / 0.01; }},
      {"waiters", [](const NamedCell& c) { return c["awaiting"]; }},
      {"owing", [](const NamedCell& c) { return c["owing"] / 0.01; }},
      {"tcp-busy", [](const NamedCell& c) { return us_share(c, "busy_us"); }},
      {"rwnd-limited", [](const NamedCell& c) { return us_share(c, "rwnd_limited_us"); }},
      {"sndbuf-limited", [](const NamedCell& c) { return us_share(c, "sndbuf_limited_us"); }},
      {"unsent", [](const NamedCell& c) { return c["notsent_bytes"]; }},
      {"link-speed", [](const NamedCell& c) { return c["link_mbit"]; }},
      {"carrier", [](const NamedCell& c) { return c["carrier_changes"] / c.seconds; }},
      {"crc-errors", [](const NamedCell& c) { return c["rx_crc_errors"] / c.seconds; }},
      {"stopped", [](const NamedCell& c) { return c["stopped"] / 0.01; }},
      {"load", [](const NamedCell& c) { return c["procs_running"] + c["procs_blocked"]; }},
      {"host-cpu",
       [](const NamedCell& c) {
         const double work = c["cpu_user_ms"] + c["cpu_system_ms"] + either(c["cpu_irq_ms"], 0);
         return 100 * work / (1000 * c.seconds);
       }},
      {"steal", [](const NamedCell& c) { return 100 * c["cpu_steal_ms"] / (1000 * c.seconds); }},
      {"psi-cpu", [](const NamedCell& c) { return us_share(c, "psi_cpu_us"); }},
      {"psi-io", [](const NamedCell& c) { return us_share(c, "psi_io_us"); }},
      {"psi-memory", [](const NamedCell& c) { return us_share(c, "psi_memory_us"); }},
      {"swap", [](const NamedCell& c) { return (c["swap_in"] + c["swap_out"]) / c.seconds; }},
      {"memory-errors", [](const NamedCell& c) { return c["ecc_corrected"] / c.seconds; }},
      {"clock-rate", [](const NamedCell& c) { return c["cpu_mhz"]; }},
      {"thermal", [](const NamedCell& c) { return c["thermal_throttles"] / c.seconds; }},
      {"paths-down", [](const NamedCell& c) { return c["paths_down"]; }},
      {"cpu", [](const NamedCell& c) { return us_share(c, "cpu_us"); }},
      {"run-wait", [](const NamedCell& c) { return us_share(c, "run_wait_us"); }},
      {"throttled", [](const NamedCell& c) { return us_share(c, "throttled_us"); }},
      {"dread", [](const NamedCell& c) { return mean_ms(c, "dread_ns", "dreads"); }},
      {"dwrite", [](const NamedCell& c) { return mean_ms(c, "dwrite_ns", "dwrites"); }},
      {"dwrite-direct", [](const NamedCell& c) { return mean_ms(c, "direct_dwrite_ns", "direct_dwrites"); }},
      {"nsread", [](const NamedCell& c) { return mean_ms(c, "message_ns", "messages"); }},
      {"ncread", [](const NamedCell& c) { return mean_ms(c, "message_ns", "messages"); }},
      {"page-waits", [](const NamedCell& c) { return c["major_faults"] / c.seconds; }},
  };
  return kAll;
}

NamedCell random_cell(DeviceKind kind, std::mt19937_64& random) {
  NamedCell cell;
  const std::array<double, 4> seconds{1, 0.6, 15, 7.5};
  cell.seconds = seconds[random() % seconds.size()];
  cell.stalled_seconds = random() % 2 == 0 ? 0 : static_cast<double>(random() % 100);
  const std::uint64_t least_known = random() % 4;
  for (const CounterSpec& counter : known_counters()) {
    if (counter.kind != kind || random() % 4 < least_known) continue;
    const std::array<double, 5> values{0, 0.3, 0.5, 1, static_cast<double>(random() % 1'000'000) / 8};
    cell.values[std::string(counter.name)] = values[random() % values.size()];
  }
  return cell;
}

CellValues in_slots(DeviceKind kind, const NamedCell& cell) {
  CellValues values;
  values.seconds = cell.seconds;
  for (const auto& [counter, value] : cell.values) {
    if (const auto slot = slot_of(kind, counter)) values[*slot] = value;
  }
  return values;
}

TEST(Formula, EveryMetricFollowsItsDefinition) {
  std::mt19937_64 random(7);
  for (const MetricSpec& metric : metric_catalogue()) {
    const auto definition = definitions().find(std::string(metric.name));
    ASSERT_NE(definition, definitions().end()) << metric.name << " has no definition here";
    const Formula formula(metric);
    int known = 0;
    for (int i = 0; i < 20'000; ++i) {
      const NamedCell cell = random_cell(metric.kind, random);
      const double expected = definition->second(cell);
      const double got = formula(in_slots(metric.kind, cell), cell.stalled_seconds);
      ASSERT_EQ(std::isnan(got), std::isnan(expected)) << metric.name << ", case " << i;
      if (std::isnan(got)) continue;
      ASSERT_EQ(std::bit_cast<std::uint64_t>(got), std::bit_cast<std::uint64_t>(expected))
          << metric.name << ", case " << i;
      ++known;
    }
    EXPECT_TRUE(known > 2'000 && known < 20'000) << metric.name << " was known in " << known << " cells";
  }
}

TEST(Formula, AStallIsWhenNothingCompletesAndSomethingWaits) {
  std::mt19937_64 random(8);
  int stalls = 0;
  for (int i = 0; i < 20'000; ++i) {
    const NamedCell cell = random_cell(DeviceKind::kDisk, random);
    ASSERT_EQ(is_stalled(in_slots(DeviceKind::kDisk, cell)), stalled(cell)) << i;
    stalls += stalled(cell) ? 1 : 0;
  }
  EXPECT_GT(stalls, 500);
}

TEST(Formula, AConnectionIsSilentWhereItIsKnownToHaveSentNothing) {
  const Formula cwnd(*find_metric("cwnd"));
  const Slot sent = *slot_of(DeviceKind::kTcp, "bytes_sent");
  CellValues cell;
  EXPECT_FALSE(cwnd.is_silent(cell, 9));
  cell[sent] = 0;
  EXPECT_TRUE(cwnd.is_silent(cell, 9));
  EXPECT_FALSE(Formula(*find_metric("retransmits")).is_silent(cell, 9))
      << "a lost segment counts whoever lost it";
  cell[sent] = 1;
  EXPECT_FALSE(cwnd.is_silent(cell, 9));
}

TEST(Formula, WhoSentNothingAndWaitsIsNotSilent) {
  CellValues cell;
  cell[*slot_of(DeviceKind::kTcp, "bytes_sent")] = 0;
  for (const char* name : {"awaiting", "tcp-busy", "unsent"}) {
    const Formula formula(*find_metric(name));
    EXPECT_TRUE(formula.is_silent(cell, 0)) << name << ": nothing to do must not dilute the others' waiting";
    EXPECT_FALSE(formula.is_silent(cell, 100)) << name << ": its request goes unanswered";
  }
}

TEST(Formula, OfATotalEveryConnectionCounts) {
  CellValues cell;
  cell[*slot_of(DeviceKind::kTcp, "bytes_sent")] = 0;
  EXPECT_FALSE(Formula(*find_metric("waiters")).is_silent(cell, 0)) << "nobody waits is an answer";
}

TEST(Slots, AreThoseOfCountersThatMetricsRead) {
  EXPECT_TRUE(slot_of(DeviceKind::kDisk, "rd_ios").has_value());
  EXPECT_FALSE(slot_of(DeviceKind::kDisk, "rd_merges").has_value());
  EXPECT_FALSE(slot_of(DeviceKind::kNet, "rd_ios").has_value());
  EXPECT_TRUE(slot_of(DeviceKind::kNet, "tx_packets").has_value());
  EXPECT_FALSE(slot_of(DeviceKind::kTcp, "").has_value());
  EXPECT_TRUE(std::isnan(CellValues{}[kNoSlot]));
}

}  // namespace
}  // namespace laggard::derive
