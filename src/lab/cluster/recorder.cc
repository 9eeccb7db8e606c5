#include "lab/cluster/recorder.h"

#include <fmt/format.h>

#include <utility>

namespace laggard::lab {

namespace {

constexpr std::uint64_t kNsPerMs = 1'000'000;
constexpr std::uint64_t kNsPerUs = 1'000;
constexpr int kServerPort = 3334;
constexpr int kFirstClientPort = 40000;

std::vector<TableCounter> counters_of(DeviceKind kind) {
  std::vector<TableCounter> counters;
  const auto add = [&](std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
      counters.push_back({std::string(name), find_counter(kind, name)->form});
    }
  };
  switch (kind) {
    case DeviceKind::kDisk:
      add({"rd_ios", "rd_merges", "rd_sectors", "rd_ms", "wr_ios", "wr_merges", "wr_sectors", "wr_ms",
           "in_flight", "io_ms", "weighted_ms"});
      break;
    case DeviceKind::kNet:
      add({"rx_bytes", "rx_packets", "tx_bytes", "tx_packets"});
      break;
    case DeviceKind::kTcp:
      add({"snd_cwnd", "retrans", "lost", "rtt_us", "bytes_sent"});
      break;
    case DeviceKind::kDaemon:
      add({"cpu_us", "run_wait_us", "throttled_us", "stopped", "processes"});
      break;
    case DeviceKind::kHost:
    case DeviceKind::kJob:
      break;  // The model has no processors and no scheduler.
  }
  return counters;
}

std::string endpoint(const std::string& address, int port) { return fmt::format("{}:{}", address, port); }

}  // namespace

std::string server_name(std::size_t server) { return fmt::format("s{}", server + 1); }
std::string client_name(std::size_t client) { return fmt::format("c{}", client + 1); }
std::string server_address(std::size_t server) { return fmt::format("10.10.0.{}", server + 1); }
std::string client_address(std::size_t client) { return fmt::format("10.10.1.{}", client + 1); }

Recorder::Recorder(EventQueue& queue, Fabric& fabric, std::vector<const FileServer*> servers)
    : queue_(queue), fabric_(fabric), servers_(std::move(servers)) {
  add_tables();
}

void Recorder::add_tables() {
  for (std::size_t s = 0; s < fabric_.servers(); ++s) {
    disks_.push_back({server_name(s), DeviceKind::kDisk, {std::string(kStorageDisk)}, {}});
    daemons_.push_back({server_name(s), DeviceKind::kDaemon, {std::string(kDaemonName)}, {}});
    nets_.push_back({server_name(s), DeviceKind::kNet, {std::string(kInterface)}, {}});
    Rows rows{server_name(s), DeviceKind::kTcp, {}, {}};
    for (std::size_t c = 0; c < fabric_.clients(); ++c) {
      const int port = kFirstClientPort + static_cast<int>(s);
      rows.devices.push_back(endpoint(server_address(s), kServerPort) + ">" +
                             endpoint(client_address(c), port));
    }
    sockets_.push_back(std::move(rows));
  }
  for (std::size_t c = 0; c < fabric_.clients(); ++c) {
    nets_.push_back({client_name(c), DeviceKind::kNet, {std::string(kInterface)}, {}});
    Rows rows{client_name(c), DeviceKind::kTcp, {}, {}};
    for (std::size_t s = 0; s < fabric_.servers(); ++s) {
      const int port = kFirstClientPort + static_cast<int>(s);
      rows.devices.push_back(endpoint(client_address(c), port) + ">" +
                             endpoint(server_address(s), kServerPort));
    }
    sockets_.push_back(std::move(rows));
  }
}

void Recorder::append_disk(const DiskCounters& c, std::vector<std::uint64_t>& cells) {
  cells.insert(cells.end(),
               {c.rd_ios, c.rd_merges, c.rd_sectors, c.rd_ns / kNsPerMs, c.wr_ios, c.wr_merges, c.wr_sectors,
                c.wr_ns / kNsPerMs, c.in_flight, c.io_ns / kNsPerMs, c.weighted_ns / kNsPerMs});
}

void Recorder::append_daemon(const DaemonCounters& c, std::vector<std::uint64_t>& cells) {
  const std::uint64_t stopped = c.stopped ? 1 : 0;
  cells.insert(cells.end(),
               {c.cpu_ns / kNsPerUs, c.run_wait_ns / kNsPerUs, c.throttled_ns / kNsPerUs, stopped, 1});
}

void Recorder::append_net(const NetCounters& c, std::vector<std::uint64_t>& cells) {
  cells.insert(cells.end(), {c.rx_bytes, c.rx_packets, c.tx_bytes, c.tx_packets});
}

void Recorder::append_tcp(const TcpCounters& c, std::vector<std::uint64_t>& cells) {
  cells.insert(cells.end(), {c.snd_cwnd, c.retrans, c.lost, c.rtt_us, c.bytes_sent});
}

void Recorder::on_event(std::uint32_t /*kind*/, std::uint64_t /*about*/) {
  times_.push_back(queue_.now());
  const std::size_t servers = fabric_.servers();
  for (std::size_t s = 0; s < servers; ++s) {
    append_disk(servers_[s]->disk().counters(), disks_[s].cells);
    append_daemon(servers_[s]->daemon().counters(queue_.now()), daemons_[s].cells);
    append_net(fabric_.network().counters(s), nets_[s].cells);
    for (std::size_t c = 0; c < fabric_.clients(); ++c) {
      append_tcp(fabric_.to_client(c, s).counters(), sockets_[s].cells);
      append_tcp(fabric_.to_server(c, s).counters(), sockets_[servers + c].cells);
    }
  }
  for (std::size_t c = 0; c < fabric_.clients(); ++c) {
    append_net(fabric_.network().counters(fabric_.client_host(c)), nets_[servers + c].cells);
  }
  queue_.schedule_in(std::chrono::seconds(1), {this, 0, 0});
}

SampleTable Recorder::table(const Rows& rows, WallTime start) const {
  std::vector<WallTime> times;
  times.reserve(times_.size());
  for (const SimTime t : times_) times.push_back(start + t);
  SampleTable table(rows.host, rows.kind, counters_of(rows.kind), rows.devices, std::move(times));
  const std::size_t counters = table.counters().size();
  const std::size_t devices = rows.devices.size();
  for (std::size_t t = 0; t < times_.size(); ++t) {
    for (std::size_t d = 0; d < devices; ++d) {
      for (std::size_t c = 0; c < counters; ++c) {
        table.set(c, d, t, rows.cells[(t * devices + d) * counters + c]);
      }
    }
  }
  table.set_boot("simulated");
  return table;
}

Status Recorder::describe(TableSink& sink, WallTime start) const {
  for (std::size_t i = 0; i < nets_.size(); ++i) {
    const bool server = i < fabric_.servers();
    DeviceInfo info;
    info.host = nets_[i].host;
    info.kind = DeviceKind::kNet;
    info.device = std::string(kInterface);
    info.first = start;
    info.last = start;
    info.facts = {{"address", server ? server_address(i) : client_address(i - fabric_.servers())},
                  {"speed-mbit", "1000"}};
    if (Status told = sink.describe(info); !told) return told;
  }
  return {};
}

Status Recorder::write(TableSink& sink, WallTime start) const {
  if (Status described = describe(sink, start); !described) return described;
  for (const std::vector<Rows>* list : {&disks_, &daemons_, &nets_, &sockets_}) {
    for (const Rows& rows : *list) {
      if (Status appended = sink.append(table(rows, start)); !appended) return appended;
    }
  }
  return {};
}

}  // namespace laggard::lab
