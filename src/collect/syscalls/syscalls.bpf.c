// The kernel side of `record syscalls`. Two programs run at the begin and the end of every system call of the
// machine; for threads that are traced, and only for these, task-local storage holds the call that is under
// way, so that one look-up is both the filter and the state. What is found out goes into one ring as the
// records of wire/syscall_record.h, in the order in which calls returned.
//
// Descriptors are looked at here, as the call that made them returns: a look into /proc comes too late for
// those that live shortly.
#include <linux/bpf.h>
// Behind the types that they use:
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "collect/syscalls/kernel_types.h"
#include "wire/syscall_record.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

// Set before the program is loaded.
const volatile uint64_t comms[kComms][kCommBytes / 8];  // As text.
const volatile uint32_t comm_count;
const volatile uint32_t has_casts;  // The kernel knows bpf_rdonly_cast.
const volatile uint32_t wake_every;  // Calls, a power of two: the user side looks by itself, too.
const volatile uint64_t running_after_ns;  // From then on it is told of a call that it is under way.
// A child of the user side that waits to execute the command. It and `processes` are numbers in the namespace of the
// user side.
const volatile uint32_t held_process;
const volatile uint8_t path_arguments[kCallNumbers];  // A bit for each argument that is a path.
const volatile uint8_t effects[kCallNumbers];         // DescriptorEffect

// Set before `mark_wanted` runs.
uint32_t processes[kProcesses];
uint32_t process_count;

// Read by the user side.
uint64_t lost[kCpus];
uint64_t sequence;
uint64_t live;  // Threads that are traced.

struct Description {
  struct DescriptorRecord record;
  char text[kWalkRoom];
};

struct Thread {
  struct CallRecord call;
  char text[kTextBytes];
  uint32_t text_bytes;
  uint32_t in_call;
  uint32_t newborn;  // It has yet to return from the clone that made it.
  uint64_t told_sequence;  // Of the call that was last told to be under way, ...
  uint64_t told_ns;        // ... and for how long it was then.
  struct Description description;
};

// The user side's number in the machine's own namespace.
static uint32_t own_process;

// Of the thread of the user side that asks what is open.
static struct Description snapshot;

struct {
  __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, int);
  __type(value, struct Thread);
} threads SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 16 << 20);
} ring SEC(".maps");

enum {
  kAtFdCwd = -100,
  kMostWalk = 40,
  kUnix = 1,
  kInet = 2,
  kInet6 = 10,
  kSocketMode = 0140000,
  kDirectOpen = 040000,  // O_DIRECT
  kModeMask = 0170000,
  kSocketLevel = 1,
  kRights = 1,
  kMostRights = 300,  // Of a message, and its control messages; the kernel sends at most 253.
  kMostMessages = 64,
  kMessageBytes = 64,  // Of recvmmsg.
  kKernelThread = 0x00200000,  // PF_KTHREAD
  kCompatCall = 2,             // TS_COMPAT
  kSigkill = 9,
  kSigchld = 17,
};

static __always_inline void emit(void *record, uint64_t bytes, uint64_t flags) {
  if (bpf_ringbuf_output(&ring, record, bytes, flags) != 0)
    __sync_fetch_and_add(&lost[bpf_get_smp_processor_id() & (kCpus - 1)], 1);
}

static __always_inline struct Thread *current_thread(void) {
  return bpf_task_storage_get(&threads, bpf_get_current_task_btf(), 0, 0);
}

static __always_inline void set_head(struct RecordHead *head, uint8_t kind, uint32_t bytes) {
  const uint64_t who = bpf_get_current_pid_tgid();
  head->bytes = bytes;
  head->kind = kind;
  head->process = who >> 32;
  head->thread = (uint32_t)who;
}

// ---- what a descriptor stands for ----

// From Linux 6.2 on a pointer that was found somewhere can be followed by plain loads, which may fault; before,
// only by calls that copy, which make an open cost two microseconds more.
extern void *bpf_rdonly_cast(const void *object, __u32 type) __ksym __weak;

#define FIELD(type, from, field)                                                                      \
  ({                                                                                                  \
    typeof(((struct type *)0)->field) value_;                                                         \
    if (has_casts)                                                                                    \
      value_ = ((struct type *)bpf_rdonly_cast((void *)(from), bpf_core_type_id_kernel(struct type))) \
                   ->field;                                                                           \
    else                                                                                              \
      value_ = BPF_CORE_READ((struct type *)(from), field);                                           \
    value_;                                                                                           \
  })

//
// Functions that are not static are verified once, and not at each of their calls, which would take more than
// a second; for that they get no pointers of the kernel's, but addresses.

// The names of a path from its end to its root, through mounts. \return bytes written.
static __noinline uint32_t walk(struct Description *d, struct dentry *dentry, struct vfsmount *vfsmount) {
  uint32_t at = 0;
  struct mount *mount = container_of(vfsmount, struct mount, mnt);
  for (int i = 0; i < kMostWalk; ++i) {
    struct dentry *parent = FIELD(dentry, dentry, d_parent);
    struct dentry *root = FIELD(mount, mount, mnt.mnt_root);
    if (dentry == root || dentry == parent) {
      struct mount *outer = FIELD(mount, mount, mnt_parent);
      if (dentry != root || outer == mount) return at;
      dentry = FIELD(mount, mount, mnt_mountpoint);
      mount = outer;
      continue;
    }
    if (at >= kWalkBytes) break;
    const unsigned char *name = FIELD(dentry, dentry, d_name.name);
    const long bytes = bpf_probe_read_kernel_str(&d->text[at & (kWalkBytes - 1)], kNameBytes, name);
    if (bytes <= 0) return at;
    at += bytes;
    dentry = parent;
  }
  d->record.head.flags |= kCutFlag;
  return at;
}

static __noinline uint32_t describe_socket(struct Description *d, struct socket *socket) {
  struct DescriptorRecord *r = &d->record;
  struct sock *sock = FIELD(socket, socket, sk);
  r->family = FIELD(sock, sock, __sk_common.skc_family);
  r->socket_type = FIELD(socket, socket, type);
  r->protocol = FIELD(sock, sock, sk_protocol);
  if (r->family == kInet) {
    const uint32_t local = FIELD(sock, sock, __sk_common.skc_rcv_saddr);
    const uint32_t peer = FIELD(sock, sock, __sk_common.skc_daddr);
    __builtin_memcpy(r->local, &local, sizeof local);
    __builtin_memcpy(r->peer, &peer, sizeof peer);
  } else if (r->family == kInet6) {
    BPF_CORE_READ_INTO(&r->local, sock, __sk_common.skc_v6_rcv_saddr.in6_u.u6_addr8);
    BPF_CORE_READ_INTO(&r->peer, sock, __sk_common.skc_v6_daddr.in6_u.u6_addr8);
  } else if (r->family == kUnix) {
    struct unix_address *address = FIELD(unix_sock, sock, addr);
    if (address == 0) return 0;
    // An abstract address begins with a NUL, which is told as `@`, and need not end with one.
    uint32_t bytes = FIELD(unix_address, address, len) - sizeof address->name[0].sun_family;
    if (bytes == 0 || bytes > sizeof address->name[0].sun_path) return 0;
    if (bpf_probe_read_kernel(d->text, bytes, &address->name[0].sun_path) != 0) return 0;
    if (d->text[0] == 0) d->text[0] = '@';
    d->text[bytes] = 0;
    return bytes + 1;
  }
  if (r->family == kInet || r->family == kInet6) {
    r->local_port = FIELD(sock, sock, __sk_common.skc_num);
    r->peer_port = __builtin_bswap16(FIELD(sock, sock, __sk_common.skc_dport));
  }
  return 0;
}

// Emits what `descriptor` stands for. The head's process and thread are set already.
__noinline int describe(struct Description *d, uint64_t table_at, int64_t descriptor) {
  if (d == 0) return 0;
  struct fdtable *table = (struct fdtable *)table_at;
  if (descriptor < 0 || descriptor >= FIELD(fdtable, table, max_fds)) return 0;
  struct file **files = FIELD(fdtable, table, fd);
  struct file *file = 0;
  bpf_probe_read_kernel(&file, sizeof file, files + descriptor);
  if (file == 0) return 0;
  struct DescriptorRecord *r = &d->record;
  struct inode *inode = FIELD(file, file, f_inode);
  struct dentry *dentry = FIELD(file, file, f_path.dentry);
  unsigned long *bits = FIELD(fdtable, table, close_on_exec);
  unsigned long word = 0;
  bpf_probe_read_kernel(&word, sizeof word, bits + descriptor / 64);
  r->head.kind = kDescriptorRecord;
  r->head.flags = (word >> (descriptor % 64)) & 1 ? kCloseOnExecFlag : 0;
  if (FIELD(file, file, f_flags) & kDirectOpen) r->head.flags |= kDirectFlag;
  r->head.number = 0;
  r->time_ns = bpf_ktime_get_ns();
  r->descriptor = descriptor;
  r->inode = FIELD(inode, inode, i_ino);
  r->mode = FIELD(inode, inode, i_mode);
  struct super_block *super_block = FIELD(inode, inode, i_sb);
  r->magic = FIELD(super_block, super_block, s_magic);
  r->family = r->socket_type = r->protocol = 0;
  r->local_port = r->peer_port = 0;
  __builtin_memset(r->local, 0, sizeof r->local);
  __builtin_memset(r->peer, 0, sizeof r->peer);
  uint32_t text;
  if ((r->mode & kModeMask) == kSocketMode) {
    text = describe_socket(d, (struct socket *)FIELD(file, file, private_data));
  } else {
    text = walk(d, dentry, FIELD(file, file, f_path.mnt));
    // What has no parent has a name of its own: anon_inode:[eventfd], memfd.
    if (text == 0 && dentry == FIELD(dentry, dentry, d_parent)) {
      const long bytes = bpf_probe_read_kernel_str(d->text, kNameBytes, FIELD(dentry, dentry, d_name.name));
      text = bytes > 0 ? bytes : 0;
    } else if (text != 0 && FIELD(dentry, dentry, d_hash.pprev) == 0) {
      r->head.flags |= kDeletedFlag;
    }
  }
  if (text > kWalkRoom) text = kWalkRoom;
  r->head.bytes = sizeof *r + text;
  emit(d, sizeof *r + text, BPF_RB_NO_WAKEUP);
  return 0;
}

static __always_inline void describe_own(struct Thread *thread, int64_t descriptor) {
  struct task_struct *task = bpf_get_current_task_btf();
  thread->description.record.head.process = thread->call.head.process;
  thread->description.record.head.thread = thread->call.head.thread;
  describe(&thread->description, (uint64_t)BPF_CORE_READ(task, files, fdt), descriptor);
}

static __always_inline void describe_pair(struct Thread *thread, uint64_t address) {
  int32_t pair[2];
  if (bpf_probe_read_user(pair, sizeof pair, (void *)address) != 0) return;
  describe_own(thread, pair[0]);
  describe_own(thread, pair[1]);
}

// The descriptors that a message brought. Its control messages follow each other, each aligned to eight bytes.
__noinline int describe_received(struct Thread *thread, uint64_t address) {
  if (thread == 0) return 0;
  struct {
    uint64_t name, name_bytes, parts, part_count, control, control_bytes;
  } message;
  if (bpf_probe_read_user(&message, sizeof message, (void *)address) != 0) return 0;
  uint64_t next = message.control;
  const uint64_t last = next + message.control_bytes;
  uint64_t at = 0;
  uint64_t end = 0;
  for (uint32_t i = 0; i < kMostRights; ++i) {
    if (at + sizeof(int32_t) <= end) {
      int32_t descriptor = -1;
      if (bpf_probe_read_user(&descriptor, sizeof descriptor, (void *)at) != 0) return 0;
      describe_own(thread, descriptor);
      at += sizeof descriptor;
      continue;
    }
    struct {
      uint64_t bytes;
      int32_t level, type;
    } control;
    if (next == 0 || next + sizeof control > last) return 0;
    if (bpf_probe_read_user(&control, sizeof control, (void *)next) != 0) return 0;
    if (control.bytes < sizeof control) return 0;
    at = next + sizeof control;
    end = control.level == kSocketLevel && control.type == kRights ? next + control.bytes : 0;
    next += (control.bytes + 7) & ~7ULL;
  }
  return 0;
}

static __noinline void follow_descriptors(struct Thread *thread, uint8_t effect) {
  const int64_t result = thread->call.result;
  const uint64_t *arguments = thread->call.arguments;
  if (effect == kChangesFirst) {
    describe_own(thread, (int32_t)arguments[0]);
    return;
  }
  if (result < 0) return;
  if (effect == kMakesResult) {
    describe_own(thread, result);
  } else if (effect == kMakesPairAt0) {
    describe_pair(thread, arguments[0]);
  } else if (effect == kMakesPairAt3) {
    describe_pair(thread, arguments[3]);
  } else if (effect == kReceives) {
    describe_received(thread, arguments[1]);
  } else if (effect == kReceivesMany) {
    for (uint32_t i = 0; i < kMostMessages && i < result; ++i) describe_received(thread, arguments[1] + i * kMessageBytes);
  } else if (effect == kFcntl) {
    const uint32_t command = arguments[1];
    // F_DUPFD and F_DUPFD_CLOEXEC; F_SETFD and F_SETFL, and of ioctl FIOCLEX and FIONCLEX.
    if (command == 0 || command == 1030) describe_own(thread, result);
    if (command == 2 || command == 4 || command == 0x5451 || command == 0x5450) describe_own(thread, (int32_t)arguments[0]);
  }
}

// ---- calls ----

__noinline int read_paths(struct Thread *thread, uint8_t which) {
  if (thread == 0) return 0;
  uint32_t at = 0;
  for (int i = 0; i < 6; ++i) {
    if ((which >> i & 1) == 0) continue;
    const void *from = (const void *)thread->call.arguments[i];
    long bytes = bpf_probe_read_user_str(&thread->text[at & kPathBytes], kPathBytes, from);
    if (bytes <= 0) {  // It is not there, or not mapped: an empty text keeps the next one in its place.
      thread->text[at & kPathBytes] = 0;
      bytes = 1;
    }
    if (bytes == kPathBytes) thread->call.head.flags |= kCutFlag;
    // The second text begins in the second half; the user side takes the halves.
    at = at == 0 ? kPathBytes : kTextBytes;
    thread->text_bytes = at == kPathBytes ? bytes : kPathBytes + bytes;
    if (at == kTextBytes) return 0;
  }
  return 0;
}

static __always_inline void emit_call(struct Thread *thread, uint8_t kind, uint64_t flags) {
  uint32_t text = thread->text_bytes;
  if (text > kTextBytes) text = kTextBytes;
  thread->call.head.kind = kind;
  thread->call.head.bytes = sizeof thread->call + text;
  emit(thread, sizeof thread->call + text, flags);
}

// Interrupted by a signal: ERESTARTSYS and its kin.
static __always_inline int is_restarted(long result) { return result <= -512 && result >= -516; }

static __always_inline int is_killed(void) {
  return (bpf_get_current_task_btf()->pending.signal.sig[0] >> (kSigkill - 1)) & 1;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(on_enter, struct pt_regs *regs, long id) {
  struct Thread *thread = current_thread();
  if (thread == 0) return 0;
  struct CallRecord *call = &thread->call;
  call->head.number = id;
  call->head.flags =
      bpf_get_current_task_btf()->thread_info.status & kCompatCall ? kCompatFlag : 0;
  call->arguments[0] = regs->di;
  call->arguments[1] = regs->si;
  call->arguments[2] = regs->dx;
  call->arguments[3] = regs->r10;
  call->arguments[4] = regs->r8;
  call->arguments[5] = regs->r9;
  call->sequence = __sync_fetch_and_add(&sequence, 1);
  thread->text_bytes = 0;
  thread->newborn = 0;
  thread->in_call = 1;
  call->start_ns = bpf_ktime_get_ns();
  return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_exit, struct pt_regs *regs, long result) {
  struct Thread *thread = current_thread();
  if (thread == 0) return 0;
  struct CallRecord *call = &thread->call;
  const uint64_t now = bpf_ktime_get_ns();
  if (thread->in_call == 0) {
    const uint32_t is_newborn = thread->newborn;
    thread->newborn = 0;
    if (is_newborn) return 0;
    call->head.number = regs->orig_ax;
    call->head.flags = 0;
    call->start_ns = now;
    call->took_ns = 0;
    call->result = result;
    call->sequence = 0;
    thread->text_bytes = 0;
    set_head(&call->head, kResumedRecord, 0);
    emit_call(thread, kResumedRecord, BPF_RB_NO_WAKEUP);
    return 0;
  }
  thread->in_call = 0;
  call->took_ns = now - call->start_ns;
  call->result = result;
  // What is about to die of a signal does not see the call return.
  const uint8_t kind = is_restarted(result) && is_killed() ? kUnfinishedRecord : kCallRecord;
  set_head(&call->head, kind, 0);
  const uint32_t number = call->head.number & (kCallNumbers - 1);
  if ((call->head.flags & kCompatFlag) == 0) {
    if (path_arguments[number] && thread->text_bytes == 0) read_paths(thread, path_arguments[number]);
    if (effects[number]) follow_descriptors(thread, effects[number]);
  }
  const uint64_t wake =
      (call->sequence & (wake_every - 1)) == 0 ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
  emit_call(thread, kind, wake);
  return 0;
}

// ---- who is traced ----

// Names are padded by zeros, here and in the kernel, so that two words are all of one.
static __always_inline int is_wanted_comm(const uint64_t *comm) {
  for (uint32_t i = 0; i < kComms && i < comm_count; ++i) {
    if (comm[0] == comms[i][0] && comm[1] == comms[i][1]) return 1;
  }
  return 0;
}

static __always_inline int is_wanted_process(uint32_t process) {
  for (uint32_t i = 0; i < kProcesses && i < process_count; ++i) {
    if (processes[i] == process) return 1;
  }
  return 0;
}

static __always_inline struct Thread *mark(struct task_struct *task) {
  struct Thread *thread = bpf_task_storage_get(&threads, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
  if (thread != 0) __sync_fetch_and_add(&live, 1);
  return thread;
}

// A process's number in the namespace of the program that reads an iterator.
static __always_inline uint32_t number_here(struct task_struct *task) {
  const struct pid *own = BPF_CORE_READ(bpf_get_current_task_btf(), thread_pid);
  const uint32_t level = BPF_CORE_READ(own, level);
  const struct pid *pid = BPF_CORE_READ(task, group_leader, thread_pid);
  if (pid == 0 || BPF_CORE_READ(pid, level) < level) return 0;
  const uint64_t at = (uint64_t)pid + bpf_core_field_offset(struct pid, numbers) +
                      (uint64_t)level * bpf_core_type_size(struct upid) +
                      bpf_core_field_offset(struct upid, nr);
  uint32_t number = 0;
  bpf_probe_read_kernel(&number, sizeof number, (const void *)at);
  return number;
}

// Marks what is there. Run again until nothing new is found: threads may be made meanwhile.
SEC("iter/task")
int mark_wanted(struct bpf_iter__task *context) {
  struct task_struct *task = context->task;
  if (task == 0 || (task->flags & kKernelThread)) return 0;
  own_process = bpf_get_current_pid_tgid() >> 32;
  if (task->tgid == own_process) return 0;
  if (bpf_task_storage_get(&threads, task, 0, 0) != 0) return 0;
  uint64_t comm[kCommBytes / 8];
  const uint32_t process = number_here(task);
  if (process == 0) return 0;
  if (process != held_process && !is_wanted_process(process)) {
    struct task_struct *leader = BPF_CORE_READ(task, group_leader);
    bpf_core_read(comm, sizeof comm, &leader->comm);
    if (!is_wanted_comm(comm)) return 0;
  }
  struct Thread *thread = mark(task);
  // It waits in a call of ours.
  if (thread != 0 && process == held_process) thread->newborn = 1;
  return 0;
}

// Tells what the traced processes have open.
SEC("iter/task_file")
int describe_open(struct bpf_iter__task_file *context) {
  struct task_struct *task = context->task;
  if (task == 0 || context->file == 0) return 0;
  if (bpf_task_storage_get(&threads, task, 0, 0) == 0) return 0;
  snapshot.record.head.process = task->tgid;
  snapshot.record.head.thread = task->pid;
  describe(&snapshot, (uint64_t)BPF_CORE_READ(task, files, fdt), context->fd);
  return 0;
}

// At the end: what is under way.
SEC("iter/task")
int tell_unfinished(struct bpf_iter__task *context) {
  struct task_struct *task = context->task;
  if (task == 0) return 0;
  struct Thread *thread = bpf_task_storage_get(&threads, task, 0, 0);
  if (thread == 0 || thread->in_call == 0) return 0;
  thread->call.head.process = task->tgid;
  thread->call.head.thread = task->pid;
  emit_call(thread, kUnfinishedRecord, BPF_RB_NO_WAKEUP);
  return 0;
}

// Now and then: what has been under way for long, each time for twice as long as before. The thread may return
// meanwhile, so what it writes is copied and looked at again.
SEC("iter/task")
int tell_running(struct bpf_iter__task *context) {
  struct task_struct *task = context->task;
  if (task == 0) return 0;
  struct Thread *thread = bpf_task_storage_get(&threads, task, 0, 0);
  if (thread == 0 || thread->in_call == 0) return 0;
  struct CallRecord call = thread->call;
  const uint64_t now = bpf_ktime_get_ns();
  if (call.start_ns >= now) return 0;
  call.took_ns = now - call.start_ns;
  const uint64_t due = thread->told_sequence == call.sequence ? 2 * thread->told_ns : running_after_ns;
  if (call.took_ns < due) return 0;
  barrier();
  if (*(volatile uint32_t *)&thread->in_call == 0) return 0;
  if (*(volatile uint64_t *)&thread->call.sequence != call.sequence) return 0;
  thread->told_sequence = call.sequence;
  thread->told_ns = call.took_ns;
  call.head.kind = kRunningRecord;
  call.head.bytes = sizeof call;
  call.head.process = task->tgid;
  call.head.thread = task->pid;
  call.result = 0;
  emit(&call, sizeof call, BPF_RB_NO_WAKEUP);
  return 0;
}

static __always_inline void set_moment(struct MomentRecord *moment, uint8_t kind) {
  __builtin_memset(moment, 0, sizeof *moment);
  set_head(&moment->head, kind, sizeof *moment);
  moment->time_ns = bpf_ktime_get_ns();
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child) {
  if (bpf_task_storage_get(&threads, parent, 0, 0) == 0) return 0;
  struct Thread *thread = mark(child);
  if (thread == 0) return 0;
  thread->newborn = 1;
  struct MomentRecord moment;
  set_moment(&moment, kForkRecord);
  moment.other_process = child->tgid;
  moment.other_thread = child->pid;
  if (parent->files == child->files) moment.head.flags = kFilesSharedFlag;
  emit(&moment, sizeof moment, BPF_RB_NO_WAKEUP);
  return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task, int old_thread, struct linux_binprm *program) {
  struct Thread *thread = current_thread();
  if (thread != 0) {
    // The memory in which the call's path stood is gone.
    const long bytes = bpf_probe_read_kernel_str(thread->text, kPathBytes, BPF_CORE_READ(program, filename));
    thread->text_bytes = bytes > 0 ? bytes : 0;
    return 0;
  }
  if (comm_count == 0 || task->tgid == own_process) return 0;
  uint64_t comm[kCommBytes / 8];
  bpf_core_read(comm, sizeof comm, &task->comm);
  if (!is_wanted_comm(comm) || mark(task) == 0) return 0;
  struct MomentRecord moment;
  set_moment(&moment, kJoinRecord);
  emit(&moment, sizeof moment, BPF_RB_FORCE_WAKEUP);
  return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_thread_exit, struct task_struct *task) {
  struct Thread *thread = bpf_task_storage_get(&threads, task, 0, 0);
  if (thread == 0) return 0;
  if (thread->in_call) {
    set_head(&thread->call.head, kUnfinishedRecord, 0);
    emit_call(thread, kUnfinishedRecord, BPF_RB_NO_WAKEUP);
    thread->in_call = 0;
  }
  struct MomentRecord moment;
  set_moment(&moment, kExitRecord);
  moment.code = task->exit_code;
  if (BPF_CORE_READ(task, signal, live.counter) == 0) moment.head.flags = kLastThreadFlag;
  __sync_fetch_and_add(&live, -1);
  emit(&moment, sizeof moment, live == 0 ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP);
  bpf_task_storage_delete(&threads, task);
  return 0;
}

SEC("tp_btf/signal_deliver")
int BPF_PROG(on_signal, int number, struct kernel_siginfo *info, struct k_sigaction *action) {
  // By SIGKILL the kernel ends the other threads of what dies of another signal; the end says which.
  if (number == kSigkill || current_thread() == 0) return 0;
  struct MomentRecord moment;
  set_moment(&moment, kSignalRecord);
  moment.head.number = number;
  // 0 and 1 stand for signals without more to say, of a user and of the kernel.
  const uint64_t address = (uint64_t)info;
  if (address > 1) {
    moment.code = BPF_CORE_READ(info, si_code);
    if (moment.code <= 0 || number == kSigchld) moment.other_process = BPF_CORE_READ(info, _sifields._kill._pid);
  } else {
    moment.code = address == 1 ? 0x80 : 0;
  }
  emit(&moment, sizeof moment, BPF_RB_NO_WAKEUP);
  return 0;
}
