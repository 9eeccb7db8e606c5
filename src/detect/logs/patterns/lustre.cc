#include <array>

#include "detect/logs/log_pattern.h"

namespace laggard::detect {

namespace {

using enum LogClass;

/// Lustre and LNet (obdclass, ptlrpc, ldlm, o2iblnd, socklnd), of 2.x and 1.8.
constexpr std::array kLustre{
    LogPattern{"lustre-lbug", PartKind::kServer, kCritical, kFailure, R"(\bLBUG\b)",
               "LustreError: 21034:0:(lod_object.c:612:lod_generate_lovea()) LBUG"},
    LogPattern{"lustre-assertion", PartKind::kServer, kCritical, kFailure, R"(ASSERTION\( ?.+ ?\) failed)",
               "LustreError: 8012:0:(osd_io.c:911:osd_write_prep()) ASSERTION( lnb->lnb_page ) failed: page "
               "missing"},
    LogPattern{"lustre-health", PartKind::kServer, kError, kFailure,
               R"(Lustre.*\bhealth_check\b.* (?:NOT HEALTHY|unhealthy))",
               "Lustre: scratch-OST0007: health_check reports unhealthy"},
    LogPattern{"lustre-evicted-by", PartKind::kClient, kError, kFailure,
               R"(This client was evicted by \S+; in progress operations)",
               "LustreError: 167-0: scratch-OST0001-osc-ffff8803: This client was evicted by "
               "scratch-OST0001; in progress operations using this service will fail."},
    LogPattern{"lustre-evicted-callback", PartKind::kClient, kError, kFailure,
               R"(A client on nid \S+ was evicted due to a lock \S+ callback time ?out)",
               "LustreError: 138-a: scratch-OST0001: A client on nid 10.2.4.19@o2ib was evicted due to a "
               "lock blocking callback time out: rc -107"},
    LogPattern{"lustre-lock-timer", PartKind::kClient, kError, kFailure,
               R"(lock callback timer expired after \d+s: evicting client)",
               "LustreError: 0:0:(ldlm_lockd.c:256:expired_lock_main()) ### lock callback timer expired "
               "after 101s: evicting client at 10.2.4.19@o2ib",
               kWaiting},
    LogPattern{"lustre-dead-client", PartKind::kClient, kWarning, kFailure,
               R"(haven't heard from client .* in \d+ seconds)",
               "Lustre: scratch-OST0003: haven't heard from client 7ac0d2b5 (at 10.2.4.19@o2ib) in 227 "
               "seconds. I think it's dead, and I am evicting it."},
    LogPattern{"lustre-mgs-lost", PartKind::kServer, kError, kFailure,
               R"(Connection to MGS \(at \S+\) was lost)",
               "LustreError: 166-1: MGC10.2.0.1@o2ib: Connection to MGS (at 10.2.0.1@o2ib) was lost; in "
               "progress operations using this service will fail"},
    LogPattern{"lustre-mdt-lost", PartKind::kMetadataServer, kError, kFailure,
               R"(Connection to \S+-MDT[0-9a-f]{4} \(at \S+\) was lost)",
               "Lustre: scratch-MDT0000-mdc-ffff8803: Connection to scratch-MDT0000 (at 10.2.0.2@o2ib) was "
               "lost; in progress operations using this service will wait for recovery to complete"},
    LogPattern{"lustre-ost-lost", PartKind::kTarget, kError, kFailure,
               R"(Connection to \S+ \(at \S+\) was lost; in progress)",
               "Lustre: scratch-OST0001-osc-ffff8803: Connection to scratch-OST0001 (at 10.2.0.5@tcp) was "
               "lost; in progress operations using this service will wait for recovery to complete"},
    LogPattern{
        "lustre-mdt-restored", PartKind::kMetadataServer, kNotice, kRecovery,
        R"(Connection restored to \S*-?MDT[0-9a-f]{4})",
        "Lustre: scratch-MDT0000-mdc-ffff8803: Connection restored to scratch-MDT0000 (at 10.2.0.2@o2ib)"},
    LogPattern{
        "lustre-ost-restored", PartKind::kTarget, kNotice, kRecovery, "Connection restored to",
        "Lustre: scratch-OST0001-osc-ffff8803: Connection restored to scratch-OST0001 (at 10.2.0.5@tcp)"},
    LogPattern{"lustre-slow-reply", PartKind::kTarget, kError, kFailure,
               "Request sent has timed out for (?:slow reply|sent delay)",
               "Lustre: 2113:0:(client.c:2305:ptlrpc_expire_one_request()) @@@ Request sent has timed out "
               "for slow reply: [sent 1700000000/real 1700000000] req@ffff88 x1",
               kWaiting},
    LogPattern{"lustre-network-error", PartKind::kLink, kError, kFailure,
               "Request sent has failed due to network error",
               "Lustre: 2113:0:(client.c:2305:ptlrpc_expire_one_request()) @@@ Request sent has failed due "
               "to network error: [sent 1700000000/real 1700000000]"},
    LogPattern{"lustre-mdt-operation", PartKind::kMetadataServer, kError, kFailure,
               R"(-MDT[0-9a-f]{4}\S*: operation \w+ to node \S+ failed: rc = -\d+)",
               "LustreError: 11-0: scratch-MDT0000-mdc-ffff8803: operation mds_connect to node 10.2.0.2@o2ib "
               "failed: rc = -16"},
    LogPattern{"lustre-ost-operation", PartKind::kTarget, kError, kFailure,
               R"(: operation \w+ to node \S+ failed: rc = -\d+)",
               "LustreError: 11-0: scratch-OST0005-osc-ffff8803: operation ost_read to node 10.2.0.5@o2ib "
               "failed: rc = -107"},
    LogPattern{"lustre-operation-old", PartKind::kTarget, kError, kFailure,
               R"(an error occurred while communicating with \S+\. The \w+ operation failed with -\d+)",
               "LustreError: 11-0: an error occurred while communicating with 10.2.0.5@tcp. The ost_connect "
               "operation failed with -19"},
    LogPattern{
        "lustre-no-target", PartKind::kTarget, kError, kFailure,
        R"(not available for connect from \S+ \((?:no target|not set up|stopping)\))",
        "LustreError: 137-5: scratch-OST0002_UUID: not available for connect from 10.2.4.19@o2ib (no "
        "target). If you are running an HA pair check that the target is mounted on the other server."},
    LogPattern{
        "lustre-configuration", PartKind::kServer, kError, kFailure,
        R"(The configuration from log '\S+' failed \(-\d+\))",
        "LustreError: 15c-8: MGC10.2.0.1@o2ib: The configuration from log 'scratch-client' failed (-110)"},
    LogPattern{"lustre-bad-write-checksum", PartKind::kLink, kError, kFailure, "BAD WRITE CHECKSUM",
               "LustreError: 168-f: scratch-OST0000: BAD WRITE CHECKSUM: from 12345-10.2.4.19@o2ib inode "
               "[0x200:0x5:0x0] object 0x0:77 extent [0-4095]"},
    LogPattern{"lustre-bad-read-checksum", PartKind::kLink, kError, kFailure, "BAD READ CHECKSUM",
               "LustreError: 133-1: scratch-OST0000-osc-ffff8803: BAD READ CHECKSUM: from 10.2.0.5@o2ib via "
               "0@<0:0> inode [0x200:0x5:0x0]"},
    LogPattern{"lustre-bulk-timeout", PartKind::kLink, kError, kFailure,
               "timeout on bulk (?:READ|WRITE) after",
               "LustreError: 9012:0:(ldlm_lib.c:3248:target_bulk_io()) @@@ timeout on bulk WRITE after "
               "100+0s  req@ffff88 x1"},
    LogPattern{"lustre-bulk-error", PartKind::kLink, kError, kFailure,
               "(?:network error on bulk|[Bb]ulk IO (?:read|write) error)",
               "LustreError: 132-0: scratch-OST0004: Bulk IO write error with 7ac0d2b5 (at 10.2.4.19@o2ib), "
               "client will retry: rc = -110"},
    LogPattern{"lustre-import-retry", PartKind::kTarget, kWarning, kFailure,
               R"(tried all connections, increasing latency to \d+s)",
               "Lustre: 2101:0:(import.c:535:import_select_connection()) scratch-OST0004-osc: tried all "
               "connections, increasing latency to 50s"},
    LogPattern{"lustre-ost-inactive", PartKind::kTarget, kWarning, kFailure,
               R"(setting import \S+ INACTIVE by administrator)",
               "Lustre: setting import scratch-OST0001_UUID INACTIVE by administrator request"},
    LogPattern{
        "lustre-recovery-begins", PartKind::kTarget, kWarning, kFailure, "Will be in recovery for at least",
        "Lustre: scratch-OST0003: Will be in recovery for at least 5:00, or until 100 clients reconnect"},
    LogPattern{"lustre-recovery-aborted", PartKind::kTarget, kError, kFailure,
               "recovery (?:is timed out|has been aborted|was aborted)",
               "LustreError: scratch-OST0003: recovery is timed out, evict stale exports"},
    LogPattern{"lustre-recovery-over", PartKind::kTarget, kNotice, kRecovery, "Recovery over after",
               "Lustre: scratch-OST0003: Recovery over after 2:34, of 100 clients 100 recovered and 0 were "
               "evicted."},
    LogPattern{"lustre-failing-over", PartKind::kTarget, kWarning, kFailure,
               R"(Failing over \S+-(?:OST|MDT)[0-9a-f]{4})", "Lustre: Failing over scratch-OST0003"},
    LogPattern{
        "lustre-slow-io", PartKind::kTarget, kWarning, kFailure,
        R"(: slow (?:journal start|i_mutex|start_page_write|direct_io|commitrw|setattr|preprw\w*|quota init|brw_start|parent lock) \d+s)",
        "Lustre: scratch-OST0001: slow journal start 35s due to heavy IO load"},
    LogPattern{"lustre-thread-inactive", PartKind::kServer, kError, kFailure,
               R"(Service thread pid \d+ was inactive for)",
               "LNet: Service thread pid 18811 was inactive for 200.00s. The thread might be hung, or it "
               "might only be slow and will resume later.",
               kWaiting},
    LogPattern{"lustre-thread-resumed", PartKind::kServer, kNotice, kRecovery,
               R"(Service thread pid \d+ completed after)",
               "LNet: Service thread pid 18811 completed after 250.01s. This indicates the system was "
               "overloaded (too many service threads, or there were not enough hardware resources)."},
    LogPattern{"lustre-dump", PartKind::kServer, kWarning, kFailure, R"(dumping log to /\S*lustre-log)",
               "LustreError: dumping log to /tmp/lustre-log.1700000000.18811"},
    LogPattern{"lustre-request-overdue", PartKind::kTarget, kWarning, kFailure,
               R"(Request took longer than estimated \(\d+:\d+s\); client may timeout)",
               "Lustre: 18811:0:(service.c:2165:ptlrpc_server_handle_request()) @@@ Request took longer than "
               "estimated (100:50s); client may timeout.  req@ffff88 x1"},
    LogPattern{"lustre-no-early-reply", PartKind::kTarget, kWarning, kFailure,
               "Couldn't add any time .*not sending early reply",
               "Lustre: 18811:0:(service.c:1339:ptlrpc_at_send_early_reply()) @@@ Couldn't add any time "
               "(5/-3), not sending early reply"},
    LogPattern{"lustre-busy-refusal", PartKind::kTarget, kWarning, kFailure,
               R"(refuse (?:re)?connection from .* still busy with \d+)",
               "Lustre: scratch-MDT0000: Client 7ac0d2b5 (at 10.2.4.19@o2ib) refuse reconnection from "
               "7ac0d2b5@10.2.4.19@o2ib to 0xffff88; still busy with 5 active RPCs"},
    LogPattern{"lustre-reconnecting", PartKind::kClient, kNotice, kFailure,
               R"(Client \S+ \(at \S+\) reconnecting)",
               "Lustre: scratch-OST0003: Client 7ac0d2b5-1f44 (at 10.2.4.19@o2ib) reconnecting"},
    LogPattern{
        "lustre-storage-error", PartKind::kTarget, kError, kFailure,
        R"(\((?:osd_|ofd_|filter_)\w+\.c:.* rc (?:= )?-(?:5|28|30)\b)",
        "LustreError: 18811:0:(ofd_io.c:1375:ofd_commitrw_write()) scratch-OST0003: commit failed: rc = -5"},
    LogPattern{"ldiskfs-error", PartKind::kLun, kError, kFailure, R"(LDISKFS-fs error \(device \S+\))",
               "LDISKFS-fs error (device dm-3): ldiskfs_lookup:1817: inode #2: comm ll_ost_io00: deleted "
               "inode referenced: 77"},
    LogPattern{"ldiskfs-read-only", PartKind::kLun, kCritical, kFailure,
               "LDISKFS-fs.*[Rr]emounting filesystem read-only",
               "LDISKFS-fs (dm-3): Remounting filesystem read-only"},
    LogPattern{"lnet-tx-timeout", PartKind::kLink, kError, kFailure, "Timed out tx(?: for)?:?",
               "LNetError: 4121:0:(o2iblnd_cb.c:3311:kiblnd_check_txs_locked()) Timed out tx: active_txs, 3 "
               "seconds"},
    LogPattern{"lnet-rdma-timeout", PartKind::kLink, kError, kFailure, "Timed out RDMA with",
               "LNetError: 4121:0:(o2iblnd_cb.c:3386:kiblnd_check_conns()) Timed out RDMA with 10.2.0.5@o2ib "
               "(52): c: 8, oc: 0, rc: 8"},
    LogPattern{"lnet-no-route", PartKind::kRouter, kError, kFailure, R"(No route to \d+-\S+ via)",
               "LNetError: 4121:0:(lib-move.c:1952:lnet_handle_find_routed_path()) No route to "
               "12345-10.7.0.5@o2ib1 via 10.2.0.9@o2ib (all routers down)"},
    LogPattern{"lnet-router-down", PartKind::kRouter, kError, kFailure,
               R"((?:[Rr]outer|[Gg]ateway) \S+@\S+ (?:is|has gone) (?:down|dead))",
               "LNetError: 4090:0:(router.c:391:lnet_router_down()) Router 10.2.0.9@o2ib is down"},
    LogPattern{"lnet-router-up", PartKind::kRouter, kNotice, kRecovery,
               R"((?:[Rr]outer|[Gg]ateway) \S+@\S+ (?:is|has come) (?:up|alive|back))",
               "LNet: 4090:0:(router.c:402:lnet_router_up()) Router 10.2.0.9@o2ib is up"},
    LogPattern{
        "lnet-connect-error", PartKind::kLink, kError, kFailure,
        R"(Unexpected error -\d+ connecting to \S+@)",
        "LNetError: 11b-b: Unexpected error -113 connecting to 10.2.0.5@tcp at host 10.2.0.5 on port 988"},
    LogPattern{"lnet-connection-refused", PartKind::kServer, kError, kFailure,
               R"(Connection to \S+@\S+ at host \S+ on port \d+ was refused)",
               "LNetError: 111-1: Connection to 10.2.0.5@tcp at host 10.2.0.5 on port 988 was refused: check "
               "that Lustre is running on that node."},
    LogPattern{"lnet-peer-silent", PartKind::kLink, kError, kFailure,
               R"(Timeout (?:receiving from|sending to|out sending to) \S+@|Timing out \S+@\S+)",
               "LNetError: 4130:0:(socklnd_cb.c:2516:ksocknal_find_timed_out_conn()) Timeout receiving from "
               "12345-10.2.0.5@tcp (10.2.0.5:988), state 4 wanted 0 left 0"},
    LogPattern{"lnet-ni-unhealthy", PartKind::kLink, kWarning, kFailure,
               R"(lnet_recover\w*|ni \S+@\S+ (?:set to )?(?:recovery|unhealthy))",
               "LNet: 4101:0:(lib-move.c:3245:lnet_recover_local_nis()) ni 10.2.0.5@o2ib unhealthy"},
};

}  // namespace

std::span<const LogPattern> lustre_patterns() { return kLustre; }

}  // namespace laggard::detect
