#pragma once

#include <string_view>

#include "collect/procfs/target_counters.h"

namespace laggard::collect {

/// Lustre's obdfilter/OST/stats. `read_bytes` and `write_bytes` count bulk transfers and their bytes; a line
/// that is not there yet counts zero, as Lustre shows lines from their first event on. `read` and `write` in
/// microseconds, which Lustre has since 2.12, give rd_ms and wr_ms. Nothing when it is not such a file.
[[nodiscard]] TargetCounters read_ost_stats(std::string_view text);

/// Lustre's brw_stats of an OST, where `stats` tells no times.
void add_brw_times(std::string_view text, TargetCounters& counters);

/// Lustre's mdt/MDT/md_stats. Newer Lustre counts in microseconds and gives times; older in `[reqs]`. A line
/// that is not there yet counts zero. samedir_rename and crossdir_rename are kinds of rename, counted there;
/// what is not among the counters is no request here. Nothing when it is not such a file.
[[nodiscard]] TargetCounters read_mdt_stats(std::string_view text);

/// ZFS's kstat POOL/io (until OpenZFS 2.0): bytes, requests and the times of the pool's queues, in
/// nanoseconds. weighted_ms is waiting and running requests together. Nothing when it is not such a file.
[[nodiscard]] TargetCounters read_pool_io(std::string_view text);

/// Adds ZFS's kstat POOL/objset-ID: reads and writes of one file system, before the cache. False when it is
/// not such a file.
bool add_pool_objset(std::string_view text, TargetCounters& counters);

}  // namespace laggard::collect
