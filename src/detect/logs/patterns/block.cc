#include <array>

#include "detect/logs/log_pattern.h"

namespace laggard::detect {

namespace {

using enum LogClass;

/// The kernel's block layer, SCSI, ATA, NVMe, and host adapters.
constexpr std::array kBlock{
    LogPattern{"block-medium-error", PartKind::kDisk, kError, kFailure,
               R"(critical (?:medium|target|space allocation|nexus) error, dev \w+)",
               "blk_update_request: critical medium error, dev sdb, sector 123456 op 0x0:(READ) flags "
               "0x80700 phys_seg 1 prio class 0"},
    // Not of floppies (fd0), which machines without one complain about.
    LogPattern{"block-io-error", PartKind::kDisk, kError, kFailure,
               R"(I/O error, dev(?:ice)? (?:[^f\W]|f[^d\W])\w+, sector \d+)",
               "blk_update_request: I/O error, dev sdb, sector 123456"},
    LogPattern{"block-buffer-error", PartKind::kDisk, kError, kFailure,
               R"(Buffer I/O error on dev(?:ice)? \S+,)",
               "Buffer I/O error on dev sdb1, logical block 5, async page read"},
    LogPattern{"block-lost-page", PartKind::kDisk, kError, kFailure,
               R"(lost (?:async |sync )?page write(?: due to I/O error)? ?(?:on \S+)?)",
               "Buffer I/O error on device sdb1: lost page write due to I/O error on sdb1"},
    LogPattern{
        "scsi-no-connect", PartKind::kAttachment, kError, kFailure,
        R"(hostbyte=DID_(?:NO_CONNECT|TRANSPORT_\w+|BUS_BUSY|IMM_RETRY))",
        "sd 2:0:0:0: [sdb] tag#12 FAILED Result: hostbyte=DID_NO_CONNECT driverbyte=DRIVER_OK cmd_age=0s"},
    LogPattern{
        "scsi-failed", PartKind::kDisk, kError, kFailure,
        "FAILED Result: hostbyte=|Result: hostbyte=DID_(?:SOFT_ERROR|ERROR|TIME_OUT|BAD_TARGET|ABORT|RESET)",
        "sd 2:0:0:0: [sdb] tag#12 FAILED Result: hostbyte=DID_OK driverbyte=DRIVER_SENSE"},
    LogPattern{"scsi-medium-error", PartKind::kDisk, kError, kFailure,
               "Sense Key : (?:Medium|Hardware) Error",
               "sd 2:0:0:0: [sdb] tag#12 Sense Key : Medium Error [current] [descriptor]"},
    LogPattern{"scsi-aborted", PartKind::kDisk, kError, kFailure,
               "Sense Key : (?:Aborted Command|Not Ready|Data Protect)",
               "sd 2:0:0:0: [sdb] tag#12 Sense Key : Aborted Command [current]"},
    LogPattern{"scsi-add-sense", PartKind::kDisk, kError, kFailure,
               R"(Add\. Sense: .*(?:error|failure|exceeded|not ready))",
               "sd 2:0:0:0: [sdb] tag#12 Add. Sense: Unrecovered read error - auto reallocate failed"},
    LogPattern{"scsi-offline", PartKind::kDisk, kCritical, kFailure,
               "rejecting I/O to (?:offline|dead) device", "sd 2:0:0:0: rejecting I/O to offline device"},
    LogPattern{"scsi-offlined", PartKind::kDisk, kCritical, kFailure,
               "Device offlined - not ready after error recovery",
               "sd 2:0:0:0: Device offlined - not ready after error recovery"},
    LogPattern{"scsi-abort", PartKind::kDisk, kWarning, kFailure,
               "attempting task abort|task abort: (?:SUCCESS|FAILED)|Abort command issued|aborting command",
               "sd 2:0:0:0: attempting task abort! scmd(0x00000000aa55aa55)", kCorrected},
    LogPattern{"scsi-reset", PartKind::kController, kError, kFailure,
               "(?:target|bus|host|device|logical unit) reset: (?:FAILED|SUCCESS)|attempting "
               "(?:target|host|bus|device) reset",
               "scsi target2:0:0: target reset: FAILED scmd(0x00000000aa55aa55)"},
    LogPattern{"sas-log-info", PartKind::kController, kWarning, kFailure,
               R"(mpt\dsas_?\w*: log_info\(0x[0-9a-f]+\): originator\()",
               "mpt3sas_cm0: log_info(0x31110d00): originator(PL), code(0x11), sub_code(0x0d00)", kCorrected},
    LogPattern{
        "sas-fault", PartKind::kController, kCritical, kFailure,
        R"(mpt\dsas_?\w*: (?:fault_state\(|diag reset|_base_fault_reset_work|SAS host is non-operational))",
        "mpt3sas_cm0: fault_state(0x5854)!"},
    LogPattern{
        "megaraid-fault", PartKind::kController, kCritical, kFailure,
        R"((?:megasas|megaraid_sas).*(?:fault state|resetting (?:fusion )?adapter|Failed to reset|waiting for \d+ commands to complete))",
        "megaraid_sas 0000:02:00.0: [ 5]waiting for 3 commands to complete for scsi0"},
    LogPattern{"megaraid-degraded", PartKind::kArray, kError, kFailure,
               R"(VD \S+ is now (?:DEGRADED|PARTIALLY DEGRADED|OFFLINE))",
               "megaraid_sas 0000:02:00.0: 2000 (500s/0x0001/CRIT) - VD 00/0 is now DEGRADED"},
    LogPattern{"megaraid-pd", PartKind::kDisk, kError, kFailure,
               "megaraid_sas.*(?:Unexpected sense: PD|Predictive failure: PD|Error on PD|Removed: PD)",
               "megaraid_sas 0000:02:00.0: 2001 (501s/0x0002/WARN) - Predictive failure: PD 05(e0x20/s5)"},
    LogPattern{"hpsa-controller", PartKind::kController, kCritical, kFailure,
               "(?:hpsa|smartpqi) .*(?:[Cc]ontroller lockup|controller is offline|resetting "
               "(?:controller|logical|physical)|reset (?:logical|physical) +(?:failed|completed))",
               "hpsa 0000:03:00.0: Controller lockup detected: 0x00130000 after 30s"},
    LogPattern{"fc-link-down", PartKind::kLink, kError, kFailure,
               "(?:qla2xxx|lpfc|bfa|fnic).*(?:LOOP DOWN|[Ll]ink [Dd]own|Cable is unplugged)",
               "qla2xxx [0000:05:00.0]-500b:4: LOOP DOWN detected (2 3 0 0)."},
    LogPattern{"fc-link-up", PartKind::kLink, kNotice, kRecovery,
               "(?:qla2xxx|lpfc|bfa|fnic).*(?:LOOP UP|[Ll]ink [Uu]p)",
               "qla2xxx [0000:05:00.0]-500a:4: LOOP UP detected (16 Gbps)."},
    LogPattern{"fc-port-lost", PartKind::kAttachment, kError, kFailure, "blocked FC remote port time out",
               "rport-4:0-2: blocked FC remote port time out: removing target and saving binding"},
    LogPattern{"iscsi-error", PartKind::kAttachment, kError, kFailure,
               R"(connection\d+:\d+: detected conn error|ping timeout of \d+ secs expired)",
               "connection1:0: detected conn error (1011)"},
    LogPattern{"iscsi-lost", PartKind::kAttachment, kError, kFailure,
               R"(session recovery timed out after \d+ secs)",
               "session1: session recovery timed out after 120 secs"},
    LogPattern{"iscsi-back", PartKind::kAttachment, kNotice, kRecovery, "is operational after recovery",
               "connection1:0 is operational after recovery (2 attempts)"},
    LogPattern{"srp-lost", PartKind::kAttachment, kError, kFailure,
               "ib_srp: .*(?:failed|reconnect)|SRP (?:abort|reset_(?:device|host)) called",
               "scsi host7: ib_srp: failed receive status WR flushed (5) for CQE 00000000aa55aa55"},
    LogPattern{"ata-exception", PartKind::kDisk, kError, kFailure, R"(ata\d+(?:\.\d+)?: exception Emask)",
               "ata3.00: exception Emask 0x0 SAct 0x8 SErr 0x0 action 0x6 frozen"},
    LogPattern{"ata-failed-command", PartKind::kDisk, kError, kFailure,
               R"(ata\d+(?:\.\d+)?: failed command:)", "ata3.00: failed command: READ FPDMA QUEUED"},
    LogPattern{"ata-error-bits", PartKind::kDisk, kError, kFailure, R"(ata\d+(?:\.\d+)?: error: \{)",
               "ata3.00: error: { UNC }"},
    LogPattern{"ata-disabled", PartKind::kDisk, kCritical, kFailure, R"(ata\d+\.\d+: disabled)",
               "ata3.00: disabled"},
    LogPattern{"ata-reset", PartKind::kDisk, kError, kFailure,
               R"(ata\d+(?:\.\d+)?: (?:hard|soft) resetting link)", "ata3: hard resetting link"},
    LogPattern{"ata-link-down", PartKind::kDisk, kError, kFailure, R"(ata\d+: SATA link down \()",
               "ata3: SATA link down (SStatus 0 SControl 300)"},
    LogPattern{"ata-slow-link", PartKind::kDisk, kError, kFailure,
               R"(ata\d+: link is slow to respond|ata\d+(?:\.\d+)?: limiting SATA link speed)",
               "ata3: link is slow to respond, please be patient (ready=0)"},
    LogPattern{"ata-recovered", PartKind::kDisk, kNotice, kRecovery, R"(ata\d+: EH complete)",
               "ata3: EH complete"},
    LogPattern{"nvme-timeout", PartKind::kDisk, kError, kFailure,
               R"(nvme(?: nvme\d+)?: I/O (?:tag )?\d+ .*(?:QID|qid) \d+ timeout)",
               "nvme nvme0: I/O 123 QID 4 timeout, aborting"},
    LogPattern{"nvme-down", PartKind::kDisk, kCritical, kFailure,
               R"(nvme(?: nvme\d+)?: controller is down; will reset)",
               "nvme nvme0: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0x10"},
    LogPattern{
        "nvme-not-ready", PartKind::kDisk, kCritical, kFailure,
        R"(nvme(?: nvme\d+)?: (?:Device not ready|Removing after probe failure|Disabling device after reset failure))",
        "nvme nvme0: Device not ready; aborting reset, CSTS=0x1"},
    LogPattern{"nvme-io-error", PartKind::kDisk, kError, kFailure, R"(nvme\d+n\d+: .* I/O Error \(sct)",
               "nvme0n1: I/O Cmd(0x2) @ LBA 123456, 8 blocks, I/O Error (sct 0x2 / sc 0x81) MORE DNR"},
    LogPattern{
        "nvme-fabric-lost", PartKind::kAttachment, kError, kFailure,
        R"(nvme(?: nvme\d+)?: (?:Reconnecting in \d+ seconds|failed nvme_keep_alive|starting error recovery|rescanning namespaces failed))",
        "nvme nvme1: Reconnecting in 10 seconds..."},
    LogPattern{"nvme-fabric-back", PartKind::kAttachment, kNotice, kRecovery,
               R"(nvme(?: nvme\d+)?: Successfully reconnected)",
               "nvme nvme1: Successfully reconnected (3 attempts)"},
    LogPattern{"block-slow-timeout", PartKind::kDisk, kError, kFailure,
               R"((?:timing out command, waited|command (?:\S+ )?timed out|mmc\d+: Timeout waiting))",
               "sd 2:0:0:0: timing out command, waited 180s"},
};

}  // namespace

std::span<const LogPattern> block_patterns() { return kBlock; }

}  // namespace laggard::detect
