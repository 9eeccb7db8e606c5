#include <fmt/format.h>

#include <array>

#include "lab/bench/ceph.h"

namespace laggard::lab::bench {

namespace {

constexpr std::size_t kUuidDigits = 32;

/// Without keys: nobody else is in this network. The OSDs take 50 MB each without load and, by these limits
/// of their caches, some 200 MB with it.
constexpr std::string_view kSettings = R"(auth_cluster_required = none
auth_service_required = none
auth_client_required = none
paxos_propose_interval = 0.02
paxos_min_wait = 0.02
auth_allow_insecure_global_id_reclaim = false
mon_data_avail_warn = 2
mon_data_avail_crit = 1
mon_max_pg_per_osd = 1000
osd_pool_default_size = 2
osd_pool_default_min_size = 1
osd_pool_default_pg_autoscale_mode = off
osd_crush_update_on_start = false
osd_class_update_on_start = false
mgr_initial_modules = prometheus
mds_cache_memory_limit = 268435456
osd_objectstore = bluestore
osd_memory_target_autotune = false
bluestore_cache_autotune = false
bluestore_cache_size = 67108864
bluefs_buffered_io = false
debug_ms = 0/0
debug_osd = 0/0
debug_bluestore = 0/0
debug_bluefs = 0/0
debug_bdev = 0/0
debug_rocksdb = 0/0
debug_mon = 0/0
debug_paxos = 0/0
debug_mgr = 0/0
debug_client = 0/0
debug_objecter = 0/0
)";

/// Clients cache no data, like those of GlusterFS here: what is measured is servers, and PostMark's files fit
/// into any cache.
constexpr std::string_view kClientSettings = R"([client]
client_oc = false
fuse_disable_pagecache = true
)";

std::string group_commands(const Layout& layout, std::size_t pool, std::size_t groups) {
  std::string lines;
  for (std::size_t group = 0; group < groups; ++group) {
    const std::size_t n = layout.servers;
    const std::size_t first = group % n;
    const std::size_t second = (first + 1 + (group / n) % (n - 1)) % n;
    lines += fmt::format("osd pg-upmap {}.{:x} {} {}\n", pool, group, first, second);
  }
  return lines;
}

}  // namespace

std::string as_uuid(std::string_view digits) {
  LAGGARD_CHECK(digits.size() == kUuidDigits);
  return fmt::format("{}-{}-{}-{}-{}", digits.substr(0, 8), digits.substr(8, 4), digits.substr(12, 4),
                     digits.substr(16, 4), digits.substr(20));
}

std::string osd_uuid(const Layout& layout, std::size_t server) {
  constexpr std::size_t kReplaced = 8;
  return as_uuid(fmt::format("{:08x}{}", server, layout.instance.substr(kReplaced)));
}

std::string monitor_addresses(const Layout& layout) {
  return fmt::format("[v2:{0}:3300,v1:{0}:6789]", layout.monitor_address());
}

std::filesystem::path ceph_configuration_file(const Layout& layout) { return layout.ceph() / "ceph.conf"; }

std::string ceph_configuration(const Layout& layout) {
  const std::string folder = layout.ceph().native();
  const std::string logs = layout.logs().native();
  std::string text = fmt::format("[global]\nfsid = {}\nmon_host = {}\n", as_uuid(layout.instance),
                                 monitor_addresses(layout));
  text += fmt::format(
      "run_dir = {0}\nadmin_socket = {0}/$name.asok\ncrash_dir = {0}/crash\nmon_data = {0}/mon\nmgr_data = "
      "{0}/mgr\n"
      "mds_data = {0}/mds\nosd_data = {0}/osd$id\nlog_file = {1}/ceph-$name.log\n"
      "mon_cluster_log_file = {1}/ceph-cluster.log\n",
      folder, logs);
  text += kSettings;
  text += kClientSettings;
  for (const std::string_view daemon : {"mgr", "mds"}) {
    text += fmt::format("[{}]\npublic_addr = {}\n", daemon, layout.monitor_address());
  }
  for (std::size_t i = 1; i <= layout.servers; ++i) {
    text += fmt::format(
        "[osd.{0}]\npublic_addr = {1}\ncluster_addr = {1}\nlog_file = {2}/ceph-osd-{3}.log\n"
        "ms_bind_port_min = {4}\nms_bind_port_max = {5}\n",
        osd_of(i), layout.server_address(i), logs, layout.server(i), kServicePort, kServicePort + 99);
  }
  return text;
}

std::string ceph_osd_commands(const Layout& layout) {
  // The manager would make a pool of its own for the disks' health, and move groups.
  std::string lines =
      "config set mgr mgr/devicehealth/enable_monitoring false --force\nconfig set mgr mgr/balancer/active "
      "false --force\n"
      "osd set-require-min-compat-client luminous\n";
  for (std::size_t i = 1; i <= layout.servers; ++i) {
    lines += fmt::format("osd new {}\nosd crush add osd.{} 1.0 root=default host={}\n", osd_uuid(layout, i),
                         osd_of(i), layout.server(i));
  }
  return lines;
}

std::string ceph_pool_commands(const Layout& layout) {
  return fmt::format("osd pool create data {}\nosd pool create metadata {}\n", kDataGroups, kMetadataGroups) +
         group_commands(layout, 1, kDataGroups) + group_commands(layout, 2, kMetadataGroups) +
         "fs new bench metadata data\n";
}

}  // namespace laggard::lab::bench
