#pragma once

#include <optional>

#include "base/time.h"
#include "collect/logs/log_cursor.h"
#include "collect/logs/log_forms.h"

namespace laggard::collect {

/// What storage systems and supercomputers write in forms of their own, from behind the time on.

/// `Fri Nov 20 19:21:34 2026`, with a fraction or none.
[[nodiscard]] bool take_ctime(LogCursor& cursor, WrittenMoment& moment);

/// `[E] text` of GPFS.
[[nodiscard]] WrittenLine gpfs_text(WallTime time, LogCursor cursor);
/// `W [MSGID: 114061] [client.c:12:function] 0-vol-client-1: text` of GlusterFS.
[[nodiscard]] WrittenLine gluster_text(WallTime time, LogCursor cursor);
/// ` 7f31c0a0c700 -1 text` of Ceph's daemons, ` mon.a (mon.0) 7 : cluster [WRN] text` of its cluster log.
[[nodiscard]] std::optional<WrittenLine> ceph_line(WallTime time, LogCursor cursor);
/// `00000100:00000400:3.0F:1700000000.123456:0:2113:0:(client.c:2305:ptlrpc_expire_one_request()) text` of
/// `lctl dk`: subsystem, mask, processor, Unix time, stack, process, external process, place.
[[nodiscard]] std::optional<WrittenLine> lustre_debug_line(LogCursor cursor);
/// `2005-06-03-15.42.50.675872 R02-M1 RAS KERNEL FATAL text` of Blue Gene/L, behind the host.
[[nodiscard]] bool blue_gene_text(LogCursor cursor, WrittenLine& line);
/// `134681 node-246 unix.hw state_change.unavailable 1077804742 1 text` of LANL's clusters.
[[nodiscard]] std::optional<WrittenLine> lanl_line(LogCursor cursor);

}  // namespace laggard::collect
