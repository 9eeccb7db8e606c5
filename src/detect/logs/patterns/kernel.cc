#include <array>

#include "detect/logs/log_pattern.h"

namespace laggard::detect {

namespace {

using enum LogClass;

/// Crashes, hangs, lack of memory and of other resources, and daemons that die.
constexpr std::array kKernel{
    LogPattern{"kernel-panic", PartKind::kServer, kCritical, kFailure, "Kernel panic - not syncing",
               "Kernel panic - not syncing: Fatal exception in interrupt"},
    LogPattern{
        "kernel-oops", PartKind::kServer, kCritical, kFailure,
        R"(\bOops: [0-9a-f]{4}|BUG: unable to handle|Unable to handle kernel|general protection fault)",
        "BUG: unable to handle kernel NULL pointer dereference at 0000000000000008"},
    LogPattern{"kernel-bug", PartKind::kServer, kCritical, kFailure,
               R"(kernel BUG at \S+:\d+|invalid opcode: 0000)", "kernel BUG at fs/ext4/inode.c:123!"},
    LogPattern{"kernel-warning", PartKind::kServer, kWarning, kFailure,
               R"(WARNING: (?:CPU: \d+ PID: \d+ )?at \S+)",
               "WARNING: CPU: 3 PID: 1234 at net/sched/sch_generic.c:467 dev_watchdog+0x260/0x270"},
    LogPattern{"soft-lockup", PartKind::kServer, kCritical, kFailure,
               R"(soft lockup - CPU#\d+ stuck|soft lockup detected)",
               "watchdog: BUG: soft lockup - CPU#3 stuck for 22s! [ptlrpcd_00_01:1234]"},
    LogPattern{"hard-lockup", PartKind::kServer, kCritical, kFailure, "[Ww]atchdog detected (?:hard )?LOCKUP",
               "NMI watchdog: Watchdog detected hard LOCKUP on cpu 3"},
    LogPattern{"rcu-stall", PartKind::kServer, kCritical, kFailure,
               "(?:self-)?detected (?:expedited )?stalls? on CPU",
               "rcu: INFO: rcu_sched self-detected stall on CPU"},
    LogPattern{"hung-task", PartKind::kServer, kError, kFailure,
               R"(INFO: task .+ blocked for more than \d+ seconds)",
               "INFO: task ll_ost_io00_003:1234 blocked for more than 120 seconds.", kWaiting},
    LogPattern{
        "oom-killed", PartKind::kServer, kError, kFailure,
        "Out of memory: Kill(?:ed)? process|[Oo]ut of [Mm]emory: Killed",
        "Out of memory: Killed process 1234 (ceph-osd) total-vm:8388608kB, anon-rss:4194304kB, file-rss:0kB"},
    LogPattern{"oom-cgroup", PartKind::kProcess, kError, kFailure, "[Mm]emory cgroup out of memory",
               "Memory cgroup out of memory: Kill process 1234 (java) score 1900 or sacrifice child"},
    LogPattern{
        "oom-invoked", PartKind::kServer, kError, kFailure, "invoked oom-killer:",
        "ceph-osd invoked oom-killer: gfp_mask=0x100cca(GFP_HIGHUSER_MOVABLE), order=0, oom_score_adj=0"},
    LogPattern{"page-allocation", PartKind::kServer, kError, kFailure,
               "page allocation failure|SLUB: Unable to allocate memory|vmalloc: allocation failure",
               "kworker/u17:2: page allocation failure: order:4, mode:0xcc0(GFP_KERNEL), nodemask=(null)"},
    LogPattern{
        "no-memory", PartKind::kServer, kError, kFailure,
        "fork: (?:Cannot allocate memory|Resource temporarily unavailable|retry)|Cannot allocate memory",
        "error: fork: Cannot allocate memory"},
    LogPattern{"file-max", PartKind::kServer, kError, kFailure,
               R"(VFS: file-max limit \d+ reached|Too many open files)", "VFS: file-max limit 65536 reached"},
    LogPattern{
        "clock-unstable", PartKind::kServer, kWarning, kFailure,
        R"(Marking clocksource '?\w+'? as unstable|Clock Unsynchronized|[Cc]an't synchroni[sz]e|time stepped by|System clock wrong by)",
        "clocksource: timekeeping watchdog on CPU3: Marking clocksource 'tsc' as unstable because the skew "
        "is too large"},
    LogPattern{"interrupt-nobody", PartKind::kServer, kError, kFailure,
               R"(irq \d+: nobody cared|Disabling IRQ #\d+)",
               R"(irq 16: nobody cared (try booting with the "irqpoll" option))"},
    LogPattern{"iommu-fault", PartKind::kServer, kError, kFailure,
               R"(DMAR: \[DMA (?:Read|Write)[^\]]*\]|AMD-Vi: Event logged \[|IO_PAGE_FAULT)",
               "DMAR: [DMA Write] Request device [01:00.0] fault addr 0x1234000 [fault reason 05] PTE Write "
               "access is not set"},
    LogPattern{
        "daemon-killed", PartKind::kProcess, kError, kFailure,
        R"(\.service: (?:Main process exited, code=(?:killed|dumped)|Failed with result '(?:signal|core-dump|watchdog|oom-kill|timeout)'))",
        "ceph-osd@3.service: Main process exited, code=killed, status=6/ABRT"},
    LogPattern{
        "daemon-failed", PartKind::kProcess, kError, kFailure,
        R"(\.service: (?:Failed with result|Main process exited, code=exited, status=[1-9])|[Ee]ntered failed state|Start request repeated too quickly)",
        "glusterd.service: Failed with result 'exit-code'."},
    LogPattern{"daemon-core", PartKind::kProcess, kError, kFailure,
               R"(Process \d+ \(\S+\) of user \d+ dumped core|terminated abnormally|core dumped)",
               "Process 1234 (glusterfsd) of user 0 dumped core."},
    LogPattern{"segfault", PartKind::kProcess, kError, kFailure, "segfault at [0-9a-f]+ (?:ip|rip)",
               "glusterfsd[1234]: segfault at 0 ip 00007f31c0a0c700 sp 00007ffd5e3c error 4 in "
               "libc-2.31.so[7f31c0000000+178000]"},
    LogPattern{
        "node-down", PartKind::kServer, kError, kFailure,
        R"([Nn]ode \S+ (?:is )?(?:not responding|DOWN|down|unreachable|set to DOWN)|[Nn]odes? \S+ not responding)",
        "error: Nodes c7 not responding, setting DOWN"},
    LogPattern{"io-error", PartKind::kDisk, kError, kFailure, "Input/output error",
               "write failed: /data/x: Input/output error"},
    LogPattern{"read-only", PartKind::kLun, kError, kFailure, "Read-only file system",
               "cannot touch '/data/x': Read-only file system"},
    LogPattern{"no-space", PartKind::kLun, kError, kFailure, "No space left on device",
               "cannot write /data/x: No space left on device"},
    LogPattern{"stale-handle", PartKind::kTarget, kError, kFailure, "Stale (?:NFS )?file handle",
               "cannot open /data/x: Stale file handle"},
    LogPattern{
        "not-connected", PartKind::kTarget, kError, kFailure,
        "Transport endpoint is (?:not connected|shut ?down)|Cannot send after transport endpoint shutdown",
        "stat /data/x: Transport endpoint is not connected"},
};

}  // namespace

std::span<const LogPattern> kernel_patterns() { return kKernel; }

}  // namespace laggard::detect
