#include "lab/cluster/scenario.h"

#include <array>

namespace laggard::lab {

namespace {

constexpr std::array<std::string_view, 2> kFileSystemNames{"pvfs", "lustre"};
constexpr std::array<std::string_view, kWorkloads> kWorkloadNames{"ddw",      "ddr",   "iozonew", "iozoner",
                                                                  "postmark", "mixed", "idle"};
template <typename Enum, std::size_t n>
std::optional<Enum> find(const std::array<std::string_view, n>& names, std::string_view name) {
  for (std::size_t i = 0; i < n; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_name(FileSystem file_system) {
  return kFileSystemNames[static_cast<std::size_t>(file_system)];
}
std::string_view to_name(Workload workload) { return kWorkloadNames[static_cast<std::size_t>(workload)]; }

std::optional<FileSystem> file_system_of(std::string_view name) {
  return find<FileSystem>(kFileSystemNames, name);
}
std::optional<Workload> workload_of(std::string_view name) { return find<Workload>(kWorkloadNames, name); }

std::vector<std::size_t> second_switch(const ClusterSpec& cluster) {
  const std::size_t third = cluster.servers / 3;
  const std::size_t count = third >= 2 ? third : cluster.servers / 2;
  std::vector<std::size_t> servers;
  for (std::size_t s = cluster.servers - count; s < cluster.servers; ++s) servers.push_back(s);
  return servers;
}

WallTime start_of_run(std::size_t place) {
  constexpr Duration kDistance = std::chrono::seconds(3607);
  return RunSpec{}.start + kDistance * static_cast<std::int64_t>(place);
}

namespace {

using Spec = ClusterSpec;

constexpr double kManyBytes = 1e12;
constexpr double kManyMs = 1e6;

template <auto... Path>
constexpr NamedNumber<Spec> number(std::string_view name, std::string_view what, double least, double most) {
  return named_number<Spec, Path...>(name, what, least, most);
}

constexpr std::array kClusterParameters{
    number<&Spec::disk, &DiskGeometry::outer_bytes_per_second>(
        "disk.outer-rate", "of the outermost track, bytes/s", 1e5, kManyBytes),
    number<&Spec::disk, &DiskGeometry::inner_bytes_per_second>(
        "disk.inner-rate", "of the innermost track, bytes/s", 1e5, kManyBytes),
    number<&Spec::disk, &DiskGeometry::track_seek_ms>("disk.track-seek", "to the next track, ms", 0, kManyMs),
    number<&Spec::disk, &DiskGeometry::long_seek_ms>("disk.long-seek", "over the whole disk, further ms", 0,
                                                     kManyMs),
    number<&Spec::disk, &DiskGeometry::rotation_ms>("disk.rotation", "a turn, ms", 0, kManyMs),
    number<&Spec::disk, &DiskGeometry::overhead_ms>("disk.overhead", "of a request, ms", 0, kManyMs),
    number<&Spec::disk, &DiskGeometry::wander>("disk.wander", "spread by which the rate wanders", 0, 1),
    number<&Spec::disk, &DiskGeometry::wander_seconds>("disk.wander-time", "until it has forgotten, s", 1e-3,
                                                       1e6),
    number<&Spec::disk_spread>("disk.spread", "of rates among the disks of a cluster", 0, 0.2),
    number<&Spec::layout_spread>("disk.layout-spread", "of a disk's rate from run to run", 0, 0.2),
    number<&Spec::spare_partition>("disk.spare", "where disk faults read, of the disk", 0.3, 0.9),
    number<&Spec::elevator, &ElevatorOptions::largest_request>("cfq.largest", "request, bytes", 4096,
                                                               1 << 30),
    number<&Spec::elevator, &ElevatorOptions::sync_slice>("cfq.sync-slice", "turn of a reader, ms", 1,
                                                          kManyMs),
    number<&Spec::elevator, &ElevatorOptions::async_slice>("cfq.async-slice", "turn of the writes, ms", 1,
                                                           kManyMs),
    number<&Spec::elevator, &ElevatorOptions::async_requests_per_slice>("cfq.async-requests",
                                                                        "most writes of a turn", 1, 1e6),
    number<&Spec::elevator, &ElevatorOptions::sync_expires>("cfq.sync-expire", "deadline of reads, ms", 1,
                                                            kManyMs),
    number<&Spec::elevator, &ElevatorOptions::async_expires>("cfq.async-expire", "deadline of writes, ms", 1,
                                                             kManyMs),
    number<&Spec::network, &NetworkSpec::bytes_per_second>("switch.rate", "of a port, bytes/s", 1e5,
                                                           kManyBytes),
    number<&Spec::network, &NetworkSpec::one_way>("switch.one-way", "delay, ms", 0, kManyMs),
    number<&Spec::network, &NetworkSpec::port_buffer_bytes>("switch.buffer", "of an output port, bytes", 1500,
                                                            1 << 30),
    number<&Spec::tcp, &TcpOptions::initial_window>("tcp.initial-window", "segments", 1, 1000),
    number<&Spec::tcp, &TcpOptions::receive_window>("tcp.receive-window", "segments", 2, 1e5),
    number<&Spec::tcp, &TcpOptions::least_timeout>("tcp.least-timeout", "TCP_RTO_MIN, ms", 1, kManyMs),
    number<&Spec::tcp, &TcpOptions::quick_acks>("tcp.quick-acks", "after a loss", 0, 1000),
    number<&Spec::pvfs, &PvfsSpec::sizes, &MessageSizes::request>("pvfs.request", "bytes without data", 1,
                                                                  1e6),
    number<&Spec::pvfs, &PvfsSpec::sizes, &MessageSizes::ready>("pvfs.ready", "bytes of the go-ahead", 1,
                                                                1e6),
    number<&Spec::pvfs, &PvfsSpec::sizes, &MessageSizes::answer>("pvfs.answer", "bytes without data", 1, 1e6),
    number<&Spec::pvfs, &PvfsSpec::sizes, &MessageSizes::largest_eager>(
        "pvfs.largest-eager", "write that is sent with its request, bytes", 0, 1 << 30),
    number<&Spec::pvfs, &PvfsSpec::stripe>("pvfs.stripe", "bytes", 4096, 1 << 30),
    number<&Spec::pvfs, &PvfsSpec::read_rate>("pvfs.read-rate", "of a reading client's own work, bytes/s",
                                              1e5, kManyBytes),
    number<&Spec::pvfs, &PvfsSpec::write_rate>("pvfs.write-rate", "of a writing client's own work, bytes/s",
                                               1e5, kManyBytes),
    number<&Spec::pvfs, &PvfsSpec::root_lookups>("pvfs.root-lookups", "share that asks the server of /", 0,
                                                 1),
    number<&Spec::pvfs, &PvfsSpec::directory_lookups>(
        "pvfs.directory-lookups", "share that asks the server of the client's directory", 0, 1),
    number<&Spec::pvfs, &PvfsSpec::directories_in_turn>("pvfs.directories-in-turn",
                                                        "1: made by one client, 0: by each its own", 0, 1),
    number<&Spec::pvfs, &PvfsSpec::file_stuffing>("pvfs.file-stuffing",
                                                  "1: small files are on one server only", 0, 1),
    number<&Spec::pvfs, &PvfsSpec::think_seconds>("pvfs.think", "a transaction's own work, s", 0, 100),
    number<&Spec::pvfs, &PvfsSpec::most_coalesced>("pvfs.coalesced", "most updates that share a sync", 1,
                                                   1e6),
    number<&Spec::pvfs, &PvfsSpec::file_pages>(
        "pvfs.file-pages", "of a database that making or removing a file changes", 1, 256),
    number<&Spec::pvfs, &PvfsSpec::buffered>("pvfs.buffered",
                                             "1: servers use Linux's buffer cache, 0: direct I/O", 0, 1),
    number<&Spec::pvfs, &PvfsSpec::cache, &BufferCacheSpec::memory>(
        "pvfs.memory", "of a server for pages, bytes", 1 << 20, kManyBytes),
    number<&Spec::pvfs, &PvfsSpec::first_memory>(
        "pvfs.memory-first", "of the first server, bytes; 0: as the others", 0, kManyBytes),
    number<&Spec::pvfs, &PvfsSpec::cache, &BufferCacheSpec::expire>(
        "pvfs.dirty-expire", "age at which pages are written, ms", 0, kManyMs),
    number<&Spec::pvfs, &PvfsSpec::cache, &BufferCacheSpec::writeback>(
        "pvfs.dirty-writeback", "from one wake-up of pdflush to the next, ms", 1, kManyMs),
    number<&Spec::pvfs, &PvfsSpec::cache, &BufferCacheSpec::background_ratio>(
        "pvfs.dirty-background", "share of memory beyond which pdflush writes", 0, 1),
    number<&Spec::pvfs, &PvfsSpec::cache, &BufferCacheSpec::dirty_ratio>(
        "pvfs.dirty-ratio", "share of memory beyond which writers are blocked", 0, 1),
    number<&Spec::lustre, &LustreSpec::stripe>("lustre.stripe", "bytes, whole MB", 1 << 20, 1 << 30),
    number<&Spec::lustre, &LustreSpec::metadata_seconds>(
        "lustre.metadata", "mean time of a request at the metadata server, s", 1e-6, 1),
    number<&Spec::lustre, &LustreSpec::metadata_wander>("lustre.metadata-wander",
                                                        "spread by which its pace wanders", 0, 1),
    number<&Spec::lustre, &LustreSpec::metadata_wander_seconds>("lustre.metadata-wander-time",
                                                                "until it has forgotten, s", 1e-3, 1e6),
    number<&Spec::lustre, &LustreSpec::think_seconds>("lustre.think", "a transaction's own work, s", 0, 100),
    number<&Spec::lustre, &LustreSpec::sync_journal>(
        "lustre.sync-journal", "1: writes are answered once they are in the journal, 0: once written", 0, 1),
    number<&Spec::client_spread>("runs.client-spread", "of clients' copying rates", 0, 0.2),
    number<&Spec::experiment, &ExperimentSpec::login_seconds>("runs.login",
                                                              "from one client's start to the "
                                                              "next one's, s",
                                                              0, 60),
    number<&Spec::experiment, &ExperimentSpec::pass_pause_seconds>("runs.pass-pause",
                                                                   "between IOzone's passes, s", 0, 1000),
    number<&Spec::experiment, &ExperimentSpec::file_bytes>("runs.file", "of dd and IOzone, bytes; 0: F's", 0,
                                                           kManyBytes),
    number<&Spec::experiment, &ExperimentSpec::hog_requests>("runs.hog-requests",
                                                             "of 1 MB that a disk-hog keeps queued", 1, 1000),
};

}  // namespace

std::span<const NamedNumber<ClusterSpec>> cluster_parameters() { return kClusterParameters; }

Status set_cluster_parameter(ClusterSpec& cluster, std::string_view text) {
  auto assignment = parse_assignment(text, "switch.buffer=262144");
  if (!assignment) return forward(assignment);
  return set_named(cluster, cluster_parameters(), *assignment, "--parameters");
}

std::string describe_cluster_parameters(const ClusterSpec& cluster) {
  return describe_named(cluster, cluster_parameters());
}

}  // namespace laggard::lab
