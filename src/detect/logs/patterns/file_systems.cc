#include <array>

#include "detect/logs/log_pattern.h"

namespace laggard::detect {

namespace {

using enum LogClass;

/// Local file systems: ext3, ext4, XFS, ZFS, btrfs; and NFS and SMB as their clients see them.
constexpr std::array kFileSystem{
    LogPattern{
        "ext-error", PartKind::kLun, kError, kFailure, R"(EXT[234]-fs error \(device \S+\))",
        "EXT4-fs error (device sdb1): ext4_find_entry:1455: inode #2: comm ls: reading directory lblock 0"},
    LogPattern{
        "ext-end-io", PartKind::kLun, kError, kFailure,
        R"(EXT[34]-fs warning \(device \S+\): \w+: I/O error)",
        "EXT4-fs warning (device sdb1): ext4_end_bio: I/O error 10 writing to inode 77 starting block 4096)"},
    LogPattern{"ext-read-only", PartKind::kLun, kCritical, kFailure,
               R"(EXT[234]-fs \(\S+\): [Rr]emounting filesystem read-only)",
               "EXT4-fs (sdb1): Remounting filesystem read-only"},
    LogPattern{"ext-lost-data", PartKind::kLun, kCritical, kFailure,
               "This should not happen!! +Data will be lost",
               "EXT4-fs (sdb1): This should not happen!! Data will be lost"},
    LogPattern{"ext-journal", PartKind::kLun, kCritical, kFailure,
               R"(Aborting journal on device|JBD2?: (?:Detected IO errors|Error -\d+ detected|I/O error))",
               "Aborting journal on device sdb1-8."},
    LogPattern{"ext-recovered", PartKind::kLun, kNotice, kRecovery,
               R"(EXT[34]-fs \(\S+\): recovery complete)", "EXT4-fs (sdb1): recovery complete"},
    LogPattern{"xfs-shutdown", PartKind::kLun, kCritical, kFailure,
               R"(xfs_do_force_shutdown|XFS \(\S+\): .*[Ss]hutting down filesystem)",
               "XFS (sdb1): Log I/O Error Detected. Shutting down filesystem"},
    LogPattern{"xfs-io-error", PartKind::kLun, kError, kFailure,
               R"(XFS \(\S+\): (?:metadata I/O error|writeback error|log I/O error|I/O error))",
               R"(XFS (sdb1): metadata I/O error in "xlog_iodone" at daddr 0x1234 len 64 error 5)"},
    LogPattern{
        "xfs-corrupt", PartKind::kLun, kCritical, kFailure,
        R"(XFS \(\S+\): (?:Metadata corruption detected|Metadata CRC error|Corruption (?:of|detected|warning)|Internal error))",
        "XFS (sdb1): Metadata CRC error detected at xfs_agf_read_verify+0x1c/0x90 [xfs], xfs_agf block 0x1"},
    LogPattern{
        "xfs-memory", PartKind::kServer, kError, kFailure, "XFS.* possible memory allocation deadlock",
        "XFS: nfsd(1234) possible memory allocation deadlock size 65552 in kmem_realloc (mode:0x2408240)"},
    LogPattern{"xfs-recovered", PartKind::kLun, kNotice, kRecovery,
               R"(XFS \(\S+\): Ending (?:recovery|clean mount))",
               "XFS (sdb1): Ending recovery (logdev: internal)"},
    LogPattern{"zfs-suspended", PartKind::kArray, kCritical, kFailure,
               R"(Pool '\S+' has encountered an uncorrectable I/O failure)",
               "WARNING: Pool 'tank' has encountered an uncorrectable I/O failure and has been suspended."},
    LogPattern{"zfs-panic", PartKind::kServer, kCritical, kFailure,
               R"(PANIC: .*zfs|VERIFY\d?\(.*\) failed|SPLError)",
               "VERIFY3(0 == dmu_buf_hold_array(os, object, offset, size)) failed (0 == 5)"},
    LogPattern{"zfs-vdev-state", PartKind::kDisk, kError, kFailure,
               "class=statechange .*vdev_state=(?:FAULTED|UNAVAIL|DEGRADED|REMOVED|OFFLINE)",
               "eid=12 class=statechange pool='tank' vdev=sdb1 vdev_state=FAULTED"},
    LogPattern{"zfs-vdev-online", PartKind::kDisk, kNotice, kRecovery,
               "class=statechange .*vdev_state=ONLINE|class=(?:resilver|scrub)_finish",
               "eid=15 class=statechange pool='tank' vdev=sdb1 vdev_state=ONLINE"},
    LogPattern{"zfs-io", PartKind::kDisk, kError, kFailure,
               R"(class=(?:io|io_failure|checksum|data|probe_failure|delay|deadman)\b.* pool=)",
               "eid=12 class=checksum pool='tank' vdev=sdb1 algorithm=fletcher4"},
    LogPattern{"zfs-zio", PartKind::kDisk, kError, kFailure, R"(zio pool=\S+ vdev=\S+ error=\d+)",
               "zio pool=tank vdev=/dev/sdb1 error=5 type=1 offset=270336 size=8192 flags=b08c1"},
    LogPattern{"btrfs-device-errors", PartKind::kDisk, kError, kFailure,
               R"(BTRFS (?:error|warning) \(device \S+\): bdev \S+ errs:)",
               "BTRFS error (device sdb1): bdev /dev/sdb1 errs: wr 0, rd 1, flush 0, corrupt 0, gen 0"},
    LogPattern{"btrfs-checksum", PartKind::kDisk, kError, kFailure,
               R"(BTRFS (?:error|warning) \(device \S+\): (?:csum failed|checksum (?:error|verify failed)))",
               "BTRFS warning (device sdb1): csum failed root 5 ino 257 off 0 csum 0x1234abcd expected csum "
               "0x77ab12cd mirror 1"},
    LogPattern{
        "btrfs-corrupt", PartKind::kLun, kCritical, kFailure,
        R"(BTRFS (?:critical|error) \(device \S+\): .*(?:corrupt|parent transid verify failed|bad tree block))",
        "BTRFS error (device sdb1): parent transid verify failed on 1234 wanted 55 found 53"},
    LogPattern{"btrfs-read-only", PartKind::kLun, kCritical, kFailure,
               "BTRFS.*(?:forced readonly|[Tt]ransaction aborted)",
               "BTRFS info (device sdb1): forced readonly"},
    LogPattern{"btrfs-corrected", PartKind::kDisk, kWarning, kFailure,
               R"(BTRFS info \(device \S+\): read error corrected)",
               "BTRFS info (device sdb1): read error corrected: ino 257 off 0 (dev /dev/sdb1 sector 1234)",
               kCorrected},
    LogPattern{"nfs-silent", PartKind::kServer, kError, kFailure,
               R"((?:nfs|lockd): server \S+ not responding)", "nfs: server fs1 not responding, still trying"},
    LogPattern{"nfs-back", PartKind::kServer, kNotice, kRecovery, R"((?:nfs|lockd): server \S+ OK)",
               "nfs: server fs1 OK"},
    LogPattern{
        "nfs-lost-state", PartKind::kServer, kError, kFailure,
        R"(NFS: .*(?:reclaim failed|lost \d+ locks|nfs4_reclaim_open_state: unhandled)|nfs4_\w+: .*state (?:manager|recovery) failed|NFS: state manager: .* failed)",
        "NFS: state manager: check lease failed on NFSv4 server fs1 with error 13"},
    LogPattern{"smb-silent", PartKind::kServer, kError, kFailure,
               R"(CIFS(?: VFS)?:.*[Ss]erver \S+ has not responded in \d+ seconds)",
               "CIFS VFS: Server fs1 has not responded in 120 seconds. Reconnecting..."},
    LogPattern{"fs-corrupt-dir", PartKind::kLun, kError, kFailure,
               "(?:JFS|reiserfs|REISERFS|F2FS-fs|OCFS2|GFS2|gfs2).*(?:[Ee]rror|panic|fatal|withdraw|corrupt)",
               "GFS2: fsid=hpc:data.0: fatal: filesystem consistency error"},
};

}  // namespace

std::span<const LogPattern> file_system_patterns() { return kFileSystem; }

}  // namespace laggard::detect
