#include "collect/syscalls/syscall_table.h"

#include <algorithm>
#include <array>

#include "wire/syscall_record.h"

namespace laggard::collect {

namespace {

struct SyscallRow {
  unsigned number;
  std::string_view name;
  std::string_view signature;
};

/// Numbers of x86-64, which never change; names and arguments as of strace. A letter for each argument:
/// f descriptor, D descriptor of a folder or AT_FDCWD, s path, p pointer, i int, u size, l long, x bits,
/// o mode, O flags of open, S signal. Behind `=` what comes of it: f a descriptor, p a pointer, 0 and 3
/// descriptors where that argument points to, a the first argument stands for more, c as fcntl's command
/// says, m as the message brings, M as messages do.
// clang-format off
constexpr SyscallRow kRows[] = {
    {0, "read", "fpu"}, {1, "write", "fpu"}, {2, "open", "sOo=f"}, {3, "close", "f"}, {4, "stat", "sp"},
    {5, "fstat", "fp"}, {6, "lstat", "sp"}, {7, "poll", "pui"}, {8, "lseek", "fli"}, {9, "mmap", "puxxfl=p"},
    {10, "mprotect", "pux"}, {11, "munmap", "pu"}, {12, "brk", "p=p"}, {13, "rt_sigaction", "Sppu"},
    {14, "rt_sigprocmask", "ippu"}, {15, "rt_sigreturn", ""}, {16, "ioctl", "fxp=c"}, {17, "pread64", "fpul"},
    {18, "pwrite64", "fpul"}, {19, "readv", "fpu"}, {20, "writev", "fpu"}, {21, "access", "so"},
    {22, "pipe", "p=0"}, {23, "select", "ipppp"}, {24, "sched_yield", ""}, {25, "mremap", "puuxp=p"},
    {26, "msync", "pux"}, {27, "mincore", "pup"}, {28, "madvise", "pui"}, {29, "shmget", "iux"},
    {30, "shmat", "ipx=p"}, {31, "shmctl", "iip"}, {32, "dup", "f=f"}, {33, "dup2", "fi=f"},
    {34, "pause", ""}, {35, "nanosleep", "pp"}, {36, "getitimer", "ip"}, {37, "alarm", "u"},
    {38, "setitimer", "ipp"}, {39, "getpid", ""}, {40, "sendfile", "ffpu"}, {41, "socket", "iii=f"},
    {42, "connect", "fpu=a"}, {43, "accept", "fpp=f"}, {44, "sendto", "fpuxpu"}, {45, "recvfrom", "fpuxpp"},
    {46, "sendmsg", "fpx"}, {47, "recvmsg", "fpx=m"}, {48, "shutdown", "fi"}, {49, "bind", "fpu=a"},
    {50, "listen", "fi=a"}, {51, "getsockname", "fpp"}, {52, "getpeername", "fpp"},
    {53, "socketpair", "iiip=3"}, {54, "setsockopt", "fiipu"}, {55, "getsockopt", "fiipp"},
    {56, "clone", "xpppp"}, {57, "fork", ""}, {58, "vfork", ""}, {59, "execve", "spp"}, {60, "exit", "i"},
    {61, "wait4", "ipxp"}, {62, "kill", "iS"}, {63, "uname", "p"}, {64, "semget", "iix"},
    {65, "semop", "ipu"}, {66, "semctl", "iiip"}, {67, "shmdt", "p"}, {68, "msgget", "ix"},
    {69, "msgsnd", "ipux"}, {70, "msgrcv", "ipulx"}, {71, "msgctl", "iip"}, {72, "fcntl", "fip=c"},
    {73, "flock", "fi"}, {74, "fsync", "f"}, {75, "fdatasync", "f"}, {76, "truncate", "sl"},
    {77, "ftruncate", "fl"}, {78, "getdents", "fpu"}, {79, "getcwd", "pu"}, {80, "chdir", "s"},
    {81, "fchdir", "f"}, {82, "rename", "ss"}, {83, "mkdir", "so"}, {84, "rmdir", "s"}, {85, "creat", "so=f"},
    {86, "link", "ss"}, {87, "unlink", "s"}, {88, "symlink", "ss"}, {89, "readlink", "spu"},
    {90, "chmod", "so"}, {91, "fchmod", "fo"}, {92, "chown", "sii"}, {93, "fchown", "fii"},
    {94, "lchown", "sii"}, {95, "umask", "o"}, {96, "gettimeofday", "pp"}, {97, "getrlimit", "ip"},
    {98, "getrusage", "ip"}, {99, "sysinfo", "p"}, {100, "times", "p"}, {101, "ptrace", "iipp"},
    {102, "getuid", ""}, {103, "syslog", "ipu"}, {104, "getgid", ""}, {105, "setuid", "i"},
    {106, "setgid", "i"}, {107, "geteuid", ""}, {108, "getegid", ""}, {109, "setpgid", "ii"},
    {110, "getppid", ""}, {111, "getpgrp", ""}, {112, "setsid", ""}, {113, "setreuid", "ii"},
    {114, "setregid", "ii"}, {115, "getgroups", "ip"}, {116, "setgroups", "ip"}, {117, "setresuid", "iii"},
    {118, "getresuid", "ppp"}, {119, "setresgid", "iii"}, {120, "getresgid", "ppp"}, {121, "getpgid", "i"},
    {122, "setfsuid", "i"}, {123, "setfsgid", "i"}, {124, "getsid", "i"}, {125, "capget", "pp"},
    {126, "capset", "pp"}, {127, "rt_sigpending", "pu"}, {128, "rt_sigtimedwait", "pppu"},
    {129, "rt_sigqueueinfo", "iSp"}, {130, "rt_sigsuspend", "pu"}, {131, "sigaltstack", "pp"},
    {132, "utime", "sp"}, {133, "mknod", "soi"}, {134, "uselib", "s"}, {135, "personality", "x"},
    {136, "ustat", "ip"}, {137, "statfs", "sp"}, {138, "fstatfs", "fp"}, {139, "sysfs", "ipp"},
    {140, "getpriority", "ii"}, {141, "setpriority", "iii"}, {142, "sched_setparam", "ip"},
    {143, "sched_getparam", "ip"}, {144, "sched_setscheduler", "iip"}, {145, "sched_getscheduler", "i"},
    {146, "sched_get_priority_max", "i"}, {147, "sched_get_priority_min", "i"},
    {148, "sched_rr_get_interval", "ip"}, {149, "mlock", "pu"}, {150, "munlock", "pu"},
    {151, "mlockall", "x"}, {152, "munlockall", ""}, {153, "vhangup", ""}, {154, "modify_ldt", "ipu"},
    {155, "pivot_root", "ss"}, {156, "_sysctl", "p"}, {157, "prctl", "ixxxx"}, {158, "arch_prctl", "xp"},
    {159, "adjtimex", "p"}, {160, "setrlimit", "ip"}, {161, "chroot", "s"}, {162, "sync", ""},
    {163, "acct", "s"}, {164, "settimeofday", "pp"}, {165, "mount", "sspxp"}, {166, "umount2", "sx"},
    {167, "swapon", "sx"}, {168, "swapoff", "s"}, {169, "reboot", "xxxp"}, {170, "sethostname", "pu"},
    {171, "setdomainname", "pu"}, {172, "iopl", "i"}, {173, "ioperm", "uui"},
    {174, "create_module", "xxxxxx"}, {175, "init_module", "pup"}, {176, "delete_module", "px"},
    {177, "get_kernel_syms", "xxxxxx"}, {178, "query_module", "xxxxxx"}, {179, "quotactl", "xsip"},
    {180, "nfsservctl", "xxxxxx"}, {181, "getpmsg", "xxxxxx"}, {182, "putpmsg", "xxxxxx"},
    {183, "afs_syscall", "xxxxxx"}, {184, "tuxcall", "xxxxxx"}, {185, "security", "xxxxxx"},
    {186, "gettid", ""}, {187, "readahead", "flu"}, {188, "setxattr", "sppux"}, {189, "lsetxattr", "sppux"},
    {190, "fsetxattr", "fppux"}, {191, "getxattr", "sppu"}, {192, "lgetxattr", "sppu"},
    {193, "fgetxattr", "fppu"}, {194, "listxattr", "spu"}, {195, "llistxattr", "spu"},
    {196, "flistxattr", "fpu"}, {197, "removexattr", "sp"}, {198, "lremovexattr", "sp"},
    {199, "fremovexattr", "fp"}, {200, "tkill", "iS"}, {201, "time", "p"}, {202, "futex", "pixppx"},
    {203, "sched_setaffinity", "iup"}, {204, "sched_getaffinity", "iup"}, {205, "set_thread_area", "p"},
    {206, "io_setup", "up"}, {207, "io_destroy", "x"}, {208, "io_getevents", "xiipp"},
    {209, "io_submit", "xip"}, {210, "io_cancel", "xpp"}, {211, "get_thread_area", "p"},
    {212, "lookup_dcookie", "lpu"}, {213, "epoll_create", "i=f"}, {214, "epoll_ctl_old", "iiip"},
    {215, "epoll_wait_old", "ipii"}, {216, "remap_file_pages", "puuux"}, {217, "getdents64", "fpu"},
    {218, "set_tid_address", "p"}, {219, "restart_syscall", ""}, {220, "semtimedop", "ipup"},
    {221, "fadvise64", "flui"}, {222, "timer_create", "ipp"}, {223, "timer_settime", "ixpp"},
    {224, "timer_gettime", "ip"}, {225, "timer_getoverrun", "i"}, {226, "timer_delete", "i"},
    {227, "clock_settime", "ip"}, {228, "clock_gettime", "ip"}, {229, "clock_getres", "ip"},
    {230, "clock_nanosleep", "ixpp"}, {231, "exit_group", "i"}, {232, "epoll_wait", "fpii"},
    {233, "epoll_ctl", "fifp"}, {234, "tgkill", "iiS"}, {235, "utimes", "sp"}, {236, "vserver", "xxxxxx"},
    {237, "mbind", "puipux"}, {238, "set_mempolicy", "ipu"}, {239, "get_mempolicy", "ppupx"},
    {240, "mq_open", "pxop=f"}, {241, "mq_unlink", "p"}, {242, "mq_timedsend", "fpuup"},
    {243, "mq_timedreceive", "fpupp"}, {244, "mq_notify", "fp"}, {245, "mq_getsetattr", "fpp"},
    {246, "kexec_load", "pupx"}, {247, "waitid", "iipxp"}, {248, "add_key", "pppui"},
    {249, "request_key", "pppi"}, {250, "keyctl", "ixxxx"}, {251, "ioprio_set", "iix"},
    {252, "ioprio_get", "ii"}, {253, "inotify_init", "=f"}, {254, "inotify_add_watch", "fsx"},
    {255, "inotify_rm_watch", "fi"}, {256, "migrate_pages", "iupp"}, {257, "openat", "DsOo=f"},
    {258, "mkdirat", "Dso"}, {259, "mknodat", "Dsoi"}, {260, "fchownat", "Dsiix"}, {261, "futimesat", "Dsp"},
    {262, "newfstatat", "Dspx"}, {263, "unlinkat", "Dsx"}, {264, "renameat", "DsDs"},
    {265, "linkat", "DsDsx"}, {266, "symlinkat", "sDs"}, {267, "readlinkat", "Dspu"},
    {268, "fchmodat", "Dso"}, {269, "faccessat", "Dso"}, {270, "pselect6", "ippppp"}, {271, "ppoll", "puppu"},
    {272, "unshare", "x"}, {273, "set_robust_list", "pu"}, {274, "get_robust_list", "ipp"},
    {275, "splice", "fpfpux"}, {276, "tee", "ffux"}, {277, "sync_file_range", "fllx"},
    {278, "vmsplice", "fpux"}, {279, "move_pages", "iupppx"}, {280, "utimensat", "Dspx"},
    {281, "epoll_pwait", "fpiipu"}, {282, "signalfd", "fpu=f"}, {283, "timerfd_create", "ix=f"},
    {284, "eventfd", "u=f"}, {285, "fallocate", "fxll"}, {286, "timerfd_settime", "fxpp"},
    {287, "timerfd_gettime", "fp"}, {288, "accept4", "fppx=f"}, {289, "signalfd4", "fpux=f"},
    {290, "eventfd2", "ux=f"}, {291, "epoll_create1", "x=f"}, {292, "dup3", "fix=f"}, {293, "pipe2", "px=0"},
    {294, "inotify_init1", "x=f"}, {295, "preadv", "fpul"}, {296, "pwritev", "fpul"},
    {297, "rt_tgsigqueueinfo", "iiSp"}, {298, "perf_event_open", "piifx=f"}, {299, "recvmmsg", "fpuxp=M"},
    {300, "fanotify_init", "xx=f"}, {301, "fanotify_mark", "fxxDs"}, {302, "prlimit64", "iipp"},
    {303, "name_to_handle_at", "Dsppx"}, {304, "open_by_handle_at", "fpO=f"}, {305, "clock_adjtime", "ip"},
    {306, "syncfs", "f"}, {307, "sendmmsg", "fpux"}, {308, "setns", "fx"}, {309, "getcpu", "ppp"},
    {310, "process_vm_readv", "ipupux"}, {311, "process_vm_writev", "ipupux"}, {312, "kcmp", "iiixx"},
    {313, "finit_module", "fpx"}, {314, "sched_setattr", "ipx"}, {315, "sched_getattr", "ipux"},
    {316, "renameat2", "DsDsx"}, {317, "seccomp", "xxp"}, {318, "getrandom", "pux"},
    {319, "memfd_create", "px=f"}, {320, "kexec_file_load", "ffupx"}, {321, "bpf", "ipu=f"},
    {322, "execveat", "Dsppx"}, {323, "userfaultfd", "x=f"}, {324, "membarrier", "ixi"},
    {325, "mlock2", "pux"}, {326, "copy_file_range", "fpfpux"}, {327, "preadv2", "fpulx"},
    {328, "pwritev2", "fpulx"}, {329, "pkey_mprotect", "puxi"}, {330, "pkey_alloc", "xx"},
    {331, "pkey_free", "i"}, {332, "statx", "Dsxxp"}, {333, "io_pgetevents", "xiippp"}, {334, "rseq", "puxx"},
    {424, "pidfd_send_signal", "fSpx"}, {425, "io_uring_setup", "up=f"}, {426, "io_uring_enter", "fuuxpu"},
    {427, "io_uring_register", "fupu"}, {428, "open_tree", "Dsx=f"}, {429, "move_mount", "DsDsx"},
    {430, "fsopen", "px=f"}, {431, "fsconfig", "fippi"}, {432, "fsmount", "fxx=f"}, {433, "fspick", "Dsx=f"},
    {434, "pidfd_open", "ix=f"}, {435, "clone3", "pu"}, {436, "close_range", "uux"},
    {437, "openat2", "Dspu=f"}, {438, "pidfd_getfd", "fix=f"}, {439, "faccessat2", "Dsox"},
    {440, "process_madvise", "fpuix"}, {441, "epoll_pwait2", "fpippu"}, {442, "mount_setattr", "Dsxpu"},
    {443, "quotactl_fd", "fxip"}, {444, "landlock_create_ruleset", "pux=f"},
    {445, "landlock_add_rule", "fipx"}, {446, "landlock_restrict_self", "fx"}, {447, "memfd_secret", "x=f"},
    {448, "process_mrelease", "fx"}, {449, "futex_waitv", "puxpi"}, {450, "set_mempolicy_home_node", "puux"},
    {451, "cachestat", "fppx"}, {452, "fchmodat2", "Dsox"}, {453, "map_shadow_stack", "pux"},
    {454, "futex_wake", "puix"}, {455, "futex_wait", "puuxpi"}, {456, "futex_requeue", "pxii"},
    {457, "statmount", "ppux"}, {458, "listmount", "ppux"}, {459, "lsm_get_self_attr", "uppx"},
    {460, "lsm_set_self_attr", "upux"}, {461, "lsm_list_modules", "ppx"}, {462, "mseal", "pux"},
    {463, "setxattrat", "Dsxppu"}, {464, "getxattrat", "Dsxppu"}, {465, "listxattrat", "Dsxpu"},
    {466, "removexattrat", "Dsxp"}, {467, "open_tree_attr", "Dsxpu=f"}, {468, "file_getattr", "Dspux"},
    {469, "file_setattr", "Dspux"},
};
// clang-format on

wire::DescriptorEffect effect_of(char letter) {
  switch (letter) {
    case 'f':
      return wire::kMakesResult;
    case '0':
      return wire::kMakesPairAt0;
    case '3':
      return wire::kMakesPairAt3;
    case 'a':
      return wire::kChangesFirst;
    case 'c':
      return wire::kFcntl;
    case 'm':
      return wire::kReceives;
    case 'M':
      return wire::kReceivesMany;
    default:
      return wire::kNoEffect;
  }
}

using Specs = std::array<SyscallSpec, wire::kCallNumbers>;

Specs all_specs() {
  Specs specs{};
  for (const SyscallRow& row : kRows) {
    SyscallSpec& spec = specs.at(row.number);
    const std::size_t end = std::min(row.signature.find('='), row.signature.size());
    spec.name = row.name;
    spec.arguments = row.signature.substr(0, end);
    spec.effect = end == row.signature.size() ? wire::kNoEffect : effect_of(row.signature[end + 1]);
    spec.returns_pointer = row.signature.ends_with("=p");
    for (std::size_t i = 0; i < spec.arguments.size(); ++i) {
      if (spec.arguments[i] == 's') spec.paths = static_cast<std::uint8_t>(spec.paths | 1U << i);
    }
  }
  return specs;
}

}  // namespace

const SyscallSpec* find_syscall(unsigned number) {
  static const Specs specs = all_specs();
  if (number >= specs.size() || specs[number].name.empty()) return nullptr;
  return &specs[number];
}

}  // namespace laggard::collect
