#include "testing/script/simulator.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace laggard::script {

namespace {

constexpr double kTableSeconds = 60;
constexpr double kPersistence = 0.7;  ///< Of the autoregressions, from sample to sample.
constexpr double kSegment = 1448;

const std::vector<TableCounter>& counters_in_tables_of(DeviceKind kind) {
  using enum CounterForm;
  static const std::vector<TableCounter> kDisk{{"rd_ios", kCumulative},     {"wr_ios", kCumulative},
                                               {"rd_sectors", kCumulative}, {"wr_sectors", kCumulative},
                                               {"rd_ms", kCumulative},      {"wr_ms", kCumulative},
                                               {"io_ms", kCumulative},      {"in_flight", kGauge}};
  static const std::vector<TableCounter> kNet{{"rx_bytes", kCumulative},
                                              {"tx_bytes", kCumulative},
                                              {"rx_packets", kCumulative},
                                              {"tx_packets", kCumulative}};
  static const std::vector<TableCounter> kTcp{
      {"snd_cwnd", kGauge}, {"retrans", kCumulative}, {"bytes_sent", kCumulative}, {"rtt_us", kGauge}};
  static const std::vector<TableCounter> kDaemon{{"cpu_us", kCumulative}, {"throttled_us", kCumulative}};
  static const std::vector<TableCounter> kNone;
  switch (kind) {
    case DeviceKind::kDisk:
      return kDisk;
    case DeviceKind::kNet:
      return kNet;
    case DeviceKind::kTcp:
      return kTcp;
    case DeviceKind::kDaemon:
      return kDaemon;
    case DeviceKind::kHost:
    case DeviceKind::kJob:
      return kNone;  // Scripts have none.
  }
  return kNone;
}

std::uint64_t count(double x) { return static_cast<std::uint64_t>(std::llround(std::max(0.0, x))); }

}  // namespace

WallTime Simulator::start() { return *parse_time("2026-11-20T19:00:00Z"); }

Simulator::Simulator(System system) : system_(std::move(system)), random_(system_.seed) {
  const auto add = [&](const std::string& name, bool server) {
    Host& host = hosts_.emplace_back();
    host.name = name;
    host.server = server;
    host.series.resize(kDeviceKinds);
    host.rows.resize(kDeviceKinds);
  };
  for (std::size_t s = 1; s <= system_.servers; ++s) add("s" + std::to_string(s), true);
  for (std::size_t c = 1; c <= system_.clients; ++c) add("c" + std::to_string(c), false);
  const bool daemons =
      std::ranges::any_of(system_.faults, [](const Fault& f) { return f.kind == "throttle"; });
  for (Host& host : hosts_) {
    if (host.server && daemons) {
      host.series[static_cast<std::size_t>(DeviceKind::kDaemon)].push_back(
          {"glusterfsd", true, 0, std::vector<std::uint64_t>(2)});
    }
    for (std::size_t d = 1; host.server && d <= system_.disks; ++d) {
      host.series[0].push_back({"d" + std::to_string(d), true, 0, std::vector<std::uint64_t>(8)});
    }
    if (system_.clients > 0) host.series[1].push_back({"eth0", true, 0, std::vector<std::uint64_t>(4)});
  }
  add_connections();
}

void Simulator::add_connections() {
  for (std::size_t s = 0; s < system_.servers; ++s) {
    for (std::size_t c = 0; c < system_.clients; ++c) {
      const std::string server = "10.0.0." + std::to_string(s + 1) + ":24007";
      const std::string client = "10.0.1." + std::to_string(c + 1) + ":" + std::to_string(50000 + s);
      const std::vector<std::uint64_t> zero(counters_in_tables_of(DeviceKind::kTcp).size());
      hosts_[s].series[2].push_back({server + ">" + client, true, 0, zero});
      hosts_[system_.servers + c].series[2].push_back({client + ">" + server, true, 0, zero});
    }
  }
}

const Fault* Simulator::fault(std::string_view kind, const std::string& host, const std::string& device,
                              double t) const {
  for (const Fault& fault : system_.faults) {
    const bool here = fault.host == host && (fault.device.empty() || fault.device == device);
    if (fault.kind == kind && here && t >= fault.from && t < fault.to) return &fault;
  }
  return nullptr;
}

double Simulator::wander(Series& series) {
  std::normal_distribution<double> normal;
  series.wander = kPersistence * series.wander + std::sqrt(1 - kPersistence * kPersistence) * normal(random_);
  return std::exp(system_.noise * series.wander);
}

std::uint64_t Simulator::poisson(double mean) {
  return mean > 0 ? std::poisson_distribution<std::uint64_t>(mean)(random_) : 0;
}

void Simulator::step_disk(const Host& host, Series& disk, double t) {
  const auto hit = [&](std::string_view kind) { return fault(kind, host.name, disk.device, t); };
  double await = system_.await_ms * wander(disk);
  double reads = system_.reads;
  const double work = std::exp(work_) * system_.interval;
  if (const Fault* slow = hit("slow")) await *= slow->by;
  if (const Fault* hog = hit("hog")) {
    reads += hog->by * (system_.reads + system_.writes);
    await *= 1 + hog->by;
  }
  const bool stalled = hit("stall") != nullptr || hit("jam") != nullptr;
  const bool jammed = std::any_of(system_.faults.begin(), system_.faults.end(),
                                  [t](const Fault& f) { return f.kind == "jam" && t >= f.from && t < f.to; });
  const bool working = !stalled && !jammed && hit("silent") == nullptr;
  const std::uint64_t read = working ? poisson(reads * work) : 0;
  const std::uint64_t written = working ? poisson(system_.writes * work) : 0;
  auto& c = disk.counters;
  const bool here = hit("absent") == nullptr;
  if (here && !disk.present) std::fill(c.begin(), c.end(), 0);
  disk.present = here;
  const std::vector<double> more{
      static_cast<double>(read),
      static_cast<double>(written),
      static_cast<double>(read) * system_.sectors,
      static_cast<double>(written) * system_.sectors,
      static_cast<double>(read) * await,
      static_cast<double>(written) * await,
      std::min(1000 * system_.interval, static_cast<double>(read + written) * await)};
  for (std::size_t i = 0; i < more.size(); ++i) c[i] += count(more[i]);
  // Little's law says how many are waiting on average.
  c[7] = stalled ? 8 : (working ? poisson((reads + system_.writes) * std::exp(work_) * await / 1000) : 0);
}

void Simulator::step_interface(const Host& host, Series& interface, double t) {
  const double work = std::exp(work_) * system_.interval * 512 * system_.sectors;
  const double wandering = wander(interface);
  const double others =
      host.server ? 1 : static_cast<double>(system_.servers) / static_cast<double>(system_.clients);
  double received = (host.server ? system_.writes : system_.reads) * others * work * wandering;
  double sent = (host.server ? system_.reads : system_.writes) * others * work * wandering;
  // Acknowledgements.
  const double acknowledgements = 0.02 * (received + sent);
  received += acknowledgements;
  sent += acknowledgements;
  const double usual = received + sent;
  if (const Fault* flood = fault("flood", host.name, "", t)) sent += flood->by * usual;
  interface.counters[0] += count(received);
  interface.counters[1] += count(sent);
  interface.counters[2] += count(received / kSegment);
  interface.counters[3] += count(sent / kSegment);
}

void Simulator::step_connection(const Host& host, Series& connection, double t) {
  const double wandering = wander(connection);
  double window = 60 * wandering;
  double round_trip_us = 600 / wandering;
  const double share = host.server ? static_cast<double>(system_.clients) : 1;
  const double requests = host.server ? system_.reads : system_.writes / static_cast<double>(system_.clients);
  const double sent = requests * std::exp(work_) * system_.interval * 512 * system_.sectors / share + 100;
  double lost_percent = 0.01;
  for (std::size_t s = 0; s < system_.servers; ++s) {
    const std::string& server = hosts_[s].name;
    const bool mine = host.server
                          ? server == host.name
                          : connection.device.ends_with(">10.0.0." + std::to_string(s + 1) + ":24007");
    if (const Fault* limps = mine ? fault("limps", server, "", t) : nullptr) round_trip_us *= limps->by;
    const Fault* drops = mine ? fault("drops", server, "", t) : nullptr;
    if (drops == nullptr) continue;
    lost_percent = drops->by;
    window /= 8;
  }
  connection.counters[0] = std::max<std::uint64_t>(1, count(window));
  connection.counters[1] += poisson(sent / kSegment * lost_percent / 100);
  connection.counters[2] += count(sent);
  connection.counters[3] = count(round_trip_us);
}

void Simulator::step_daemon(const Host& host, Series& daemon, double t) {
  constexpr double kUsual = 0.3;  // Of a core.
  const Fault* throttle = fault("throttle", host.name, "", t);
  const double wanted = kUsual * wander(daemon);
  const double given = throttle == nullptr ? wanted : std::min(wanted, throttle->by / 100);
  const double us = 1e6 * system_.interval;
  daemon.counters[0] += count(given * us);
  daemon.counters[1] += count(given < wanted ? (1 - given) * us : 0);
}

void Simulator::step(Host& host, double t) {
  for (Series& daemon : host.series[static_cast<std::size_t>(DeviceKind::kDaemon)])
    step_daemon(host, daemon, t);
  for (Series& disk : host.series[0]) step_disk(host, disk, t);
  for (Series& interface : host.series[1]) step_interface(host, interface, t);
  for (Series& connection : host.series[2]) step_connection(host, connection, t);
}

void Simulator::record(Host& host, double t) {
  if (const Fault* lossy = fault("lossy", host.name, "", t)) {
    if (random_() % static_cast<std::uint64_t>(lossy->by) == 0) return;
  }
  const Fault* clock = fault("clock", host.name, "", t);
  const double jitter = static_cast<double>(random_() % 5000) * 1e-6;
  const double shown = t + jitter + (clock == nullptr ? 0 : clock->by);
  for (std::size_t kind = 0; kind < kDeviceKinds; ++kind) {
    if (host.series[kind].empty()) continue;
    Row& row = host.rows[kind].emplace_back();
    row.time = start() + Duration{std::llround(shown * 1e9)};
    for (const Series& series : host.series[kind]) {
      row.present.push_back(series.present);
      row.counters.push_back(series.counters);
    }
  }
}

void Simulator::hand_out(Host& host, const Sink& sink) const {
  for (std::size_t kind = 0; kind < kDeviceKinds; ++kind) {
    std::vector<Row>& rows = host.rows[kind];
    if (rows.empty()) continue;
    std::vector<std::string> devices;
    for (const Series& series : host.series[kind]) devices.push_back(series.device);
    std::vector<WallTime> times;
    for (const Row& row : rows) times.push_back(row.time);
    const auto device_kind = static_cast<DeviceKind>(kind);
    SampleTable table(host.name, device_kind, counters_in_tables_of(device_kind), devices, times);
    table.set_boot("boot " + std::to_string(host.boots));
    for (std::size_t t = 0; t < rows.size(); ++t) {
      for (std::size_t d = 0; d < devices.size(); ++d) {
        if (!rows[t].present[d]) continue;
        for (std::size_t c = 0; c < table.counters().size(); ++c) table.set(c, d, t, rows[t].counters[d][c]);
      }
    }
    rows.clear();
    sink(table);
  }
}

void Simulator::run(const Sink& sink) {
  std::normal_distribution<double> normal;
  const auto samples = static_cast<std::size_t>(system_.length / system_.interval);
  const auto per_table = static_cast<std::size_t>(std::max(1.0, kTableSeconds / system_.interval));
  for (std::size_t i = 1; i <= samples; ++i) {
    const double t = static_cast<double>(i) * system_.interval;
    work_ = kPersistence * work_ + 0.1 * normal(random_);
    for (Host& host : hosts_) {
      const bool down = fault("reboot", host.name, "", t) != nullptr;
      const bool was_down = fault("reboot", host.name, "", t - system_.interval) != nullptr;
      if (down && !was_down) hand_out(host, sink);
      if (was_down && !down) {
        ++host.boots;
        for (auto& kind : host.series) {
          for (Series& series : kind) std::fill(series.counters.begin(), series.counters.end(), 0);
        }
      }
      if (down) continue;
      step(host, t);
      record(host, t);
    }
    if (i % per_table == 0 || i == samples) {
      for (Host& host : hosts_) hand_out(host, sink);
    }
  }
}

}  // namespace laggard::script
