#include <array>

#include "detect/logs/log_pattern.h"

namespace laggard::detect {

namespace {

using enum LogClass;

/// Ceph: cluster log, OSDs, monitors, metadata servers, kernel clients.
constexpr std::array kCeph{
    LogPattern{"ceph-cleared", PartKind::kServer, kNotice, kRecovery,
               "(?:Health check cleared: |Cluster is now healthy)",
               "Health check cleared: OSD_DOWN (was: 1 osds down)"},
    LogPattern{"ceph-osd-down", PartKind::kTarget, kError, kFailure, R"(\(OSD_DOWN\))",
               "Health check failed: 1 osds down (OSD_DOWN)"},
    LogPattern{"ceph-osd-failed", PartKind::kTarget, kError, kFailure, R"(osd\.\d+ failed \(root=)",
               "osd.12 failed (root=default,host=ceph3) (2 reporters from different host after 20.001 >= "
               "grace 20.000000)"},
    LogPattern{"ceph-osd-immediately-failed", PartKind::kTarget, kError, kFailure,
               R"(osd\.\d+ reported immediately failed by)", "osd.12 reported immediately failed by osd.3"},
    LogPattern{"ceph-osd-dead", PartKind::kTarget, kError, kFailure,
               R"(osd\.\d+ marked itself (?:down|dead))", "osd.12 marked itself down and dead"},
    LogPattern{"ceph-osd-boot", PartKind::kTarget, kNotice, kRecovery,
               R"(osd\.\d+ \[?(?:v\d:)?\S+\]? boot\b)",
               "osd.12 [v2:10.2.0.3:6802/1,v1:10.2.0.3:6803/1] boot"},
    LogPattern{"ceph-wrongly-down", PartKind::kTarget, kWarning, kFailure, "wrongly marked me down at e",
               "log_channel(cluster) log [WRN] : Monitor daemon marked osd.12 down, but it is still running: "
               "wrongly marked me down at e1234"},
    LogPattern{
        "ceph-slow-ops", PartKind::kTarget, kError, kFailure, R"(\(SLOW_OPS\)|slow ops, oldest (?:one|is))",
        "Health check failed: 3 slow ops, oldest one blocked for 32 sec, osd.12 has slow ops (SLOW_OPS)",
        kWaiting},
    LogPattern{"ceph-slow-request", PartKind::kTarget, kError, kFailure,
               R"(slow requests? (?:\S+ )?(?:osd_op|osd_repop|\d+\.\d+ seconds old|\(by type))",
               "slow request osd_op(client.4123.0:77 1.2f 1:f4 [write 0~4096] snapc 0=[] e1234) initiated "
               "2024-01-15T10:20:30.1+0000 currently waiting for sub ops",
               kWaiting},
    LogPattern{
        "ceph-slow-heartbeat", PartKind::kLink, kError, kFailure, R"(\(OSD_SLOW_PING_TIME_(?:BACK|FRONT)\))",
        "Health check failed: Slow OSD heartbeats on back (longest 1200.551ms) (OSD_SLOW_PING_TIME_BACK)"},
    LogPattern{"ceph-no-heartbeat", PartKind::kTarget, kError, kFailure, "heartbeat_check: no reply from",
               "osd.3 1234 heartbeat_check: no reply from 10.2.0.5:6804 osd.7 since back 2024-01-15T10:20:00 "
               "front 2024-01-15T10:20:00"},
    LogPattern{"ceph-bdev-error", PartKind::kDisk, kCritical, kFailure,
               R"(bdev\(0x[0-9a-f]+ \S+\) .* got r=-5)",
               "bdev(0x55d0 /var/lib/ceph/osd/ceph-3/block) _aio_thread got r=-5 ((5) Input/output error)"},
    LogPattern{"ceph-bad-checksum", PartKind::kDisk, kError, kFailure, R"(_verify_csum bad \S+ checksum)",
               "bluestore(/var/lib/ceph/osd/ceph-3) _verify_csum bad crc32c/0x1000 checksum at blob offset "
               "0x0, got 0x6706be76, expected 0x1dc3ff2b"},
    LogPattern{"ceph-store-slow", PartKind::kDisk, kWarning, kFailure, "slow operation observed for",
               "bluestore(/var/lib/ceph/osd/ceph-3) log_latency_fn slow operation observed for "
               "_txc_committed_kv, latency = 6.21s"},
    LogPattern{"ceph-read-error", PartKind::kDisk, kError, kFailure, "candidate had a read error",
               "1.2f shard 3 soid 1:f4a1:::obj:head : candidate had a read error"},
    LogPattern{"ceph-scrub-errors", PartKind::kTarget, kError, kFailure,
               R"((?:deep-)?scrub \d+ errors|\(OSD_SCRUB_ERRORS\))", "1.2f deep-scrub 1 errors"},
    LogPattern{"ceph-damaged", PartKind::kTarget, kCritical, kFailure, R"(\(PG_DAMAGED\))",
               "Health check failed: Possible data damage: 1 pg inconsistent (PG_DAMAGED)"},
    LogPattern{"ceph-unavailable", PartKind::kTarget, kError, kFailure, R"(\(PG_AVAILABILITY\))",
               "Health check failed: Reduced data availability: 12 pgs inactive (PG_AVAILABILITY)"},
    LogPattern{"ceph-degraded", PartKind::kTarget, kWarning, kFailure, R"(\(PG_DEGRADED\))",
               "Health check failed: Degraded data redundancy: 120/3000 objects degraded (4.000%), 8 pgs "
               "degraded (PG_DEGRADED)"},
    LogPattern{"ceph-full", PartKind::kTarget, kError, kFailure,
               R"(\((?:OSD_FULL|OSD_BACKFILLFULL|OSD_NEARFULL|POOL_FULL)\))",
               "Health check failed: 1 nearfull osd(s) (OSD_NEARFULL)"},
    LogPattern{"ceph-mon-down", PartKind::kServer, kError, kFailure, R"(\(MON_DOWN\))",
               "Health check failed: 1/3 mons down, quorum a,c (MON_DOWN)"},
    LogPattern{"ceph-clock-skew", PartKind::kServer, kWarning, kFailure,
               R"(clock skew detected on mon|\(MON_CLOCK_SKEW\))",
               "Health check failed: clock skew detected on mon.b (MON_CLOCK_SKEW)"},
    LogPattern{"ceph-mds-slow", PartKind::kMetadataServer, kError, kFailure,
               R"(\(MDS_SLOW_(?:REQUEST|METADATA_IO)\))",
               "Health check failed: 1 MDSs report slow metadata IOs (MDS_SLOW_METADATA_IO)"},
    LogPattern{"ceph-mds-down", PartKind::kMetadataServer, kError, kFailure,
               R"(\((?:FS_DEGRADED|MDS_ALL_DOWN|MDS_INSUFFICIENT_STANDBY|FS_WITH_FAILED_MDS)\))",
               "Health check failed: 1 filesystem is degraded (FS_DEGRADED)"},
    LogPattern{"ceph-device-health", PartKind::kDisk, kError, kFailure,
               R"(\((?:DEVICE_HEALTH\w*|BLUESTORE_SPURIOUS_READ_ERRORS|OSD_TOO_MANY_REPAIRS)\))",
               "Health check failed: 1 device(s) expected to fail soon (DEVICE_HEALTH)"},
    LogPattern{"ceph-host-down", PartKind::kServer, kError, kFailure, R"(\(OSD_HOST_DOWN\))",
               "Health check failed: 1 host (4 osds) down (OSD_HOST_DOWN)"},
    LogPattern{"ceph-signal", PartKind::kProcess, kCritical, kFailure, R"(\*{3} Caught signal \()",
               "*** Caught signal (Aborted) ** in thread 7f31c0a0c700 thread_name:tp_osd_tp"},
    LogPattern{"ceph-assert", PartKind::kProcess, kCritical, kFailure,
               R"(FAILED ceph_assert\(|FAILED assert\()",
               "/build/src/os/bluestore/BlueStore.cc: 12380: FAILED ceph_assert(r == 0)"},
    LogPattern{"ceph-thread-suicide", PartKind::kTarget, kCritical, kFailure, "had suicide timed out after",
               "heartbeat_map is_healthy 'OSD::osd_op_tp thread 0x7f31' had suicide timed out after 150"},
    LogPattern{"ceph-thread-timeout", PartKind::kTarget, kError, kFailure,
               "heartbeat_map is_(?:un)?healthy '.*' had timed out after",
               "heartbeat_map is_healthy 'OSD::osd_op_tp thread 0x7f31' had timed out after 15"},
    LogPattern{"libceph-osd-down", PartKind::kTarget, kError, kFailure,
               R"(libceph: osd\d+ .*(?:down|socket closed|socket error|connect(?:ion)? (?:error|timeout)))",
               "libceph: osd3 (1)10.2.0.5:6801 socket closed (con state OPEN)"},
    LogPattern{"libceph-osd-up", PartKind::kTarget, kNotice, kRecovery, R"(libceph: osd\d+ up)",
               "libceph: osd3 up"},
    LogPattern{"libceph-mon-lost", PartKind::kServer, kError, kFailure,
               R"(libceph: mon\d+ .*(?:session lost|socket closed|socket error))",
               "libceph: mon0 (1)10.2.0.1:6789 session lost, hunting for new mon"},
    LogPattern{"ceph-mds-hung", PartKind::kMetadataServer, kError, kFailure,
               R"(ceph: mds\d+ (?:hung|caps stale|reconnect (?:start|denied)|rejected session))",
               "ceph: mds0 hung"},
    LogPattern{"rbd-error", PartKind::kTarget, kError, kFailure, R"(rbd: rbd\d+: .*result -\d+)",
               "rbd: rbd0: write 1000 at 7f000 result -5"},
};

}  // namespace

std::span<const LogPattern> ceph_patterns() { return kCeph; }

}  // namespace laggard::detect
