#include "collect/syscalls/tracees.h"

#include <fmt/format.h>
#include <linux/audit.h>
#include <linux/sched.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <set>
#include <system_error>

#include "base/text.h"
#include "collect/syscalls/changed_descriptors.h"
#include "collect/syscalls/open_descriptor.h"
#include "collect/syscalls/syscall_table.h"
#include "collect/syscalls/traced_thread.h"

namespace laggard::collect {

namespace {

constexpr int kCallStop = SIGTRAP | 0x80;

std::uint64_t now_ns() { return static_cast<std::uint64_t>(SystemClock().mono().time_since_epoch().count()); }

/// Goes on to the next begin or end of a call.
void resume(pid_t id, int signal = 0) {
  ask_tracee(PTRACE_SYSCALL, id, 0, static_cast<std::uint64_t>(signal));
}

bool stops(int signal) {
  return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

wire::MomentRecord moment(std::uint8_t kind, pid_t process, pid_t id) {
  wire::MomentRecord record{};
  record.head.bytes = sizeof record;
  record.head.kind = kind;
  record.head.process = static_cast<std::uint32_t>(process);
  record.head.thread = static_cast<std::uint32_t>(id);
  record.time_ns = now_ns();
  return record;
}

template <typename Record>
std::span<const std::byte> bytes_of(const Record& record) {
  return std::as_bytes(std::span(&record, 1));
}

}  // namespace

void Tracees::put_call(pid_t id, Thread& thread, std::uint8_t kind, std::size_t text_bytes) const {
  wire::CallRecord& call = thread.call;
  call.head.kind = kind;
  call.head.process = static_cast<std::uint32_t>(thread.process);
  call.head.thread = static_cast<std::uint32_t>(id);
  call.head.bytes = static_cast<std::uint32_t>(sizeof call + text_bytes);
  std::array<std::byte, sizeof call + wire::kTextBytes> record;
  std::memcpy(record.data(), &call, sizeof call);
  std::memcpy(record.data() + sizeof call, thread.text.data(), text_bytes);
  put_(std::span(record).first(sizeof call + text_bytes));
}

/// Of a call that began before the tracing nobody knows more than that it was under way.
void Tracees::put_unfinished(pid_t id, Thread& thread) const {
  if (thread.knows_call()) put_call(id, thread, wire::kUnfinishedRecord, thread.text_bytes);
}

void Tracees::describe(pid_t process, std::int64_t descriptor) const {
  if (descriptor < 0 || descriptor > INT32_MAX) return;
  if (const auto record = describe_descriptor(process, static_cast<int>(descriptor))) put_(*record);
}

void Tracees::read_paths(pid_t id, Thread& thread) {
  const SyscallSpec* const spec = find_syscall(thread.call.head.number);
  thread.text_bytes = 0;
  if (spec == nullptr || (thread.call.head.flags & wire::kCompatFlag) != 0) return;
  std::size_t at = 0;
  for (unsigned i = 0; i < std::size(thread.call.arguments) && at < wire::kTextBytes; ++i) {
    if ((spec->paths >> i & 1U) == 0) continue;
    std::size_t bytes =
        read_tracee_text(id, thread.call.arguments[i], std::span(thread.text).subspan(at, wire::kPathBytes));
    if (bytes == 0) thread.text[at] = '\0';  // Not there, or not mapped: the next one keeps its place.
    bytes = std::max<std::size_t>(bytes, 1);
    if (bytes == wire::kPathBytes) thread.call.head.flags |= wire::kCutFlag;
    thread.text_bytes = at + bytes;
    at += wire::kPathBytes;
  }
}

void Tracees::begin_call(pid_t id, Thread& thread, const void* told) {
  const auto& info = *static_cast<const __ptrace_syscall_info*>(told);
  constexpr std::uint64_t kRestart = 219;
  constexpr std::uint64_t kExecute = 59;
  const std::uint64_t number = info.entry.nr;
  thread.is_newborn = false;
  thread.in_call = true;
  if (number == kExecute) thread.is_hidden = false;
  thread.is_resumed = thread.resumes && (number == thread.call.head.number || number == kRestart);
  thread.resumes = false;
  if (thread.is_resumed || thread.is_hidden) return;
  wire::CallRecord& call = thread.call;
  call = {};
  call.head.number = static_cast<std::uint16_t>(number);
  if (info.arch != AUDIT_ARCH_X86_64) call.head.flags = wire::kCompatFlag;
  std::copy(std::begin(info.entry.args), std::end(info.entry.args), std::begin(call.arguments));
  call.sequence = sequence_++;
  read_paths(id, thread);
  call.start_ns = now_ns();
}

void Tracees::end_call(pid_t id, Thread& thread, std::int64_t result) {
  wire::CallRecord& call = thread.call;
  const bool was_resumed = thread.is_resumed || !thread.in_call;
  const bool is_nothing = thread.is_hidden || thread.is_newborn;
  thread.in_call = thread.is_newborn = thread.is_resumed = false;
  if (is_nothing) return;
  call.result = result;
  if (was_resumed) {
    user_regs_struct registers{};
    if (ask_tracee(PTRACE_GETREGS, id, 0, &registers) == 0)
      call.head.number = static_cast<std::uint16_t>(registers.orig_rax);
    call.head.flags = 0;
    call.start_ns = now_ns();
    call.took_ns = 0;
    call.sequence = 0;
    return put_call(id, thread, wire::kResumedRecord, 0);
  }
  call.took_ns = now_ns() - call.start_ns;
  if ((call.head.flags & wire::kCompatFlag) == 0) {
    for (const std::int64_t descriptor : changed_descriptors(id, call)) describe(thread.process, descriptor);
  }
  put_call(id, thread, wire::kCallRecord, thread.text_bytes);
}

void Tracees::handle_call(pid_t id, Thread& thread) {
  __ptrace_syscall_info info{};
  if (ask_tracee(PTRACE_GET_SYSCALL_INFO, id, sizeof info, &info) > 0) {
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY) begin_call(id, thread, &info);
    if (info.op == PTRACE_SYSCALL_INFO_EXIT) end_call(id, thread, info.exit.rval);
  }
  resume(id);
}

void Tracees::handle_fork(pid_t id, const Thread& thread) {
  std::uint64_t child = 0;
  ask_tracee(PTRACE_GETEVENTMSG, id, 0, &child);
  constexpr std::uint16_t kClone = 56;
  constexpr std::uint16_t kClone3 = 435;
  std::uint64_t flags = 0;
  if (thread.call.head.number == kClone) flags = thread.call.arguments[0];
  if (thread.call.head.number == kClone3)
    read_tracee(id, thread.call.arguments[0], std::as_writable_bytes(std::span(&flags, 1)));
  const auto child_id = static_cast<pid_t>(child);
  const pid_t process = (flags & CLONE_THREAD) != 0 ? thread.process : child_id;
  wire::MomentRecord record = moment(wire::kForkRecord, thread.process, id);
  record.other_process = static_cast<std::uint32_t>(process);
  record.other_thread = static_cast<std::uint32_t>(child_id);
  if ((flags & CLONE_FILES) != 0) record.head.flags = wire::kFilesSharedFlag;
  put_(bytes_of(record));
  const auto [made, is_new] = threads_.try_emplace(child_id);
  made->second.process = process;
  if (is_new) made->second.is_newborn = true;  // Else it stopped before this was told.
}

/// A thread that executes takes the number of its process; all others are gone.
void Tracees::handle_exec(pid_t id) {
  std::uint64_t former = 0;
  ask_tracee(PTRACE_GETEVENTMSG, id, 0, &former);
  const auto former_id = static_cast<pid_t>(former);
  if (former_id == id) return;
  const auto executing = threads_.find(former_id);
  if (executing == threads_.end()) return;
  threads_.insert_or_assign(id, executing->second);
  threads_.erase(executing);
}

void Tracees::handle_signal(pid_t id, const Thread& thread, int signal) const {
  if (handles_signal(id, signal) || stops(signal)) {
    siginfo_t info{};
    wire::MomentRecord record = moment(wire::kSignalRecord, thread.process, id);
    record.head.number = static_cast<std::uint16_t>(signal);
    if (ask_tracee(PTRACE_GETSIGINFO, id, 0, &info) == 0) {
      record.code = info.si_code;
      if (info.si_code <= 0 || signal == SIGCHLD)
        record.other_process = static_cast<std::uint32_t>(info.si_pid);
    }
    put_(bytes_of(record));
  }
  resume(id, signal);
}

void Tracees::handle_stop(pid_t id, Thread& thread, int status) {
  const int signal = WSTOPSIG(status);
  const int event = status >> 16;
  const bool is_delivery = event == 0 && signal != kCallStop;
  if (lets_go_) {
    put_unfinished(id, thread);
    ask_tracee(PTRACE_DETACH, id, 0, static_cast<std::uint64_t>(is_delivery ? signal : 0));
    threads_.erase(id);
    return;
  }
  if (signal == kCallStop) return handle_call(id, thread);
  if (is_delivery) return handle_signal(id, thread, signal);
  if (event == PTRACE_EVENT_STOP && stops(signal)) {
    ask_tracee(PTRACE_LISTEN, id);
    return;
  }
  if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK || event == PTRACE_EVENT_CLONE) {
    handle_fork(id, thread);
  } else if (event == PTRACE_EVENT_EXEC) {
    handle_exec(id);
  } else if (event == PTRACE_EVENT_STOP && thread.resumes) {
    look_for_call(id, thread);
  }
  resume(id);
}

/// Whether it was in a call when it was found, and which. A call that had just returned left its number, but
/// no request to be restarted.
void Tracees::look_for_call(pid_t id, Thread& thread) {
  constexpr std::uint64_t kNone = ~std::uint64_t{0};
  constexpr std::int64_t kFirstRestart = 512;  // ERESTARTSYS
  constexpr std::int64_t kLastRestart = 516;   // ERESTART_RESTARTBLOCK
  user_regs_struct registers{};
  const bool is_known = ask_tracee(PTRACE_GETREGS, id, 0, &registers) == 0 && registers.orig_rax != kNone;
  const auto result = static_cast<std::int64_t>(registers.rax);
  thread.resumes = is_known && result <= -kFirstRestart && result >= -kLastRestart;
  thread.call.head.number = static_cast<std::uint16_t>(registers.orig_rax);
}

void Tracees::end(pid_t id, int status) {
  const auto gone = threads_.extract(id);
  if (gone.empty()) return;
  Thread thread = gone.mapped();
  put_unfinished(id, thread);
  wire::MomentRecord record = moment(wire::kExitRecord, thread.process, id);
  record.code = status;
  const auto is_of_it = [&](const auto& entry) { return entry.second.process == thread.process; };
  if (std::ranges::none_of(threads_, is_of_it)) record.head.flags = wire::kLastThreadFlag;
  put_(bytes_of(record));
}

void Tracees::handle(pid_t id, int status) {
  if (WIFEXITED(status) || WIFSIGNALED(status)) return end(id, status);
  if (!WIFSTOPPED(status)) return;
  const auto [thread, is_new] = threads_.try_emplace(id);
  if (is_new) {  // Its maker has yet to tell of it.
    thread->second.process = process_of_thread(id);
    thread->second.is_newborn = true;
  }
  handle_stop(id, thread->second, status);
}

int Tracees::seize(pid_t process, bool is_held) {
  namespace fs = std::filesystem;
  constexpr std::uint64_t kOptions = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                                     PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC;
  // Threads that are made meanwhile by threads not yet traced are found the next time.
  for (bool any = true; any;) {
    any = false;
    std::error_code error;
    for (fs::directory_iterator at(fmt::format("/proc/{}/task", process), error), last; !error && at != last;
         at.increment(error)) {
      const auto id = to_number<pid_t>(at->path().filename().native());
      if (!id || threads_.contains(*id)) continue;
      if (ask_tracee(PTRACE_SEIZE, *id, 0, kOptions) != 0) {
        const int error_number = errno;
        if (error_number == ESRCH || has_ended(*id)) continue;
        return error_number;
      }
      any = true;
      Thread& thread = threads_[*id];
      thread.process = process;
      thread.is_hidden = is_held;
      thread.resumes = true;
      ask_tracee(PTRACE_INTERRUPT, *id);
    }
  }
  return 0;
}

void Tracees::tell_open() const {
  std::set<pid_t> processes;
  for (const auto& [id, thread] : threads_) processes.insert(thread.process);
  for (const pid_t process : processes) {
    for (const int descriptor : open_descriptors(process)) describe(process, descriptor);
  }
}

void Tracees::tell_running(Duration running_after) {
  const std::uint64_t now = now_ns();
  for (auto& [id, thread] : threads_) {
    if (!thread.knows_call()) continue;
    const std::uint64_t took = now - std::min(now, thread.call.start_ns);
    const bool was_told = thread.told_sequence == thread.call.sequence && thread.told_ns != 0;
    const auto first = static_cast<std::uint64_t>(running_after.count());
    if (took < (was_told ? 2 * thread.told_ns : first)) continue;
    thread.told_sequence = thread.call.sequence;
    thread.told_ns = took;
    Thread mark = thread;
    mark.call.took_ns = took;
    mark.call.result = 0;
    put_call(id, mark, wire::kRunningRecord, 0);
  }
}

void Tracees::begin_to_let_go() {
  lets_go_ = true;
  for (const auto& [id, thread] : threads_) ask_tracee(PTRACE_INTERRUPT, id);
}

void Tracees::tell_unfinished() {
  for (auto& [id, thread] : threads_) put_unfinished(id, thread);
}

}  // namespace laggard::collect
