#include "collect/syscalls/record_decoder.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstring>
#include <string_view>
#include <utility>

#include "collect/syscalls/call_text.h"
#include "collect/syscalls/descriptor_text.h"
#include "collect/syscalls/syscall_table.h"

namespace laggard::collect {

namespace {

enum CallNumber : unsigned {
  kNumberClose = 3,
  kNumberExecve = 59,
  kNumberExit = 60,
  kNumberExitGroup = 231,
  kNumberExecveat = 322,
  kNumberIoUringSetup = 425,
  kNumberIoUringEnter = 426,
  kNumberCloseRange = 436,
};

constexpr std::uint64_t kCloseRangeCloseOnExec = 4;
constexpr std::string_view kBegunBefore = "/* begun before the recording */";

/// Reads the struct with which a record begins; false when the record is shorter.
template <typename Struct>
bool read_struct(std::span<const std::byte> record, Struct& value) {
  if (record.size() < sizeof value) return false;
  std::memcpy(&value, record.data(), sizeof value);
  return true;
}

/// What stands behind it.
template <typename Struct>
std::string_view text_of(std::span<const std::byte> record) {
  const auto rest = record.subspan(sizeof(Struct));
  return {reinterpret_cast<const char*>(rest.data()), rest.size()};
}

/// The text up to its NUL. Nothing was read when there is none, which is no empty path.
std::string_view path_at(std::string_view texts, std::size_t at) {
  if (at >= texts.size()) return {};
  const std::string_view text = texts.substr(at);
  return text.substr(0, text.find('\0'));
}

}  // namespace

WallTime RecordDecoder::wall(std::uint64_t mono_ns) const {
  return from_unix_ns(static_cast<std::int64_t>(mono_ns)) + offset_;
}

bool RecordDecoder::takes_newcomers() { return std::exchange(has_newcomers_, false); }

const SyscallEvent* RecordDecoder::damaged_record() {
  ++damaged_;
  return nullptr;
}

/// What the first argument is, if it is a descriptor, or what the result is.
const DescriptorTables::Descriptor* RecordDecoder::descriptor_of(const wire::CallRecord& call,
                                                                 const SyscallSpec& spec) {
  const auto known = [&](std::int64_t number) {
    const auto* const one = descriptors_.descriptor(call.head.process, number);
    return one == nullptr || one->text.empty() ? nullptr : one;
  };
  if (spec.arguments.starts_with('f')) {
    const auto* const first = known(static_cast<std::int32_t>(call.arguments[0]));
    if (first != nullptr) return first;
  }
  const bool makes_one = spec.effect == wire::kMakesResult && call.head.kind == wire::kCallRecord;
  return makes_one ? known(call.result) : nullptr;
}

/// A descriptor, or the path that is named: as an import of strace's text has it.
void RecordDecoder::tell_object(const wire::CallRecord& call, const SyscallSpec& spec,
                                std::string_view path) {
  const auto* const descriptor = descriptor_of(call, spec);
  object_ = descriptor == nullptr ? path : descriptor->text;
  event_.object = object_;
  event_.is_direct = descriptor != nullptr && descriptor->is_direct;
}

void RecordDecoder::tell_texts(const wire::CallRecord& call, const SyscallSpec* spec,
                               std::string_view texts) {
  const auto* const known = spec == nullptr ? nullptr : shapes_.find(call, *spec, descriptors_);
  if (known != nullptr) {
    event_.arguments = known->arguments;
    event_.values = shapes_.values();
    event_.object = known->object;
    event_.is_direct = known->is_direct;
    event_.shape = known->id;
    return;
  }
  const CallPaths paths{path_at(texts, 0), path_at(texts, wire::kPathBytes)};
  call_arguments_.set(call, spec, paths, descriptors_);
  event_.arguments = call_arguments_.text();
  event_.values = call_arguments_.values();
  if (spec == nullptr) return;
  tell_object(call, *spec, paths[0]);
  if (!call_arguments_.has_places()) return;
  event_.shape = shapes_.keep(event_.arguments, event_.object, event_.is_direct);
}

void RecordDecoder::tell_result(const wire::CallRecord& call, const SyscallSpec* spec) {
  event_.plain_result = plain_result(call, spec);
  if (event_.plain_result) return;
  result_.clear();
  add_result(call, spec, descriptors_, result_);
  event_.result = result_;
}

/// What a call that returned did to descriptors, other than to make them.
void RecordDecoder::follow(const wire::CallRecord& call) {
  const std::uint32_t process = call.head.process;
  switch (call.head.number) {
    case kNumberClose: {
      // It is closed whatever close returns, but for EBADF.
      const auto descriptor = static_cast<std::int32_t>(call.arguments[0]);
      descriptors_.close(process, descriptor, descriptor, call.start_ns);
      return;
    }
    case kNumberCloseRange: {
      if (call.result != 0) return;
      const auto first = static_cast<std::int64_t>(call.arguments[0] & UINT32_MAX);
      const auto last = static_cast<std::int64_t>(call.arguments[1] & UINT32_MAX);
      if ((call.arguments[2] & kCloseRangeCloseOnExec) != 0) {
        descriptors_.set_close_on_exec(process, first, last);
      } else {
        descriptors_.close(process, first, last, call.start_ns);
      }
      return;
    }
    case kNumberExecve:
    case kNumberExecveat:
      if (call.result == 0) descriptors_.execute(process);
      return;
    case kNumberIoUringSetup:
    case kNumberIoUringEnter:
      uses_io_uring_ = true;
      return;
    default:
      return;
  }
}

void RecordDecoder::tell_call(const wire::CallRecord& call, std::string_view texts) {
  const bool is_compat = (call.head.flags & wire::kCompatFlag) != 0;
  const SyscallSpec* const spec = is_compat ? nullptr : find_syscall(call.head.number);
  event_.time = wall(call.start_ns);
  event_.lwp = call.head.thread;
  if (spec == nullptr) {
    name_ = fmt::format("{}{}", is_compat ? "compat_" : "syscall_", call.head.number);
    event_.name = name_;
  } else {
    event_.name = spec->name;
  }
  if (call.head.kind == wire::kResumedRecord) {
    event_.arguments = kBegunBefore;
    return tell_result(call, spec);
  }
  tell_texts(call, spec, texts);
  event_.sequence = call.sequence;
  if (call.head.kind == wire::kUnfinishedRecord) {
    const bool never_returns = call.head.number == kNumberExit || call.head.number == kNumberExitGroup;
    event_.end = SyscallEnd::kUnfinished;
    event_.result = never_returns ? "?" : "";
    return;
  }
  event_.took = Duration{static_cast<std::int64_t>(call.took_ns)};
  if (call.head.kind == wire::kRunningRecord) {
    event_.end = SyscallEnd::kRunning;
    event_.time += *event_.took;
    return;
  }
  tell_result(call, spec);
  if (!is_compat) follow(call);
}

void RecordDecoder::tell_signal(const wire::MomentRecord& moment) {
  name_ = signal_text(moment.head.number);
  arguments_ = signal_details(moment);
  event_.time = wall(moment.time_ns);
  event_.lwp = moment.head.thread;
  event_.name = name_;
  event_.arguments = arguments_;
  event_.end = SyscallEnd::kSignal;
}

void RecordDecoder::tell_exit(const wire::MomentRecord& moment) {
  const bool was_killed = WIFSIGNALED(moment.code);
  arguments_ = was_killed ? fmt::format("by {}{}", signal_text(WTERMSIG(moment.code)),
                                        WCOREDUMP(moment.code) ? " (core dumped)" : "")
                          : fmt::format("with {}", WEXITSTATUS(moment.code));
  if ((moment.head.flags & wire::kLastThreadFlag) != 0) descriptors_.end(moment.head.process);
  event_.time = wall(moment.time_ns);
  event_.lwp = moment.head.thread;
  event_.name = was_killed ? "killed" : "exited";
  event_.arguments = arguments_;
  event_.end = SyscallEnd::kExit;
}

void RecordDecoder::describe(const wire::DescriptorRecord& record, std::string_view text) {
  std::string what = descriptor_text(record, text);
  if (what == "anon_inode:[io_uring]") uses_io_uring_ = true;
  descriptors_.set(record.head.process, record.descriptor,
                   {.text = std::move(what),
                    .since_ns = record.time_ns,
                    .closes_on_exec = (record.head.flags & wire::kCloseOnExecFlag) != 0,
                    .is_direct = (record.head.flags & wire::kDirectFlag) != 0});
}

const SyscallEvent* RecordDecoder::decode(std::span<const std::byte> record) {
  wire::RecordHead head{};
  if (!read_struct(record, head) || head.bytes != record.size()) return damaged_record();
  event_ = {};
  switch (head.kind) {
    case wire::kCallRecord:
    case wire::kResumedRecord:
    case wire::kUnfinishedRecord:
    case wire::kRunningRecord: {
      wire::CallRecord call{};
      // Longer than ever since 1970 is damage, and would be no time.
      if (!read_struct(record, call) || call.start_ns > INT64_MAX / 4 || call.took_ns > INT64_MAX / 4) {
        return damaged_record();
      }
      tell_call(call, text_of<wire::CallRecord>(record));
      return &event_;
    }
    case wire::kDescriptorRecord: {
      wire::DescriptorRecord descriptor{};
      if (!read_struct(record, descriptor)) return damaged_record();
      describe(descriptor, text_of<wire::DescriptorRecord>(record));
      return nullptr;
    }
    default:
      return decode_moment(record);
  }
}

const SyscallEvent* RecordDecoder::decode_moment(std::span<const std::byte> record) {
  wire::MomentRecord moment{};
  if (!read_struct(record, moment)) return damaged_record();
  switch (moment.head.kind) {
    case wire::kSignalRecord:
    case wire::kExitRecord:
      if (moment.time_ns > INT64_MAX / 4) return damaged_record();
      if (moment.head.kind == wire::kSignalRecord) {
        tell_signal(moment);
      } else {
        tell_exit(moment);
      }
      return &event_;
    case wire::kForkRecord:
      descriptors_.fork(moment.head.process, moment.other_process,
                        (moment.head.flags & wire::kFilesSharedFlag) != 0);
      return nullptr;
    case wire::kJoinRecord:
      has_newcomers_ = true;
      return nullptr;
    default:
      return damaged_record();
  }
}

}  // namespace laggard::collect
