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

/// The struct with which a record begins; nothing when the record is shorter.
template <typename Struct>
std::optional<Struct> struct_of(std::span<const std::byte> record) {
  if (record.size() < sizeof(Struct)) return std::nullopt;
  Struct value;
  std::memcpy(&value, record.data(), sizeof value);
  return value;
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

std::optional<SyscallEvent> RecordDecoder::damaged_record() {
  ++damaged_;
  return std::nullopt;
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
void RecordDecoder::tell_object(const wire::CallRecord& call, const SyscallSpec& spec, std::string_view path,
                                SyscallEvent& event) {
  const auto* const descriptor = descriptor_of(call, spec);
  object_ = descriptor == nullptr ? path : descriptor->text;
  event.object = object_;
  event.is_direct = descriptor != nullptr && descriptor->is_direct;
}

void RecordDecoder::tell_texts(const wire::CallRecord& call, const SyscallSpec* spec, std::string_view texts,
                               SyscallEvent& event) {
  const auto* const known = spec == nullptr ? nullptr : shapes_.find(call, *spec, descriptors_);
  if (known != nullptr) {
    event.arguments = known->arguments;
    event.values = shapes_.values();
    event.object = known->object;
    event.is_direct = known->is_direct;
    event.shape = known->id;
    return;
  }
  const CallPaths paths{path_at(texts, 0), path_at(texts, wire::kPathBytes)};
  call_arguments_.set(call, spec, paths, descriptors_);
  event.arguments = call_arguments_.text();
  event.values = call_arguments_.values();
  if (spec == nullptr) return;
  tell_object(call, *spec, paths[0], event);
  if (call_arguments_.has_places())
    event.shape = shapes_.keep(event.arguments, event.object, event.is_direct);
}

void RecordDecoder::tell_result(const wire::CallRecord& call, const SyscallSpec* spec, SyscallEvent& event) {
  event.returned = plain_result(call, spec);
  if (event.returned) return;
  result_.clear();
  add_result(call, spec, descriptors_, result_);
  event.result = result_;
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

SyscallEvent RecordDecoder::call_of(const wire::CallRecord& call, std::string_view texts) {
  const bool is_compat = (call.head.flags & wire::kCompatFlag) != 0;
  const SyscallSpec* const spec = is_compat ? nullptr : find_syscall(call.head.number);
  SyscallEvent event{.time = wall(call.start_ns),
                     .took = std::nullopt,
                     .lwp = call.head.thread,
                     .name = {},
                     .arguments = {},
                     .result = {},
                     .object = {}};
  if (spec == nullptr) {
    name_ = fmt::format("{}{}", is_compat ? "compat_" : "syscall_", call.head.number);
    event.name = name_;
  } else {
    event.name = spec->name;
  }
  if (call.head.kind == wire::kResumedRecord) {
    event.arguments = kBegunBefore;
    tell_result(call, spec, event);
    return event;
  }
  tell_texts(call, spec, texts, event);
  event.sequence = call.sequence;
  if (call.head.kind == wire::kUnfinishedRecord) {
    const bool never_returns = call.head.number == kNumberExit || call.head.number == kNumberExitGroup;
    event.end = SyscallEnd::kUnfinished;
    event.result = never_returns ? "?" : "";
    return event;
  }
  event.took = Duration{static_cast<std::int64_t>(call.took_ns)};
  if (call.head.kind == wire::kRunningRecord) {
    event.end = SyscallEnd::kRunning;
    event.time += *event.took;
    return event;
  }
  tell_result(call, spec, event);
  if (!is_compat) follow(call);
  return event;
}

SyscallEvent RecordDecoder::signal_of(const wire::MomentRecord& moment) {
  name_ = signal_text(moment.head.number);
  arguments_ = signal_details(moment);
  return {.time = wall(moment.time_ns),
          .took = std::nullopt,
          .lwp = moment.head.thread,
          .name = name_,
          .arguments = arguments_,
          .result = {},
          .object = {},
          .end = SyscallEnd::kSignal};
}

SyscallEvent RecordDecoder::exit_of(const wire::MomentRecord& moment) {
  const bool was_killed = WIFSIGNALED(moment.code);
  arguments_ = was_killed ? fmt::format("by {}{}", signal_text(WTERMSIG(moment.code)),
                                        WCOREDUMP(moment.code) ? " (core dumped)" : "")
                          : fmt::format("with {}", WEXITSTATUS(moment.code));
  if ((moment.head.flags & wire::kLastThreadFlag) != 0) descriptors_.end(moment.head.process);
  return {.time = wall(moment.time_ns),
          .took = std::nullopt,
          .lwp = moment.head.thread,
          .name = was_killed ? "killed" : "exited",
          .arguments = arguments_,
          .result = {},
          .object = {},
          .end = SyscallEnd::kExit};
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

std::optional<SyscallEvent> RecordDecoder::decode(std::span<const std::byte> record) {
  const auto head = struct_of<wire::RecordHead>(record);
  if (!head || head->bytes != record.size()) return damaged_record();
  switch (head->kind) {
    case wire::kCallRecord:
    case wire::kResumedRecord:
    case wire::kUnfinishedRecord:
    case wire::kRunningRecord: {
      const auto call = struct_of<wire::CallRecord>(record);
      // Longer than ever since 1970 is damage, and would be no time.
      if (!call || call->start_ns > INT64_MAX / 4 || call->took_ns > INT64_MAX / 4) return damaged_record();
      return call_of(*call, text_of<wire::CallRecord>(record));
    }
    case wire::kSignalRecord:
    case wire::kExitRecord: {
      const auto moment = struct_of<wire::MomentRecord>(record);
      if (!moment || moment->time_ns > INT64_MAX / 4) return damaged_record();
      return head->kind == wire::kSignalRecord ? signal_of(*moment) : exit_of(*moment);
    }
    case wire::kForkRecord: {
      const auto moment = struct_of<wire::MomentRecord>(record);
      if (!moment) return damaged_record();
      descriptors_.fork(head->process, moment->other_process, (head->flags & wire::kFilesSharedFlag) != 0);
      return std::nullopt;
    }
    case wire::kJoinRecord:
      has_newcomers_ = true;
      return std::nullopt;
    case wire::kDescriptorRecord: {
      const auto descriptor = struct_of<wire::DescriptorRecord>(record);
      if (!descriptor) return damaged_record();
      describe(*descriptor, text_of<wire::DescriptorRecord>(record));
      return std::nullopt;
    }
    default:
      return damaged_record();
  }
}

}  // namespace laggard::collect
