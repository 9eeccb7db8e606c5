#include "lab/cluster/cluster.h"

#include <algorithm>
#include <utility>

#include "lab/cluster/lustre_programs.h"
#include "lab/cluster/pvfs_programs.h"

namespace laggard::lab {

Cluster::Cluster(const ClusterSpec& cluster, const RunSpec& run) : cluster_(cluster), run_(run) {
  LAGGARD_CHECK(cluster.clients > 0 && cluster.servers > 0 && run.faulty_server < cluster.servers);
  const Random hardware = Random(cluster.hardware_seed).fork("hardware");
  const Random random = Random(run.seed).fork("run", cluster.hardware_seed);
  fabric_ = std::make_unique<Fabric>(queue_, cluster_, random);
  add_servers(hardware, random);
  add_programs(hardware, random);
  fault_ = make_fault(
      {.queue = queue_,
       .fabric = *fabric_,
       .server = *servers_[run.faulty_server],
       .server_index = run.faulty_server,
       .spare_partition = static_cast<std::int64_t>(cluster_.spare_partition * cluster_.disk.capacity_bytes),
       .run = run_,
       .cluster = cluster_,
       .random = random.fork("fault"),
       .small_files = [this, hardware, random](std::size_t number) {
         const auto root = static_cast<std::uint32_t>(hardware.fork("root").below(cluster_.servers));
         ProgramPlace place = place_of(faulty_client(cluster_, run_), hardware, random);
         place.random = random.fork("neighbour", number);
         return make_program(place, Workload::kPostmark, root);
       }});
  std::vector<const FileServer*> recorded;
  for (const auto& server : servers_) recorded.push_back(server.get());
  recorder_ = std::make_unique<Recorder>(queue_, *fabric_, std::move(recorded));
}

Cluster::~Cluster() = default;

void Cluster::add_servers(const Random& hardware, const Random& random) {
  std::vector<Service*> services;
  for (std::size_t s = 0; s < cluster_.servers; ++s) {
    DiskGeometry disk = cluster_.disk;
    disk.speed *= 1 + cluster_.disk_spread * hardware.fork("disk", s).normal() +
                  cluster_.layout_spread * random.fork("layout", s).normal();
    ClusterSpec machine = cluster_;
    if (s == 0 && machine.pvfs.first_memory > 0) machine.pvfs.cache.memory = machine.pvfs.first_memory;
    servers_.push_back(std::make_unique<FileServer>(queue_, machine, disk, random.fork("server", s)));
    services.push_back(servers_.back().get());
  }
  metadata_server_ = std::make_unique<MetadataServer>(queue_, cluster_.lustre, random.fork("metadata"));
  services.push_back(metadata_server_.get());
  engine_ = std::make_unique<RpcEngine>(
      queue_, *fabric_, std::move(services),
      cluster_.file_system == FileSystem::kPvfs ? cluster_.pvfs.sizes : MessageSizes{});
}

ProgramPlace Cluster::place_of(std::size_t client, const Random& hardware, const Random& random) {
  return {.queue = queue_,
          .engine = *engine_,
          .client = static_cast<std::uint32_t>(client),
          .servers = static_cast<std::uint32_t>(cluster_.servers),
          .cluster = cluster_,
          .random = random.fork("client", client),
          .copy_speed = 1 + cluster_.client_spread * hardware.fork("client", client).normal()};
}

void Cluster::add_programs(const Random& hardware, const Random& random) {
  if (run_.workload == Workload::kIdle) return;
  const auto root = static_cast<std::uint32_t>(hardware.fork("root").below(cluster_.servers));
  for (std::size_t c = 0; c < cluster_.clients; ++c) {
    programs_.push_back(
        make_program(place_of(c, hardware, random), workload_of_client(run_.workload, c), root));
  }
}

std::unique_ptr<Program> Cluster::make_program(const ProgramPlace& place, Workload workload,
                                               std::uint32_t root) const {
  const bool pvfs = cluster_.file_system == FileSystem::kPvfs;
  if (workload == Workload::kPostmark) {
    if (!pvfs) return std::make_unique<LustrePostmark>(place, static_cast<std::uint32_t>(cluster_.servers));
    // PVFS 2.8's PINT_cached_config_get_next_meta starts at a random server and then goes round.
    const Random drawn = Random(run_.seed).fork("directories", cluster_.hardware_seed);
    const bool in_turn = cluster_.pvfs.directories_in_turn;
    const std::uint64_t begin = drawn.fork("of", in_turn ? 0 : place.client).below(cluster_.servers);
    const auto directory =
        static_cast<std::uint32_t>((begin + (in_turn ? place.client : 0)) % cluster_.servers);
    return std::make_unique<PvfsPostmark>(place, PvfsPostmark::Servers{root, directory});
  }
  StreamSpec spec = stream_spec(cluster_.file_system, workload);
  if (cluster_.experiment.file_bytes > 0) {
    spec.file_bytes = std::max(spec.record_bytes, cluster_.experiment.file_bytes);
  }
  if (pvfs) return std::make_unique<PvfsStream>(place, spec);
  if (spec.write) return std::make_unique<LustreWriter>(place, spec);
  return std::make_unique<LustreReader>(place, spec);
}

void Cluster::run() {
  recorder_->begin();
  queue_.run_until(run_.lead);
  for (const auto& program : programs_) program->begin();
  if (fault_) {
    queue_.run_until(run_.lead + run_.fault_from);
    fault_->begin();
    queue_.run_until(run_.lead + run_.fault_to);
    fault_->end();
  }
  queue_.run_until(run_.lead + run_.duration);
}

Status simulate(const ClusterSpec& cluster, const RunSpec& run, TableSink& sink) {
  Cluster simulated(cluster, run);
  simulated.run();
  return simulated.write(sink);
}

}  // namespace laggard::lab
