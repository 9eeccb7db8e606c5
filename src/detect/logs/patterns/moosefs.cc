#include <array>

#include "detect/logs/log_pattern.h"

namespace laggard::detect {

namespace {

using enum LogClass;

/// MooseFS and LizardFS: master, chunk servers, mounts.
constexpr std::array kMoosefs{
    LogPattern{"moosefs-chunkserver-gone", PartKind::kServer, kError, kFailure,
               "chunkserver disconnected - ip:",
               "chunkserver disconnected - ip: 10.2.0.5 / port: 9422, usedspace: 1099511627776 (1024.00 "
               "GiB), totalspace: 2199023255552 (2048.00 GiB)"},
    LogPattern{"moosefs-chunkserver-back", PartKind::kServer, kNotice, kRecovery,
               "chunkserver register (?:begin|end)",
               "chunkserver register begin (packet version: 6) - ip: 10.2.0.5 / port: 9422, usedspace: "
               "1099511627776 (1024.00 GiB)"},
    LogPattern{"moosefs-chunk-unavailable", PartKind::kTarget, kError, kFailure,
               "currently unavailable (?:chunk|file)",
               "currently unavailable chunk 00000000000004D2 (inode: 77 ; index: 0)"},
    LogPattern{"moosefs-invalid-copies", PartKind::kTarget, kError, kFailure,
               "has only invalid copies|there are no (?:valid )?copies",
               "chunk 00000000000004D2 has only invalid copies (1) - please repair it manually"},
    LogPattern{"moosefs-folder-errors", PartKind::kDisk, kError, kFailure,
               R"(\d+ errors occurred in \d+ seconds on (?:folder|disk))",
               "5 errors occurred in 60 seconds on folder: /mnt/hd1/"},
    LogPattern{"moosefs-chunk-io", PartKind::kDisk, kError, kFailure,
               "(?:write|read)_block_(?:to|from)_chunk: .*(?:error|crc)",
               "write_block_to_chunk: file:/mnt/hd1/4D/chunk_00000000000004D2_00000001.mfs - write error: "
               "EIO (Input/output error)"},
    LogPattern{"moosefs-chunk-crc", PartKind::kDisk, kError, kFailure, R"(chunk_[0-9A-F]{16}\S* .*crc error)",
               "hdd_io_end: file:/mnt/hd1/4D/chunk_00000000000004D2_00000001.mfs - crc error"},
    LogPattern{"moosefs-folder-damaged", PartKind::kDisk, kError, kFailure,
               "hdd space manager: .*(?:damaged|lock failed|can't|failed)",
               "hdd space manager: folder '/mnt/hd1/' marked as damaged"},
    LogPattern{"moosefs-master-lost", PartKind::kLink, kError, kFailure,
               "(?:master: connection lost|connection reset by Master|connection with (?:master|Master) "
               "(?:lost|timed out))",
               "master: connection lost (data)"},
    LogPattern{"moosefs-worker-timeout", PartKind::kTarget, kError, kFailure,
               "(?:write|read)worker: .*(?:timed out|reset|refused|EIO|error)",
               "file: 12, index: 3, chunk: 1234, version: 1 - writeworker: connection with (0A020005:9422) "
               "timed out (unfinished writes: 2; try counter: 1)"},
    LogPattern{"moosefs-metadata", PartKind::kMetadataServer, kCritical, kFailure,
               "can't (?:write|store|save) metadata|metadata (?:save|store|dump) (?:error|failed)",
               "background metadata save failed: metadata store error (No space left on device)"},
    LogPattern{"moosefs-connected", PartKind::kLink, kNotice, kRecovery, "^connected to Master",
               "connected to Master"},
};

}  // namespace

std::span<const LogPattern> moosefs_patterns() { return kMoosefs; }

}  // namespace laggard::detect
