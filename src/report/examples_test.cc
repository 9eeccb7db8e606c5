#include "report/examples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

namespace laggard::report::examples {

namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

std::vector<WallTime> every(std::int64_t step, std::int64_t first, std::size_t count) {
  std::vector<WallTime> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(at(first + step * static_cast<std::int64_t>(i)));
  return out;
}

/// A smoothed random walk about `mean`: what a moving average of a busy disk looks like.
std::vector<float> wander(std::mt19937& random, std::size_t points, double mean, double spread) {
  std::normal_distribution<double> step(0, 1);
  std::vector<float> out(points);
  double state = step(random);
  for (float& value : out) {
    state = 0.93 * state + 0.37 * step(random);
    value = static_cast<float>(mean * std::exp(spread * state));
  }
  return out;
}

Evidence await_evidence() {
  Evidence e;
  e.metric = "await";
  e.component = "s2/loop22";
  e.detector = "cdf";
  e.distance = 37.25;
  e.threshold = 9.8;
  e.score = 37.25 / 9.8;
  e.level = 142.4;
  e.peers = 18.31;
  e.unit = "ms";
  e.windows = every(32, 62, 5);
  e.peer_count = 8;
  return e;
}

/// All of them, over the whole time.
Judged all_judged(std::size_t hosts, std::size_t components) {
  return {.hosts = {hosts, hosts},
          .components = {components, components},
          .groups = {1, 1},
          .from = at(0),
          .to = at(270),
          .recorded = std::chrono::seconds(270),
          .window = std::chrono::seconds(64),
          .windows = 7,
          .compared = 7,
          .needed = 3};
}

Coverage nine_servers() {
  Coverage c;
  c.hosts = 9;
  c.components = 9;
  c.metrics = {"rd_sec", "wr_sec", "await", "rxbyt", "txbyt", "cwnd"};
  c.judged = all_judged(9, 9);
  return c;
}

}  // namespace

WallTime at(std::int64_t seconds) {
  return from_unix_ns((1'795'202'494 + seconds) * std::int64_t{1'000'000'000});
}

Diagnosis all_well() {
  Diagnosis d;
  d.from = at(0);
  d.to = at(270);
  d.preset = "lab";
  d.distance = "cdf";
  d.thresholds = ThresholdOrigin::kTrained;
  d.coverage = nine_servers();
  for (int i = 1; i <= 9; ++i) d.ranking.push_back({fmt::format("s{}/loop2{}", i, i), "storage", 0, 0});
  return d;
}

Diagnosis nobody_stands_out() {
  Diagnosis d = all_well();
  d.slowdowns = {{"interfaces", 9, at(62), at(182), 2.67e6, 1.02e6, "bytes/s"}};
  Camps& camps = d.camps.emplace_back();
  camps.group = "storage";
  camps.metric = "await";
  camps.unit = "ms";
  camps.since = at(122);
  for (int i = 1; i <= 9; ++i) {
    (i <= 5 ? camps.higher : camps.lower).members.push_back(fmt::format("s{}/loop2{}", i, i));
  }
  camps.higher.level = 1200;
  camps.lower.level = 110;
  camps.higher.share = {{PartKind::kSwitch, "sw1"}, {PartKind::kDrawer, "r7", "rack"}};
  return d;
}

Diagnosis busy_disk() {
  Diagnosis d = all_well();
  d.ranking = {{"s2/loop22", "storage", 5, 12.4}, {"s5/loop25", "storage", 1, 0.8}};
  for (const int i : {1, 3, 4, 6, 7, 8, 9})
    d.ranking.push_back({fmt::format("s{}/loop2{}", i, i), "storage", 0, 0});
  Incident& i = d.incidents.emplace_back();
  i.id = "s2-disk-busy-20261120T192236Z";
  i.since = at(62);
  i.faulty_since = at(190);
  i.until = at(254);
  i.seen_until = at(254);
  i.state = IncidentState::kConfirmed;
  i.status = IncidentStatus::kClosed;
  i.confidence = 0.98;
  i.blame = {PartKind::kServer, "s2"};
  i.alternatives = {{PartKind::kDisk, "s2/loop22"}, {PartKind::kController, "c1"}};
  i.components = {"s2/loop22"};
  i.cause = "disk-busy";
  i.resource = "storage";
  i.rule = "storage-latency";
  i.why = "await of s2/loop22 is far above its peers while its throughput is the same as theirs";
  i.check = {"ssh s2 smartctl -x /dev/loop22  # reallocated and pending sectors, errors"};
  i.persistence = 5;
  i.severity = 12.4;
  i.thresholds = ThresholdOrigin::kTrained;
  i.evidence = {await_evidence()};
  i.impact = Impact{"network of 9 servers", 2.73e6, 1.29e6, "bytes/s"};
  return d;
}

namespace {

Incident lost_attachment() {
  Incident i;
  i.id = "a1";
  i.since = at(86400);
  i.faulty_since = at(90000);
  i.seen_until = at(159750);
  i.state = IncidentState::kConfirmed;
  i.blame = {PartKind::kController, "ddn12"};
  i.components = {"ddn12.lun3.fs1", "ddn12.lun4.fs1", "ddn12.lun3.fs2"};
  i.cause = "lost-attachment";
  i.resource = "storage";
  i.rule = "absent-primary";
  i.why = "three attachments of one controller went silent at once while their secondaries took the load";
  i.persistence = 164;
  i.severity = 1830.5;
  i.thresholds = ThresholdOrigin::kTrained;
  for (const std::string& name : i.components) {
    Evidence e;
    e.metric = "rd_sec";
    e.component = name;
    e.detector = "absent";
    e.distance = 60;
    e.threshold = 4.2;
    e.score = 60 / 4.2;
    e.level = 0;
    e.peers = 61234.5;
    e.unit = "sectors/s";
    e.windows = every(450, 86400, 164);
    i.evidence.push_back(e);
  }
  i.evidence.front().note = "nothing completed while 31 requests waited";
  return i;
}

Incident network(IncidentState state, IncidentStatus status, std::string name, std::string cause) {
  Incident i;
  i.id = name + "-" + cause;
  i.since = at(3600);
  if (status == IncidentStatus::kClosed) i.until = at(9000);
  i.state = state;
  i.status = status;
  i.blame = {PartKind::kServer, std::move(name)};
  i.components = {i.blame.name + "/eth0"};
  i.cause = std::move(cause);
  i.resource = "network";
  i.rule = "congestion";
  i.why = "its congestion windows stay far below those of the other servers";
  i.persistence = 3;
  i.severity = 4.25;
  Evidence e;
  e.metric = "cwnd";
  e.component = i.components.front();
  e.detector = "cwnd";
  e.distance = 5.4;
  e.threshold = 2.1;
  e.score = 5.4 / 2.1;
  e.level = 2.2;
  e.peers = 87.5;
  e.unit = "segments";
  e.windows = every(30, 3600, 3);
  i.evidence = {e};
  return i;
}

}  // namespace

Diagnosis bad_week() {
  using enum IncidentState;
  using enum IncidentStatus;
  Diagnosis d;
  d.from = at(0);
  d.to = at(180000);
  d.preset = "production";
  d.distance = "cdf";
  d.incidents = {lost_attachment(), network(kConfirmed, kClosed, "fs7", "packet-loss"),
                 network(kSuspected, kOpen, "fs9", "packet-loss"),
                 network(kConfirmed, kExcluded, "fs3", "network-hog"),
                 network(kSuspected, kExplained, "fs4", "")};
  d.incidents.back().resource.clear();
  d.incidents.back().evidence.front().level.reset();
  d.incidents.back().evidence.front().score = std::numeric_limits<double>::infinity();
  for (int i = 1; i <= 30; ++i) {
    const int left = i <= 14 ? 164 / i : 0;
    d.ranking.push_back(
        {fmt::format("ddn{}.lun{}.fs{}", 1 + i / 4, i, 1 + i % 8), "primary", left, 1830.5 / i});
    if (left == 0) d.ranking.back().severity = 0;
  }
  d.coverage.hosts = 8;
  d.coverage.components = 30;
  d.coverage.judged = all_judged(8, 30);
  d.coverage.metrics = {"rd_sec", "wr_sec", "await"};
  d.coverage.missing = {
      "fs6 has no samples from 2026-11-21 02:00:00Z to 2026-11-21 05:30:00Z: recorder stopped",
      "cwnd was not recorded: run the recorder as root or with CAP_NET_ADMIN to have it"};
  d.coverage.not_comparable = {
      "group 'metadata' has 2 members and peers need at least 3: mds1/sda, mds2/sda"};
  d.coverage.clocks.agree = 6;
  d.coverage.clocks.skewed = {{.host = "fs6",
                               .from = d.from,
                               .to = d.from + std::chrono::hours(9),
                               .ahead = -std::chrono::seconds(30),
                               .error = std::chrono::milliseconds(7500),
                               .correlation = 0.61,
                               .unmoved = 0.04,
                               .sigmas = 12.3}};
  d.coverage.clocks.unknown = {"fs7"};
  return d;
}

Diagnosis nothing_comparable() {
  Diagnosis d;
  d.from = at(0);
  d.to = at(20);
  d.preset = "lab";
  d.distance = "cdf";
  d.coverage.hosts = 1;
  d.coverage.not_comparable = {"group 'a' has 1 member and peers need at least 3: a/sda"};
  return d;
}

namespace {

/// Of a server with a backup beside its daemon, as detect/behaviour makes them: binaries in programs,
/// functions in binaries; what is in no function was too small.
FlamesPayload flames_of_backup() {
  return {.unit = "% CPU",
          .frames = {{"all", 0, 41.2, 36.9},
                     {"[kernel]", 1, 3.1, 2.9},
                     {"[kernel]", 2, 2.6, 2.5},
                     {"blk_done_softirq", 3, 1.4, 1.2},
                     {"net_rx_action", 3, 1.2, 1.3},
                     {"dd", 1, 11.4, 0},
                     {"[kernel]", 2, 10.9, 0},
                     {"blkdev_direct_IO", 3, 2.2, 0},
                     {"copy_user_enhanced_fast_string", 3, 4.6, 0},
                     {"submit_bio", 3, 4.1, 0},
                     {"glusterfsd", 1, 25.3, 33.0},
                     {"[kernel]", 2, 11.8, 17.5},
                     {"__alloc_pages", 3, 1.1, 1.9},
                     {"copy_user_enhanced_fast_string", 3, 4.8, 8.1},
                     {"ext4_file_write_iter", 3, 0, 1.9},
                     {"tcp_recvmsg_locked", 3, 3.3, 3.2},
                     {"io-threads.so", 2, 6.4, 6.2},
                     {"iot_worker", 3, 5.9, 5.8},
                     {"libc.so.6", 2, 3.9, 3.8},
                     {"__memmove_avx_unaligned_erms", 3, 3.6, 3.5},
                     {"sshd", 1, 0.4, 0.3}}};
}

}  // namespace

Diagnosis rogue_program() {
  Diagnosis d = busy_disk();
  Incident& i = d.incidents.front();
  i.id = "s2-storage-computing-20261120T192236Z";
  i.components = {"s2"};
  i.cause = "storage-computing";
  i.why = "dd runs there and on no peer";
  Evidence e;
  e.source = "behaviour";
  e.detector = "samples";
  e.component = "s2";
  e.part = i.blame;
  e.level = 41.2;
  e.peers = 36.9;
  e.unit = "% CPU";
  e.note =
      "dd runs there and on no peer; most in copy_user_enhanced_fast_string (dd): 4.6 % CPU, its peers 0";
  e.payloads = {{"functions that differ most",
                 RankedPayload{.unit = "% CPU",
                               .entries = {{"copy_user_enhanced_fast_string (dd)", 4.6, 0},
                                           {"submit_bio (dd)", 4.1, 0},
                                           {"copy_user_enhanced_fast_string (glusterfsd)", 4.8, 8.1}}}},
                {"CPU time by program, binary and function", flames_of_backup()}};
  i.evidence = {std::move(e)};
  return d;
}

Diagnosis hostile() {
  const std::string attack = std::string("</script><script>window.owned=1</script>") +
                             "<img src=x onerror=\"window.owned=1\">'\x1b]0;owned\x07\xff" + kOverride;
  Diagnosis d = busy_disk();
  d.preset = attack;
  d.distance = attack;
  Incident& i = d.incidents.front();
  i.id = attack;
  i.blame.name = attack;
  i.blame.called = attack;
  i.alternatives = {{PartKind::kDisk, attack}};
  i.components = {attack};
  i.cause = i.resource = i.rule = i.why = attack;
  i.check = {attack};
  Evidence& e = i.evidence.front();
  e.metric = e.component = e.detector = e.unit = e.note = e.source = attack;
  Evidence& behaviour = i.evidence.emplace_back();
  behaviour.source = behaviour.detector = behaviour.component = behaviour.note = attack;
  behaviour.payloads = {{attack, FlamesPayload{attack, {{attack, 0, 2, 1}, {attack, 1, 2, 1}}}}};
  d.ranking.front() = {attack, attack, 5, 12.4};
  d.coverage.metrics = d.coverage.missing = d.coverage.not_comparable = d.coverage.clocks.unknown = {attack};
  d.coverage.clocks.skewed.emplace_back().host = attack;
  d.slowdowns = {{attack, 9, at(62), at(182), 2.67e6, 1.02e6, attack}};
  Camps& camps = d.camps.emplace_back();
  camps.group = camps.metric = camps.unit = attack;
  camps.higher.members = camps.lower.members = {attack};
  camps.higher.share = {{PartKind::kSwitch, attack, attack}};
  return d;
}

namespace {

/// Adds to component `sick` what a fault does between `first` and `last` of its points.
void slow_down(std::vector<float>& values, std::size_t first, std::size_t last, float times) {
  for (std::size_t i = first; i < std::min(last, values.size()); ++i) {
    const double ramp =
        std::min({1.0, static_cast<double>(i - first) / 6, static_cast<double>(last - i) / 6});
    values[i] *= 1 + (times - 1) * static_cast<float>(ramp);
  }
}

PeerPlot nine_peers(std::string metric, std::string unit, double mean, float times) {
  std::mt19937 random(static_cast<std::mt19937::result_type>(metric.size()) + 7);
  PeerPlot p;
  p.metric = std::move(metric);
  p.unit = std::move(unit);
  p.group = "storage";
  p.sick = "s2/loop22";
  p.times = every(1, 0, 240);
  for (int i = 1; i <= 9; ++i) {
    p.components.push_back(fmt::format("s{}/loop2{}", i, i));
    p.values.push_back(wander(random, 240, mean * (1 + 0.04 * i), 0.18));
  }
  slow_down(p.values[1], 62, 232, times);
  std::fill(p.values[6].begin() + 100, p.values[6].begin() + 120, kMissing);
  p.flagged = {{at(62), at(126)}, {at(94), at(158)}, {at(126), at(190)}, {at(158), at(222)}};
  return p;
}

DistributionPlot distribution(const PeerPlot& p, std::size_t first, std::size_t last) {
  DistributionPlot d;
  d.metric = p.metric;
  d.unit = p.unit;
  d.sick = p.sick;
  d.window = {p.times[first], p.times[last]};
  d.components = p.components;
  for (const auto& values : p.values) {
    auto& sorted = d.sorted.emplace_back();
    for (std::size_t i = first; i < last; ++i) {
      if (!std::isnan(values[i])) sorted.push_back(values[i]);
    }
    std::ranges::sort(sorted);
  }
  return d;
}

ScoreMap score_map(const std::vector<std::string>& components, std::size_t sick, std::size_t windows,
                   std::int64_t shift) {
  std::mt19937 random(11);
  std::lognormal_distribution<float> healthy(-1.0F, 0.45F);
  std::lognormal_distribution<float> ill(1.3F, 0.3F);
  ScoreMap m;
  m.group = "storage";
  m.windows = every(shift, 0, windows);
  m.window_length = std::chrono::seconds(2 * shift);
  m.components = components;
  for (std::size_t c = 0; c < components.size(); ++c) {
    auto& row = m.scores.emplace_back();
    for (std::size_t w = 0; w < windows; ++w) {
      const bool faulty = c == sick && w * 4 >= windows && w * 6 <= windows * 5;
      row.push_back(faulty ? ill(random) : healthy(random));
    }
    if (c % 7 == 6) row[windows / 2] = kMissing;
  }
  return m;
}

}  // namespace

Plots plots_of_busy_disk() {
  Plots plots;
  IncidentPlots& i = plots.incidents.emplace_back();
  i.incident = "s2-disk-busy-20261120T192236Z";
  i.peers = {nine_peers("await", "ms", 18, 7.5F), nine_peers("rd_sec", "sectors/s", 61000, 0.97F)};
  i.distributions = {distribution(i.peers[0], 94, 158), distribution(i.peers[1], 94, 158)};
  plots.maps = {score_map(i.peers[0].components, 1, 7, 32)};
  return plots;
}

Plots plots_of_hostile() {
  const std::string attack = hostile().incidents.front().id;
  Plots plots = plots_of_busy_disk();
  plots.incidents.front().incident = attack;
  for (PeerPlot& p : plots.incidents.front().peers) {
    p.metric = p.unit = p.group = p.sick = attack;
    p.components[1] = attack;
  }
  for (DistributionPlot& p : plots.incidents.front().distributions) {
    p.metric = p.unit = p.sick = attack;
    p.components[1] = attack;
  }
  plots.maps.front().group = plots.maps.front().components[1] = attack;
  return plots;
}

namespace {

std::string lun_name(std::size_t i) {
  return fmt::format("ddn{}.lun{}.fs{}", 1 + i / 32, i % 32, 1 + i / 24);
}
constexpr std::size_t kSickLun = 300;

}  // namespace

Diagnosis big_system(std::size_t peers) {
  Diagnosis d = busy_disk();
  d.preset = "production";
  d.to = at(86400);
  Incident& i = d.incidents.front();
  i.since = at(21600);
  i.faulty_since = at(22500);
  i.until = at(72000);
  const std::string sick = lun_name(std::min(kSickLun, peers - 1));
  i.blame = {PartKind::kLun, sick};
  i.components = {sick};
  i.why = "await of " + sick + " is far above its peers in an unbroken run of windows";
  i.evidence.front().component = sick;
  i.persistence = 112;
  d.ranking = {{sick, "primary", 112, 402.5}};
  for (std::size_t c = 0; c < peers; ++c) {
    if (lun_name(c) != sick) d.ranking.push_back({lun_name(c), "primary", c < 20 ? 3 : 0, c < 20 ? 1.5 : 0});
  }
  d.coverage.hosts = 32;
  d.coverage.components = peers;
  d.coverage.judged = all_judged(32, peers);
  d.coverage.metrics = {"await"};
  return d;
}

Plots plots_of_big_system(std::size_t peers, std::size_t points, std::size_t windows) {
  std::mt19937 random(3);
  Plots plots;
  IncidentPlots& i = plots.incidents.emplace_back();
  i.incident = "s2-disk-busy-20261120T192236Z";
  PeerPlot& p = i.peers.emplace_back();
  p.metric = "await";
  p.unit = "ms";
  p.group = "primary";
  p.sick = lun_name(std::min(kSickLun, peers - 1));
  const std::int64_t step = 86400 / static_cast<std::int64_t>(points);
  p.times = every(step, 0, points);
  for (std::size_t c = 0; c < peers; ++c) {
    p.components.push_back(lun_name(c));
    auto& values = p.values.emplace_back(wander(random, points, 12, 0.25));
    for (std::size_t k = 0; k < points; ++k) {
      const double day = static_cast<double>(k) / static_cast<double>(points);
      values[k] *= static_cast<float>(1 + 0.5 * std::sin(4 * std::numbers::pi * day));
    }
    if (p.components.back() == p.sick) slow_down(values, points / 4, points * 5 / 6, 3.5F);
  }
  p.flagged = {{at(21600), at(72000)}};
  i.distributions = {distribution(p, points / 2, points / 2 + 60)};
  plots.maps = {score_map(p.components, std::min(kSickLun, peers - 1), windows,
                          86400 / static_cast<std::int64_t>(windows))};
  return plots;
}

std::vector<PeerPlot> training_day() {
  std::vector<PeerPlot> plots{nine_peers("await", "ms", 18, 1), nine_peers("rd_sec", "sectors/s", 61000, 1)};
  for (PeerPlot& p : plots) {
    p.sick.clear();
    p.flagged.clear();
  }
  return plots;
}

}  // namespace laggard::report::examples
