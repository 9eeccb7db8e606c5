#include <array>

#include "detect/logs/log_pattern.h"

namespace laggard::detect {

namespace {

using enum LogClass;

/// Arrays and paths: MD, device mapper, multipath; SMART; what controllers of arrays send to syslog.
constexpr std::array kArray{
    LogPattern{"md-disk-failure", PartKind::kDisk, kError, kFailure,
               R"(md/raid\S*: Disk failure on \S+, disabling)",
               "md/raid:md0: Disk failure on sdb1, disabling device."},
    LogPattern{
        "md-cannot-go-on", PartKind::kArray, kCritical, kFailure,
        R"(md/raid\S*: (?:Cannot continue operation|not enough operational (?:devices|mirrors)|Operation continuing on 0 devices))",
        "md/raid:md0: Cannot continue operation (3/8 failed)."},
    LogPattern{"md-continuing", PartKind::kArray, kError, kFailure,
               R"(md/raid\S*: Operation continuing on \d+ devices)",
               "md/raid:md0: Operation continuing on 9 devices."},
    LogPattern{"md-read-error", PartKind::kDisk, kError, kFailure,
               R"(md/raid\S*: (?:\w+: )?read error not correctable|unrecoverable I/O read error)",
               "md/raid:md0: read error not correctable (sector 123456 on sdb1)."},
    LogPattern{"md-corrected", PartKind::kDisk, kWarning, kFailure,
               R"(md/raid\S*: (?:\w+: )?read error corrected \()",
               "md/raid:md0: read error corrected (8 sectors at 123456 on sdb1)", kCorrected},
    LogPattern{"md-degraded", PartKind::kArray, kError, kFailure,
               R"(md/raid\S*: (?:cannot start|starting) dirty degraded array)",
               "md/raid:md0: cannot start dirty degraded array."},
    LogPattern{"md-rebuilding", PartKind::kArray, kWarning, kFailure, "md: recovery of RAID array",
               "md: recovery of RAID array md0"},
    LogPattern{"md-rebuilt", PartKind::kArray, kNotice, kRecovery, R"(md: md\d+: (?:recovery|resync) done)",
               "md: md0: recovery done."},
    LogPattern{"md-superblock", PartKind::kDisk, kError, kFailure,
               "md: (?:super_written gets error|kicking non-fresh)", "md: super_written gets error=-5"},
    LogPattern{"mdadm-fail", PartKind::kArray, kError, kFailure,
               "(?:Fail|DegradedArray|FailSpare|DeviceDisappeared) event detected on md device",
               "Fail event detected on md device /dev/md0, component device /dev/sdb1"},
    LogPattern{"mdadm-finished", PartKind::kArray, kNotice, kRecovery,
               "(?:RebuildFinished|SpareActive) event detected on md device",
               "RebuildFinished event detected on md device /dev/md0"},
    LogPattern{"dm-path-failed", PartKind::kAttachment, kError, kFailure,
               R"(device-mapper: multipath: (?:\S+ )?Failing path)",
               "device-mapper: multipath: 253:3: Failing path 8:16."},
    LogPattern{"dm-path-back", PartKind::kAttachment, kNotice, kRecovery,
               R"(device-mapper: multipath: (?:\S+ )?Reinstating path)",
               "device-mapper: multipath: 253:3: Reinstating path 8:16."},
    LogPattern{"multipath-failed", PartKind::kAttachment, kError, kFailure,
               "(?:mark as failed|checker reports? path is down|checker timed out)",
               "mpatha: sdb - tur checker reports path is down"},
    LogPattern{"multipath-no-path", PartKind::kLun, kCritical, kFailure, "remaining active paths: 0",
               "mpatha: remaining active paths: 0"},
    LogPattern{"multipath-fewer", PartKind::kAttachment, kWarning, kFailure, "remaining active paths: [1-9]",
               "mpatha: remaining active paths: 1"},
    LogPattern{"multipath-back", PartKind::kAttachment, kNotice, kRecovery,
               R"((?:checker reports? path is up|\d+:\d+: reinstated))",
               "mpatha: sdb - tur checker reports path is up"},
    LogPattern{"dm-thin-full", PartKind::kLun, kError, kFailure,
               "device-mapper: thin: .*(?:out of (?:data|metadata) space|switching pool to "
               "(?:read-only|out-of-data|fail))",
               "device-mapper: thin: 253:4: switching pool to out-of-data-space (queue IO) mode"},
    LogPattern{"dm-raid-error", PartKind::kArray, kError, kFailure,
               "device-mapper: (?:raid|mirror|cache|integrity|crypt): .*(?:error|failed|[Ff]ailure)",
               "device-mapper: integrity: Checksum failed at sector 0x1234"},
    LogPattern{"smart-failing", PartKind::kDisk, kCritical, kFailure,
               "FAILED SMART self-check|SMART Failure: |SMART overall-health .*FAILED",
               "Device: /dev/sdb [SAT], FAILED SMART self-check. BACK UP DATA NOW!"},
    LogPattern{
        "smart-pending", PartKind::kDisk, kError, kFailure,
        R"(\d+ (?:Currently unreadable \(pending\)|Offline uncorrectable|Total offline uncorrectable) sectors)",
        "Device: /dev/sdb [SAT], 8 Currently unreadable (pending) sectors"},
    LogPattern{"smart-error-count", PartKind::kDisk, kError, kFailure,
               "(?:ATA error count|Self-Test Log error count|number of Error Log entries) increased from",
               "Device: /dev/sdb [SAT], ATA error count increased from 0 to 5"},
    LogPattern{
        "smart-gone", PartKind::kDisk, kError, kFailure,
        R"(Device: /dev/\S+(?: \[\w+\])?, (?:unable to open|failed to read SMART|not capable of SMART self-check|No such device))",
        "Device: /dev/sdb [SAT], unable to open ATA device"},
    LogPattern{
        "drive-failed", PartKind::kDisk, kError, kFailure,
        R"((?:[Pp]hysical ?(?:[Dd]isk|[Dd]rive)|[Dd]rive|PD) \S+ .*(?:has failed|is failed|predictive failure|marked (?:as )?failed))",
        "Physical disk 0:1:5 has failed. Controller 0, Connector 0"},
    LogPattern{"lun-degraded", PartKind::kArray, kError, kFailure,
               R"((?:[Ll]ogical|[Vv]irtual) (?:[Dd]rive|[Dd]isk) \S+ .*(?:degraded|offline|failed))",
               "Virtual disk 3 degraded: redundancy lost, Controller 0"},
    LogPattern{
        "controller-failover", PartKind::kController, kError, kFailure,
        R"([Cc]ontroller \S+ (?:has )?(?:failed over|failed|is offline|went offline|was reset|rebooted unexpectedly))",
        "Controller B failed over to controller A: watchdog timeout"},
    LogPattern{"cache-disabled", PartKind::kController, kError, kFailure,
               "(?:[Ww]rite[- ]back (?:cache )?|[Cc]ache )(?:is |has been |was )?disabled.*batter|[Bb]attery "
               ".*(?:failed|needs? replac|discharged|below threshold)",
               "Controller 0: battery has failed, write-back cache disabled"},
    LogPattern{"enclosure-fault", PartKind::kDrawer, kError, kFailure,
               R"([Ee]nclosure \S+ .*(?:fault|failed|lost|degraded|not redundant|critical))",
               "Enclosure 2 power supply 1 failed, not redundant"},
};

}  // namespace

std::span<const LogPattern> array_patterns() { return kArray; }

}  // namespace laggard::detect
