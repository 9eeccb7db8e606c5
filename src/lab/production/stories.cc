#include "lab/production/stories.h"

#include <array>

#include "model/log_line.h"

namespace laggard::lab::production {

namespace {

using severity::kCritical;
using severity::kError;
using severity::kInformation;
using severity::kNotice;
using severity::kWarning;

constexpr std::array kRebuildStories{
    Statement{0, kError, "sd 6:0:~~:0: [sdk] tag~~~ FAILED Result: hostbyte=DID_OK driverbyte=DRIVER_SENSE",
              5, 0},
    Statement{0, kError, "blk_update_request: I/O error, dev sdk, sector 4~~~~~~~", 6, 300},
    Statement{0, kCritical, "md/raid:md3: Disk failure on sdk, disabling device.", 10, 0},
    Statement{0, kInformation, "md: recovery of RAID array md3", 20, 0},
    Statement{1, kCritical,
              "mdadm[2~~~]: Fail event detected on md device /dev/md1, component device /dev/sdm", 15, 0},
    Statement{1, kNotice, "mdadm[2~~~]: RebuildStarted event detected on md device /dev/md1", 25, 0},
    Statement{2, kError, "ses_mond: enclosure 2 slot ~~: PHY down, drive removed from pool", 20, 0},
    Statement{2, kWarning, "gem_raid: pool ~: rebuild started, ~ member missing", 30, 400},
};

constexpr std::array kDiskStories{
    Statement{0, kError, "blk_update_request: critical medium error, dev sdf, sector 1~~~~~~~~", 20, 90},
    Statement{1, kWarning, "mpt3sas_cm0: log_info(0x31110610): originator(PL), code(0x11), sub_code(0x0610)",
              10, 60},
    Statement{1, kWarning, "sd 4:0:~~:0: task abort: SUCCESS scmd(0x4~~~~~~~)", 20, 120},
    Statement{1, kError,
              "sd 4:0:~~:0: [sdf] tag~~~ FAILED Result: hostbyte=DID_SOFT_ERROR driverbyte=DRIVER_OK", 40,
              150},
    Statement{2, kCritical, "smartd[1~~~]: Device: /dev/sdf [SAT], ~~ Currently unreadable (pending) sectors",
              90, 0},
    Statement{2, kError, "ata7.00: failed command: READ FPDMA QUEUED", 30, 120},
    Statement{3, kError, "diskmon: sdf: ~~ commands took more than 5000 ms in 60 s", 60, 60},
};

constexpr std::array kHangStories{
    Statement{0, kError, "INFO: task ll_ost_io01_0~~:1~~~~ blocked for more than 120 seconds.", 125, 120},
    Statement{1, kCritical, "watchdog: BUG: soft lockup - CPU~7 stuck for 2~s! [ll_ost_io02_0~~:1~~~~]", 25,
              30},
    Statement{
        2, kError,
        "LustreError: 1~~~~:0:(ldlm_lockd.c:~~~:expired_lock_main()) ### lock callback timer expired after "
        "1~~s: evicting client at 10.1.~.~~@o2ib",
        110, 90},
    Statement{2, kError, "LustreError: dumping log to /tmp/lustre-log.1500~~~~~~.1~~~~", 200, 200},
    Statement{3, kError, "haagentd: storage stack missed ~~ heartbeats", 40, 60},
};

constexpr std::array kLimpStories{
    Statement{0, kError, "EDAC MC~: 1~~ CE memory read error on CPU_SrcID#1_MC#0_Chan#1_DIMM#0", 20, 60},
    Statement{0, kError, "mce: [Hardware Error]: Machine check events logged", 20, 60},
    Statement{1, kCritical,
              "CPU1~: Package temperature above threshold, cpu clock throttled (total events = 1~~~~)", 30,
              200},
    Statement{
        2, kError,
        "mlx5_core 0000:81:00.0: wait_func:1~~~:(pid 1~~~~): ACCESS_REG(0x805) timeout. Will cause a leak of "
        "a command resource",
        40, 100},
    Statement{2, kError, "NETDEV WATCHDOG: ib0 (mlx5_core): transmit queue ~~ timed out", 60, 200},
    Statement{3, kError, "ipmi_evd: PS2 input lost, power capped at ~~~ W", 20, 300},
};

constexpr std::array kDownStories{
    Statement{0, kCritical, "Kernel panic - not syncing: LBUG", 2, 0},
    Statement{1, kCritical, "BUG: unable to handle kernel NULL pointer dereference at 00000000000000~~", 2,
              0},
    Statement{1, kCritical, "Kernel panic - not syncing: Fatal exception", 3, 0},
    Statement{2, kError, "ec_node_failed: heartbeat fault, node unresponsive, halt code 0xd0", 20, 0},
};

constexpr std::array kRouterStories{
    Statement{
        0, kError,
        "LNetError: 2~~~:0:(o2iblnd_cb.c:3~~~:kiblnd_check_conns()) Timed out RDMA with 10.1.~.~~@o2ib (1~~)",
        30, 60},
    Statement{1, kWarning,
              "LNet: 2~~~:0:(lib-move.c:1~~~:lnet_parse_get()) Dropping message for 12345-10.1.~.~~@gni: no "
              "credits",
              10, 15},
    Statement{1, kError,
              "LNetError: 2~~~:0:(gnilnd_conn.c:1~~~:kgnilnd_close_conn_locked()) closing conn to 1~~@gni: "
              "error -110",
              40, 120},
    Statement{2, kError, "kgnilnd: SMSG credits of peer ~~~~ exhausted, ~~ messages discarded", 20, 60},
};

constexpr std::array kMetadataStories{
    Statement{0, kError, "INFO: task mdt01_0~~:1~~~~ blocked for more than 120 seconds.", 125, 120},
    Statement{
        1, kCritical,
        "LustreError: 1~~~~:0:(osp_sync.c:3~~:osp_sync_request_commit_cb()) ASSERTION( cookie ) failed: ", 5,
        0},
    Statement{1, kCritical, "LustreError: 1~~~~:0:(osp_sync.c:3~~:osp_sync_request_commit_cb()) LBUG", 5, 0},
    Statement{2, kError,
              "LustreError: 1~~~~:0:(ldlm_request.c:1~~:ldlm_expired_completion_wait()) ### lock timed out "
              "(enqueued at 1500~~~~~~, 300s ago)",
              100, 100},
    Statement{3, kError, "haagentd: MDT service missed ~~ heartbeats", 40, 60},
};

constexpr std::array kSwitchStories{
    Statement{0, kError, "%PORT-3-ERRDISABLE: Interface Ethernet1/~~ has been disabled due to link flaps", 10,
              0},
    Statement{0, kWarning, "%ETHPORT-5-IF_DOWN_LINK_FAILURE: Interface Ethernet1/~~ is down (Link failure)",
              10, 60},
    Statement{1, kError, "opensm[1~~~]: port ~~ symbol errors 1~~~~ exceed the threshold", 30, 60},
    Statement{2, kError, "sx_mon: port ~~: ~~~ uncorrectable FEC codewords in 60 s", 30, 60},
};

constexpr std::array kClientStories{
    Statement{0, kCritical, "watchdog: BUG: soft lockup - CPU~3 stuck for 2~s! [ptlrpcd_0~:2~~~]", 25, 40},
    Statement{1, kError, "NETDEV WATCHDOG: ib0 (mlx4_core): transmit queue ~~ timed out", 20, 100},
    Statement{
        2, kError,
        "LustreError: 11-0: scratch-OST00~~-osc-ffff88~~~~~~~~~~: operation ost_write to node 10.1.~.~~@o2ib "
        "failed: rc = -110",
        40, 60},
};

constexpr std::array kOverload{
    Statement{0, kWarning, "Lustre: scratch-OST00~~: slow i/o ~~s due to heavy IO load", 60, 60},
    Statement{
        0, kWarning,
        "Lustre: 1~~~~:0:(service.c:1~~~:ptlrpc_at_send_early_reply()) @@@ Couldn't add any time (~/~), not "
        "sending early reply",
        90, 100, 0.7},
    Statement{0, kWarning,
              "LNet: Service thread pid 1~~~~ completed after 2~~.~~s. This indicates the system was "
              "overloaded (too "
              "many service threads, or there were not enough hardware resources).",
              200, 150, 0.5},
    Statement{0, kError, "INFO: task ll_ost_io01_0~~:1~~~~ blocked for more than 120 seconds.", 200, 200,
              0.02},
    Statement{0, kWarning, "ll_ost_io01_0~~: page allocation failure. order:2, mode:0x20", 300, 0, 0.01},
};

constexpr std::array kRoutine{
    Statement{0, kInformation, "systemd: Started Session 1~~~~ of user root."},
    Statement{0, kInformation, "CROND[1~~~~]: (root) CMD (/usr/lib64/sa/sa1 1 1)"},
    Statement{0, kNotice,
              "Lustre: scratch-OST00~~: Client 5e~~~~~-~~~~-~~~~-~~~~-~~~~~~~~~~~~ (at 10.1.~.~~@o2ib) "
              "reconnecting"},
    Statement{0, kInformation, "sshd[1~~~~]: Accepted publickey for monitor from 10.0.0.~~ port 4~~~~"},
};

constexpr std::array kStrayWarnings{
    Statement{0, kWarning, "ntpd[1~~~]: kernel reports TIME_ERROR: 0x41: Clock Unsynchronized"},
    Statement{
        0, kWarning,
        "kernel: perf: interrupt took too long (2~~~ > 2~~~), lowering kernel.perf_event_max_sample_rate"},
    Statement{0, kWarning, "EDAC MC0: 1 CE memory scrubbing error on CPU_SrcID~0_MC~0_Chan~1_DIMM~0"},
    Statement{0, kWarning, "ipmi_evd: fan ~~ below lower non-critical threshold"},
    Statement{0, kWarning, "Lustre: MGC10.1.0.1@o2ib: haven't heard from client a5~~~~~~ in 227 seconds"},
    Statement{0, kWarning, "nscd[1~~~]: ignored inotify event for `/etc/resolv.conf`"},
};

constexpr std::array kStrayErrors{
    Statement{
        0, kError,
        "sshd[1~~~~]: error: maximum authentication attempts exceeded for root from 10.0.0.~~ port 4~~~~"},
    Statement{0, kError, "systemd[1]: Failed to start Update a database for mlocate."},
    Statement{0, kError, "ib0: can't use GFP_NOIO for QPs on device mlx4_0, using GFP_KERNEL"},
    Statement{0, kError, "usb 2-1.~: device descriptor read/64, error -71"},
    Statement{0, kError,
              "postfix/smtp[1~~~~]: fatal: parameter inet_interfaces: no local interface found for ::1"},
    Statement{
        0, kError,
        "slapd_client[1~~~]: segfault at 0 ip 00007f~~~~~~~~ sp 00007f~~~~~~~~ error 4 in libc-2.12.so"},
    Statement{0, kError, "ACPI Error: SMBus or IPMI write requires Buffer of length 66, found length 32"},
    Statement{0, kError, "end_request: I/O error, dev fd0, sector 0"},
};

constexpr std::array kCommonErrors{
    Statement{0, kError, "nfs: server home1 not responding, still trying"},
    Statement{0, kError, "automount[1~~~]: lookup_read_map: lookup(sss): can't connect to sssd"},
    Statement{0, kWarning, "syslog-ng[1~~~]: Connection failed; server='AF_INET(10.0.0.2:514)'"},
};

}  // namespace

std::span<const Statement> stories_of(IncidentKind kind) {
  switch (kind) {
    case IncidentKind::kDiskRebuild:
    case IncidentKind::kRebuildChain:
      return kRebuildStories;
    case IncidentKind::kDiskLimps:
      return kDiskStories;
    case IncidentKind::kServerHangs:
      return kHangStories;
    case IncidentKind::kServerLimps:
      return kLimpStories;
    case IncidentKind::kFailover:
      return kDownStories;
    case IncidentKind::kRouterDrops:
      return kRouterStories;
    case IncidentKind::kMetadataHangs:
      return kMetadataStories;
    case IncidentKind::kRackLoses:
      return kSwitchStories;
    case IncidentKind::kClientLimps:
      return kClientStories;
    case IncidentKind::kTargetOverload:
    case IncidentKind::kServerOverload:
    case IncidentKind::kStripedOverload:
    case IncidentKind::kMetadataOverload:
      return {};
  }
  return {};
}

std::span<const Statement> overload_statements() { return kOverload; }
std::span<const Statement> routine_statements() { return kRoutine; }
std::span<const Statement> stray_warnings() { return kStrayWarnings; }
std::span<const Statement> stray_errors() { return kStrayErrors; }
std::span<const Statement> common_errors() { return kCommonErrors; }

}  // namespace laggard::lab::production
