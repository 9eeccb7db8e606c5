#include <array>

#include "detect/logs/log_pattern.h"

namespace laggard::detect {

namespace {

using enum LogClass;

/// IBM Storage Scale (GPFS): mmfs.log, Native RAID.
constexpr std::array kGpfs{
    LogPattern{"gpfs-assert", PartKind::kServer, kCritical, kFailure, R"(\*{3} Assert exp\()",
               R"(*** Assert exp(!"Unexpected status") in line 1402 of file bufdesc.C)"},
    LogPattern{
        "gpfs-abnormal-shutdown", PartKind::kServer, kCritical, kFailure,
        R"(The mm\S+ (?:daemon|file system daemon) is shutting down abnormally|mmfsd is shutting down abnormally)",
        "The mmfs daemon is shutting down abnormally."},
    LogPattern{"gpfs-disk-failure", PartKind::kLun, kError, kFailure,
               R"(Disk failure\. +Volume \S+ rc = \d+)",
               "Disk failure.  Volume gpfs1. rc = 5. Physical volume nsd12."},
    LogPattern{"gpfs-open-disk", PartKind::kLun, kError, kFailure, R"(Unable to open disk '?\S+'? on node)",
               "Unable to open disk 'nsd12' on node nsd3. Error: No such device"},
    LogPattern{"gpfs-nsd-checksum", PartKind::kLink, kError, kFailure,
               "(?:NSD|nsd).{0,40}checksum (?:error|mismatch)",
               "NSD checksum mismatch on read from server 10.2.0.3 nsd3, disk nsd12"},
    LogPattern{"gpfs-unmounted", PartKind::kServer, kError, kFailure,
               R"(File system \S+ (?:was )?unmounted by the system with return code \d+)",
               "File system gpfs1 unmounted by the system with return code 5 reason code 218"},
    LogPattern{"gpfs-lost-membership", PartKind::kServer, kError, kFailure,
               R"(Lost membership in cluster \S+)",
               "Lost membership in cluster hpc.example. Unmounting file systems."},
    LogPattern{"gpfs-quorum-lost", PartKind::kServer, kCritical, kFailure,
               "(?:Lost quorum|[Qq]uorum loss|Not enough quorum nodes)",
               "Not enough quorum nodes reachable: 1."},
    LogPattern{"gpfs-lease-overdue", PartKind::kServer, kWarning, kFailure, "lease renewal is overdue",
               "Node 10.2.0.7 (c7) lease renewal is overdue. Pinging to check if it is alive"},
    LogPattern{"gpfs-lease-expired", PartKind::kServer, kError, kFailure,
               "(?:being expelled because of an expired lease|The lease has expired)",
               "Node 10.2.0.7 (c7) is being expelled because of an expired lease. Pings sent: 60. Replies "
               "received: 60."},
    LogPattern{"gpfs-expelled", PartKind::kServer, kError, kFailure,
               R"(Node \S+ \(\S+\) (?:is being |has been |was )?expelled|Expel \S+ \(\S+\) request from)",
               "Expel 10.2.0.7 (c7) request from 10.2.0.3 (nsd3). Expelling: 10.2.0.7 (c7)"},
    LogPattern{"gpfs-connection-closed", PartKind::kLink, kError, kFailure,
               R"(Close connection to \S+ \S+ .*(?:reset by peer|timed out|failed|unreachable))",
               "Close connection to 10.2.0.7 c7 <c0n7> (Connection reset by peer). Attempting reconnect."},
    LogPattern{"gpfs-reconnected", PartKind::kLink, kNotice, kRecovery,
               R"(Reconnected to \S+ \S+ <c\d+n\d+>)", "Reconnected to 10.2.0.7 c7 <c0n7>"},
    LogPattern{"gpfs-verbs", PartKind::kLink, kError, kFailure, R"(VERBS RDMA (?:rdma )?\w+ error)",
               "VERBS RDMA rdma read error IBV_WC_RETRY_EXC_ERR to 10.2.0.7 (c7) on mlx5_0 port 1 fabnum 0 "
               "vendor_err 129"},
    LogPattern{
        "gpfs-waiter", PartKind::kServer, kWarning, kFailure,
        R"([Ww]aiting \d{3,}\.\d+ sec(?:onds|s)?\b.* (?:NSDThread|on ThCond|NSDWorker))",
        "0x7F30 waiting 320.123 seconds: NSDThread: on ThCond 0x18 (MsgRecordCondvar), reason 'RPC wait'"},
    LogPattern{
        "gpfs-pdisk-state", PartKind::kDisk, kError, kFailure,
        R"([Pp]disk \S+ .*(?:state changed|is) (?:from \S+ )?(?:to )?(?:dead|failing|missing|readonly|slow|diagnosing))",
        "Pdisk e1d2s03 of RG rg1 state changed from ok/0000.000 to dead/systemDrain/noRGD"},
    LogPattern{"gpfs-vdisk-degraded", PartKind::kArray, kWarning, kFailure,
               R"((?:[Dd]eclustered array|[Vv]disk|[Rr]ecovery group) \S+ .*(?:degraded|critical|offline))",
               "Declustered array DA1 of recovery group rg1 is critical: 2 disks missing"},
    LogPattern{"gpfs-recovered", PartKind::kServer, kNotice, kRecovery,
               R"(Recovered \d+ nodes for file system)", "Recovered 1 nodes for file system gpfs1."},
};

}  // namespace

std::span<const LogPattern> gpfs_patterns() { return kGpfs; }

}  // namespace laggard::detect
