#include "collect/syscalls/call_text.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <csignal>
#include <cstring>
#include <utility>
#include <vector>

namespace laggard::collect {

namespace {

using FlagName = std::pair<std::uint64_t, std::string_view>;

void add_decimal(std::int64_t value, std::string& text) {
  add_number(static_cast<std::uint64_t>(value), kSignedPlace, text);
}

void add_mode(std::uint64_t mode, std::string& text) { text += fmt::format("{:#o}", mode); }

void add_quoted(std::string_view path, std::string& text) {
  text += '"';
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (byte < ' ' || byte >= 0x7f) {
      text += fmt::format("\\{:03o}", byte);
    } else {
      text += c;
    }
  }
  text += '"';
}

void add_path(std::string_view path, std::string& text) {
  add_quoted(path, text);
  if (path.size() + 1 >= wire::kPathBytes) text += "...";
}

void add_open_flags(std::uint64_t flags, std::string& text) {
  static constexpr std::array<std::string_view, 4> kAccess{"O_RDONLY", "O_WRONLY", "O_RDWR", "O_ACCMODE"};
  // Those that include others come first.
  static constexpr std::array<FlagName, 17> kFlags{{{O_TMPFILE, "O_TMPFILE"},
                                                    {O_SYNC, "O_SYNC"},
                                                    {O_CREAT, "O_CREAT"},
                                                    {O_EXCL, "O_EXCL"},
                                                    {O_NOCTTY, "O_NOCTTY"},
                                                    {O_TRUNC, "O_TRUNC"},
                                                    {O_APPEND, "O_APPEND"},
                                                    {O_NONBLOCK, "O_NONBLOCK"},
                                                    {O_DSYNC, "O_DSYNC"},
                                                    {O_ASYNC, "O_ASYNC"},
                                                    {O_DIRECT, "O_DIRECT"},
                                                    {0100000, "O_LARGEFILE"},
                                                    {O_DIRECTORY, "O_DIRECTORY"},
                                                    {O_NOFOLLOW, "O_NOFOLLOW"},
                                                    {O_NOATIME, "O_NOATIME"},
                                                    {O_CLOEXEC, "O_CLOEXEC"},
                                                    {O_PATH, "O_PATH"}}};
  text += kAccess.at(flags & O_ACCMODE);
  flags &= ~static_cast<std::uint64_t>(O_ACCMODE);
  for (const auto& [bits, name] : kFlags) {
    if ((flags & bits) != bits) continue;
    text.append("|").append(name);
    flags &= ~bits;
  }
  if (flags == 0) return;
  text += '|';
  add_number(flags, kHexPlace, text);
}

void add_descriptor(std::int64_t descriptor, std::string_view object, std::string& text) {
  add_decimal(descriptor, text);
  if (!object.empty()) text.append("<").append(object).append(">");
}

/// Whether the argument behind the flags of open is none.
bool makes_no_file(const SyscallSpec& spec, const wire::CallRecord& call, std::size_t argument) {
  if (spec.arguments[argument] != 'o' || argument == 0 || spec.arguments[argument - 1] != 'O') return false;
  const std::uint64_t flags = call.arguments[argument - 1];
  return (flags & O_CREAT) == 0 && (flags & O_TMPFILE) != O_TMPFILE;
}

/// `ENOENT (No such file or directory)` of each number; `-1 ` or `? ` is in front.
std::string error_text(int number) {
  constexpr int kRestart = 512;
  static constexpr std::array<std::string_view, 5> kRestarts{
      "? ERESTARTSYS (To be restarted if SA_RESTART is set)", "? ERESTARTNOINTR (To be restarted)",
      "? ERESTARTNOHAND (To be restarted if no handler)", "? ENOIOCTLCMD (No ioctl command)",
      "? ERESTART_RESTARTBLOCK (Interrupted by signal)"};
  if (number >= kRestart && number < kRestart + static_cast<int>(kRestarts.size()))
    return std::string(kRestarts.at(static_cast<std::size_t>(number - kRestart)));
  const char* name = ::strerrorname_np(number);
  const char* said = ::strerrordesc_np(number);
  if (name == nullptr || said == nullptr) return fmt::format("-1 E{} (Unknown error {})", number, number);
  return fmt::format("-1 {} ({})", name, said);
}

constexpr std::int64_t kLargestErrno = 4095;

const std::string& text_of_errno(std::int64_t number) {
  static const std::vector<std::string> texts = [] {
    std::vector<std::string> all;
    all.reserve(kLargestErrno + 1);
    for (int n = 0; n <= kLargestErrno; ++n) all.push_back(error_text(n));
    return all;
  }();
  return texts[static_cast<std::size_t>(number)];
}

std::string code_text(int signal, int code) {
  static constexpr std::array<std::string_view, 7> kSenders{"SI_USER",    "SI_QUEUE", "SI_TIMER", "SI_MESGQ",
                                                            "SI_ASYNCIO", "SI_SIGIO", "SI_TKILL"};
  static constexpr std::array<std::string_view, 7> kChildren{
      "", "CLD_EXITED", "CLD_KILLED", "CLD_DUMPED", "CLD_TRAPPED", "CLD_STOPPED", "CLD_CONTINUED"};
  constexpr int kKernel = 0x80;
  if (code == kKernel) return "SI_KERNEL";
  // Whoever sends a signal may choose any code, the least of all numbers too.
  if (code <= 0 && code > -static_cast<int>(kSenders.size()))
    return std::string(kSenders.at(static_cast<std::size_t>(-code)));
  if (signal == SIGCHLD && code > 0 && code < static_cast<int>(kChildren.size()))
    return std::string(kChildren.at(static_cast<std::size_t>(code)));
  if (signal == SIGSEGV && code == SEGV_MAPERR) return "SEGV_MAPERR";
  if (signal == SIGSEGV && code == SEGV_ACCERR) return "SEGV_ACCERR";
  return std::to_string(code);
}

}  // namespace

void ArgumentText::write_number(std::uint64_t value, std::string_view place) {
  if (!has_places_) return add_number(value, place, text_);
  text_ += place;
  values_.at(count_++) = value;
}

void ArgumentText::write(char letter, std::uint64_t value) {
  const auto number = static_cast<std::int32_t>(value);
  switch (letter) {
    case 'p':
      if (value != 0) return write_number(value, kHexPlace);
      text_ += "NULL";
      return;
    case 'i':
      if (is_in_text(number)) return add_decimal(number, text_);
      return write_number(static_cast<std::uint64_t>(std::int64_t{number}), kSignedPlace);
    case 'l':
      return write_number(value, kSignedPlace);
    case 'u':
      return write_number(value, kUnsignedPlace);
    case 'o':
      return add_mode(value & 07777, text_);
    case 'O':
      return add_open_flags(value & UINT32_MAX, text_);
    case 'S':
      text_ += signal_text(number);
      return;
    default:
      return write_number(value, kHexPlace);
  }
}

void ArgumentText::write_all(const wire::CallRecord& call, const SyscallSpec& spec, const CallPaths& paths,
                             DescriptorTables& descriptors) {
  text_.clear();
  count_ = 0;
  std::size_t path = 0;
  for (std::size_t i = 0; i < spec.arguments.size(); ++i) {
    if (makes_no_file(spec, call, i)) continue;
    if (i > 0) text_ += ", ";
    const char letter = spec.arguments[i];
    const std::uint64_t value = call.arguments[i];
    const auto descriptor = static_cast<std::int32_t>(value);
    if (letter == 's') {
      const std::string_view known = path < paths.size() ? paths.at(path) : std::string_view();
      ++path;
      if (known.data() == nullptr || value == 0) {
        write('p', value);
      } else {
        add_path(known, text_);
      }
    } else if (letter == 'D' && descriptor == AT_FDCWD) {
      text_ += "AT_FDCWD";
    } else if (letter == 'f' || letter == 'D') {
      add_descriptor(descriptor, descriptors.text(call.head.process, descriptor), text_);
    } else {
      write(letter, value);
    }
  }
}

void ArgumentText::set(const wire::CallRecord& call, const SyscallSpec* spec, const CallPaths& paths,
                       DescriptorTables& descriptors) {
  static constexpr SyscallSpec kUnknown{.name = {}, .arguments = "xxxxxx"};
  const SyscallSpec& known = spec == nullptr ? kUnknown : *spec;
  has_places_ = true;
  write_all(call, known, paths, descriptors);
  if (argument_places(text_) == count_) return;
  // The name of a file reads like a place.
  has_places_ = false;
  write_all(call, known, paths, descriptors);
}

std::optional<std::int64_t> plain_result(const wire::CallRecord& call, const SyscallSpec* spec) {
  const bool is_error = call.result < 0 && call.result >= -kLargestErrno;
  const bool is_more = spec != nullptr && (spec->returns_pointer || spec->effect == wire::kMakesResult);
  return is_error || is_more ? std::nullopt : std::optional(call.result);
}

void add_result(const wire::CallRecord& call, const SyscallSpec* spec, DescriptorTables& descriptors,
                std::string& text) {
  const std::int64_t result = call.result;
  if (result < 0 && result >= -kLargestErrno) {
    text += text_of_errno(-result);
  } else if (spec != nullptr && spec->returns_pointer) {
    add_number(static_cast<std::uint64_t>(result), kHexPlace, text);
  } else if (spec != nullptr && spec->effect == wire::kMakesResult) {
    add_descriptor(result, descriptors.text(call.head.process, result), text);
  } else {
    add_decimal(result, text);
  }
}

std::string signal_text(int number) {
  constexpr int kFirstRealTime = 32;
  if (const char* name = ::sigabbrev_np(number)) return fmt::format("SIG{}", name);
  return number >= kFirstRealTime ? fmt::format("SIGRT_{}", number - kFirstRealTime) : std::to_string(number);
}

std::string signal_details(const wire::MomentRecord& signal) {
  const int number = signal.head.number;
  const std::string sender =
      signal.other_process == 0 ? "" : fmt::format(", si_pid={}", signal.other_process);
  return fmt::format("{{si_signo={}, si_code={}{}}}", signal_text(number), code_text(number, signal.code),
                     sender);
}

}  // namespace laggard::collect
