#include <array>

#include "detect/logs/log_pattern.h"

namespace laggard::detect {

namespace {

using enum LogClass;

/// GlusterFS: clients, bricks, glusterd, self-heal.
constexpr std::array kGluster{
    LogPattern{
        "gluster-disconnected", PartKind::kTarget, kError, kFailure,
        R"(: disconnected from \S+\. Client process will keep trying)",
        "[MSGID: 114018] [client.c:2280:client_rpc_notify] 0-vol-client-1: disconnected from vol-client-1. "
        "Client process will keep trying to connect to glusterd until brick's port is available"},
    LogPattern{"gluster-ping-timeout", PartKind::kTarget, kError, kFailure,
               R"(server \S+ has not responded in the last \d+ seconds, disconnecting)",
               "[rpc-clnt-ping.c:165:rpc_clnt_ping_timer_expired] 0-vol-client-1: server 10.2.0.5:49152 has "
               "not responded in the last 42 seconds, disconnecting."},
    LogPattern{"gluster-connect-failed", PartKind::kTarget, kError, kFailure,
               R"(connection to \S+ failed \(.*\); disconnecting socket)",
               "[socket.c:3232:socket_connect_finish] 0-vol-client-1: connection to 10.2.0.5:49152 failed "
               "(Connection refused); disconnecting socket"},
    LogPattern{"gluster-connected", PartKind::kTarget, kNotice, kRecovery,
               R"(Connected to \S+, attached to remote volume)",
               "[client-handshake.c:1216:client_setvolume_cbk] 0-vol-client-1: Connected to vol-client-1, "
               "attached to remote volume '/bricks/b1'."},
    LogPattern{"gluster-health-check", PartKind::kDisk, kCritical, kFailure,
               R"(health-check failed, going down|health_check on \S+ returned)",
               "[MSGID: 113075] [posix-helpers.c:2111:posix_health_check_thread_proc] 0-vol-posix: "
               "health-check failed, going down"},
    LogPattern{"gluster-aio-error", PartKind::kDisk, kError, kFailure,
               R"(aio_(?:read|write)_cmp_buf|posix_fs_health_check\].*(?:failed|error))",
               "[MSGID: 113075] [posix-helpers.c:2026:posix_fs_health_check] 0-vol-posix: aio_write on "
               "/bricks/b1/.glusterfs/health_check failed [Input/output error]"},
    LogPattern{"gluster-posix-error", PartKind::kDisk, kError, kFailure,
               R"(posix\w*\].*\[(?:Input/output error|Read-only file system)\])",
               "[MSGID: 113072] [posix-inode-fd-ops.c:1898:posix_writev] 0-vol-posix: write failed: offset "
               "0, [Input/output error]"},
    LogPattern{"gluster-no-space", PartKind::kTarget, kError, kFailure,
               R"(posix\w*\].*No space left on device|disk space .* (?:full|limit|reserve))",
               "[MSGID: 113072] [posix-inode-fd-ops.c:1898:posix_writev] 0-vol-posix: write failed: offset "
               "0, [No space left on device]"},
    LogPattern{"gluster-client-quorum", PartKind::kTarget, kError, kFailure, "Client-quorum is not met",
               "[MSGID: 108001] [afr-common.c:5394:afr_notify] 0-vol-replicate-0: Client-quorum is not met"},
    LogPattern{"gluster-server-quorum", PartKind::kServer, kError, kFailure, "Server quorum lost for volume",
               "[MSGID: 106002] [glusterd-server-quorum.c:357:glusterd_do_volume_quorum_action] "
               "0-management: Server quorum lost for volume vol. Stopping local bricks."},
    LogPattern{"gluster-quorum-regained", PartKind::kServer, kNotice, kRecovery,
               "Server quorum regained for volume",
               "[MSGID: 106003] [glusterd-server-quorum.c:351:glusterd_do_volume_quorum_action] "
               "0-management: Server quorum regained for volume vol. Starting local bricks."},
    LogPattern{"gluster-split-brain", PartKind::kTarget, kError, kFailure,
               "split-brain (?:observed|detected)|possible split-brain",
               "[MSGID: 108008] [afr-read-txn.c:90:afr_read_txn_refresh_done] 0-vol-replicate-0: Failing "
               "READ on gfid 7ac0: split-brain observed. [Input/output error]"},
    LogPattern{"gluster-bailing-out", PartKind::kTarget, kError, kFailure, R"(bailing out frame type\()",
               "[rpc-clnt.c:185:call_bail] 0-vol-client-1: bailing out frame type(GlusterFS 4.x v1) "
               "op(WRITE(13)) xid = 0x5f4 sent = 2024-01-15 09:50:30 timeout = 1800 for 10.2.0.5:49152"},
    LogPattern{
        "gluster-remote-failed", PartKind::kTarget, kError, kFailure,
        R"(remote operation failed\.?.*\[(?:Transport endpoint is not connected|Input/output error|Connection timed out))",
        "[MSGID: 114031] [client-rpc-fops_v2.c:2541:client4_0_lookup_cbk] 0-vol-client-1: remote operation "
        "failed. [{path=/x}, {errno=107}, {error=Transport endpoint is not connected}] [Transport endpoint "
        "is not connected]"},
    LogPattern{"gluster-all-down", PartKind::kTarget, kError, kFailure,
               R"(All subvolumes are down\. Going offline)",
               "[MSGID: 108006] [afr-common.c:5357:__afr_handle_child_down_event] 0-vol-replicate-0: All "
               "subvolumes are down. Going offline until at least one of them comes back up."},
    LogPattern{
        "gluster-few-children", PartKind::kTarget, kError, kFailure,
        R"(Insufficient available children for this request|Operation failed on \d+ of \d+ subvolumes)",
        "[MSGID: 122037] [ec-common.c:2294:ec_update_size_version_done] 0-vol-disperse-0: Operation failed "
        "on 1 of 6 subvolumes.(up=111111, mask=111111)"},
    LogPattern{"gluster-brick-gone", PartKind::kTarget, kError, kFailure,
               R"([Bb]rick \S+ has disconnected from glusterd)",
               "[MSGID: 106005] [glusterd-handler.c:6417:__glusterd_brick_rpc_notify] 0-management: Brick "
               "fs2:/bricks/b1 has disconnected from glusterd."},
    LogPattern{"gluster-peer-gone", PartKind::kServer, kError, kFailure,
               R"(Peer <\S+> \(<\S+>\), in state <[^>]+>, has disconnected)",
               "[MSGID: 106004] [glusterd-handler.c:6458:__glusterd_peer_rpc_notify] 0-management: Peer "
               "<fs2> (<7ac0d2b5>), in state <Peer in Cluster>, has disconnected from glusterd."},
    LogPattern{"gluster-crash", PartKind::kProcess, kCritical, kFailure,
               R"(^signal received: \d+|pending frames:$)", "signal received: 11"},
    LogPattern{"gluster-healed", PartKind::kTarget, kNotice, kRecovery,
               "Completed (?:data|metadata|entry) selfheal on",
               "[MSGID: 108026] [afr-self-heal-common.c:1742:afr_log_selfheal] 0-vol-replicate-0: Completed "
               "data selfheal on 7ac0d2b5. sources=[0] 2  sinks=1"},
};

}  // namespace

std::span<const LogPattern> gluster_patterns() { return kGluster; }

}  // namespace laggard::detect
