#include "lab/production/host_loads.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace laggard::lab::production {

namespace {

constexpr double kMinuteSeconds = 60;
constexpr double kCores = 16;
constexpr double kThreads = 512;
constexpr double kHostMemoryKb = 64e6;

/// What is recorded, in the order of Host::counters; `kHost` first, then disks.
struct RecordedCounter {
  DeviceKind kind;
  const char* name;
};
constexpr std::array kRecorded{
    RecordedCounter{DeviceKind::kHost, "procs_running"},
    RecordedCounter{DeviceKind::kHost, "procs_blocked"},
    RecordedCounter{DeviceKind::kHost, "cpu_user_ms"},
    RecordedCounter{DeviceKind::kHost, "cpu_system_ms"},
    RecordedCounter{DeviceKind::kHost, "psi_cpu_us"},
    RecordedCounter{DeviceKind::kHost, "psi_io_us"},
    RecordedCounter{DeviceKind::kHost, "mem_available_kb"},
    RecordedCounter{DeviceKind::kDisk, "rd_ios"},
    RecordedCounter{DeviceKind::kDisk, "rd_sectors"},
    RecordedCounter{DeviceKind::kDisk, "weighted_ms"},
};
constexpr std::size_t kGauges = 2;  // The first ones, and memory.
constexpr std::size_t kMemory = 6;

bool is_gauge(std::size_t counter) { return counter < kGauges || counter == kMemory; }

const char* device_of(DeviceKind kind) { return kind == DeviceKind::kDisk ? "md0" : "host"; }

bool any_hangs(std::span<const Effect* const> effects) {
  return std::ranges::any_of(effects, [](const Effect* effect) { return effect->hangs; });
}

}  // namespace

double HostLoads::about(double spread) { return std::exp(spread * random_.normal()); }

HostLoads::HostLoads(const Site& site, const Stretch& stretch, Random random)
    : stretch_(stretch), random_(random.fork("loads")) {
  constexpr double kRequestSectors = 512;
  const auto add = [&](const std::string& name) {
    Host& host = hosts_.emplace_back();
    host.name = name;
    host.requests = site.parameters().requests * about(0.3);
    host.request_sectors = kRequestSectors * about(0.6);
    host.memory_kb = kHostMemoryKb * random_.uniform(0.2, 0.5);
    if (random_.chance(site.parameters().idle_jobs)) {
      host.idle_cores = random_.uniform(1, 0.8 * kCores);
      host.idle_requests = host.requests * random_.uniform(0, 0.4);
    }
    for (std::size_t c = 0; c < kRecorded.size(); ++c) host.counters.push_back(random_.below(1'000'000'000));
  };
  for (std::size_t s = 0; s < Site::kServers; ++s) add(Site::server(s).name);
  for (std::size_t m = 0; m < Site::kMetadataServers; ++m) add(Site::metadata_server(m).name);
  for (std::size_t r = 0; r < Site::kRouters; ++r) add(Site::router(r).name);
  for (const Part& client : stretch.clients) add(client.name);
  flood_ = about(0.7);
}

/// Requests that wait for seconds, and those of which nothing is heard any more: as many as there are threads
/// to hold them.
void HostLoads::hold(std::span<const Effect* const> effects, Work& work) {
  for (const Effect* effect : effects) {
    work.queue += work.requests * effect->delays * (effect->least_delay_s + effect->delay_s);
  }
  work.queue = std::min(work.queue, kThreads);
  if (any_hangs(effects)) work.held = std::min(work.requests * kMinuteSeconds, kThreads);
}

void HostLoads::add_disk_work(Host& host, const StageQueues::Minute& minute,
                              std::span<const Effect* const> effects, Work& work) {
  const bool is_flooded = std::ranges::any_of(effects, [](const Effect* effect) { return effect->load > 0; });
  // Half of a request's time is its own, the other half goes with its size.
  const double size = about(0.2) * (is_flooded ? flood_ : 1);
  const double requests = host.requests * 2 / (1 + size);
  work.requests += minute.worked * requests;
  work.sectors += minute.worked * requests * size * host.request_sectors;
  work.queue += minute.waiting * requests + minute.worked;
  hold(effects, work);
}

/// It is down, and does not only hang.
bool HostLoads::is_to_be_failed_over(std::size_t server) const {
  return std::ranges::any_of(stretch_.incidents, [&](const ProductionIncident& incident) {
    return std::ranges::any_of(
        incident.effects, [&](const Effect& effect) { return effect.fails_over && effect.index == server; });
  });
}

HostLoads::Work HostLoads::disk_server(const Probes& probes, Host& host, std::size_t server) {
  Work work;
  for (const std::size_t owner : {server, Site::partner_of(server)}) {
    for (const std::size_t target : Site::targets_of(owner)) {
      if (probes.serving(target) != server) continue;
      add_disk_work(host, probes.minute_of(Stage::kTarget, target), probes.effects_on(Stage::kTarget, target),
                    work);
    }
  }
  const StageQueues::Minute own = probes.minute_of(Stage::kServer, server);
  const auto effects = probes.effects_on(Stage::kServer, server);
  // Half of what it does is for what its disks do, the rest for requests that they never see.
  constexpr double kOfDisks = 0.1;
  work.cores = kCores * (0.02 + 0.5 * own.worked) + kOfDisks * work.requests / host.requests;
  work.for_processor = 1 - std::exp(-own.waiting);
  work.requests += 0.2 * own.worked * host.requests;
  hold(effects, work);
  work.recorded = !any_hangs(effects) || !is_to_be_failed_over(server);
  return work;
}

HostLoads::Work HostLoads::metadata_server(const Probes& probes, Host& host, std::size_t metadata) {
  Work work;
  const StageQueues::Minute own = probes.minute_of(Stage::kMetadata, metadata);
  const auto effects = probes.effects_on(Stage::kMetadata, metadata);
  StageQueues::Minute on_disk = own;
  on_disk.waiting *= 0.3;
  add_disk_work(host, on_disk, effects, work);
  work.cores = kCores * (0.02 + 0.7 * own.worked);
  work.for_processor = 1 - std::exp(-own.waiting);
  return work;
}

HostLoads::Work HostLoads::router(const Probes& probes, std::size_t router) {
  Work work;
  const StageQueues::Minute own = probes.minute_of(Stage::kRouter, router);
  work.cores = kCores * (0.01 + 0.4 * own.worked);
  work.for_processor = 1 - std::exp(-own.waiting);
  return work;
}

void HostLoads::tell(Host& host, const Work& work, WallTime end, std::vector<SampleTable>& tables) {
  const double share = work.held > 0 ? 0.05 : 1;  // Of its work that goes on.
  const double cores = std::min(kCores, share * work.cores * about(0.15) + host.idle_cores * about(0.1));
  const double requests = share * work.requests + host.idle_requests * about(0.3);
  const double queue = std::min(kThreads, work.queue + work.held + (host.idle_requests > 0 ? 1.0 : 0.0));
  const auto count = [](double number) { return static_cast<std::uint64_t>(std::llround(number)); };
  const std::array<double, kRecorded.size()> now{
      static_cast<double>(random_.poisson(cores)),
      static_cast<double>(random_.poisson(0.7 * queue)),
      0.3 * cores * 1e3 * kMinuteSeconds,
      0.7 * cores * 1e3 * kMinuteSeconds,
      std::min(1.0, work.for_processor + 0.01 * about(0.5)) * 1e6 * kMinuteSeconds,
      std::min(1.0, 1 - std::exp(-queue / 2) + 0.002 * about(0.5)) * 1e6 * kMinuteSeconds,
      host.memory_kb * about(0.03),
      requests * kMinuteSeconds,
      (share * work.sectors + host.idle_requests * host.request_sectors) * kMinuteSeconds,
      queue * 1e3 * kMinuteSeconds};
  for (std::size_t c = 0; c < now.size(); ++c) {
    host.counters[c] = is_gauge(c) ? count(now[c]) : host.counters[c] + count(now[c]);
  }
  if (!work.recorded) return;
  const bool has_disks = host.name.starts_with("oss") || host.name.starts_with("mds");
  for (std::size_t c = 0; c < kRecorded.size();) {
    const DeviceKind kind = kRecorded[c].kind;
    const std::size_t first = c;
    std::vector<TableCounter> counters;
    for (; c < kRecorded.size() && kRecorded[c].kind == kind; ++c) {
      counters.push_back({kRecorded[c].name, is_gauge(c) ? CounterForm::kGauge : CounterForm::kCumulative});
    }
    if (kind == DeviceKind::kDisk && !has_disks) continue;
    SampleTable& table =
        tables.emplace_back(host.name, kind, std::move(counters), std::vector<std::string>{device_of(kind)},
                            std::vector<WallTime>{end});
    for (std::size_t i = first; i < c; ++i) table.set(i - first, 0, 0, host.counters[i]);
  }
}

std::vector<SampleTable> HostLoads::record(const Probes& probes, WallTime end) {
  std::vector<SampleTable> tables;
  std::size_t at = 0;
  for (std::size_t s = 0; s < Site::kServers; ++s) {
    Host& host = next_host(at);
    tell(host, disk_server(probes, host, s), end, tables);
  }
  for (std::size_t m = 0; m < Site::kMetadataServers; ++m) {
    Host& host = next_host(at);
    tell(host, metadata_server(probes, host, m), end, tables);
  }
  for (std::size_t r = 0; r < Site::kRouters; ++r) {
    tell(next_host(at), router(probes, r), end, tables);
  }
  for (std::size_t c = 0; c < stretch_.clients.size(); ++c) {
    tell(next_host(at), {.cores = kCores * 0.1}, end, tables);
  }
  return tables;
}

}  // namespace laggard::lab::production
