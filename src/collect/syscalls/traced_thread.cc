#include "collect/syscalls/traced_thread.h"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/text.h"

namespace laggard::collect {

namespace {

/// What a line of /proc/ID/status says; empty when there is none.
std::string status_of(pid_t id, std::string_view key) {
  const auto text = read_file(fmt::format("/proc/{}/status", id));
  if (!text) return {};
  for (const std::string_view line : split(*text, '\n')) {
    if (line.starts_with(key)) return std::string(trim(line.substr(key.size())));
  }
  return {};
}

}  // namespace

long ask_tracee(int request, pid_t id, std::uint64_t address, std::uint64_t data) {
  return ::syscall(SYS_ptrace, request, id, address, data);
}

long ask_tracee(int request, pid_t id, std::uint64_t address, void* data) {
  return ::syscall(SYS_ptrace, request, id, address, data);
}

std::size_t read_tracee(pid_t id, std::uint64_t address, std::span<std::byte> to) {
  iovec own{to.data(), to.size()};
  iovec other{reinterpret_cast<void*>(address), to.size()};  // NOLINT: an address of another process.
  const ssize_t read = ::process_vm_readv(id, &own, 1, &other, 1, 0);
  return read < 0 ? 0 : static_cast<std::size_t>(read);
}

std::size_t read_tracee_text(pid_t id, std::uint64_t address, std::span<char> to) {
  constexpr std::uint64_t kPage = 4096;
  std::size_t got = 0;
  while (got < to.size()) {
    const std::size_t left_of_page = kPage - (address + got) % kPage;
    const std::span<char> into = to.subspan(got).first(std::min(to.size() - got, left_of_page));
    const std::size_t read = read_tracee(id, address + got, std::as_writable_bytes(into));
    if (read == 0) break;
    const void* const end = std::memchr(into.data(), 0, read);
    if (end != nullptr) return static_cast<std::size_t>(static_cast<const char*>(end) - to.data()) + 1;
    got += read;
  }
  if (got == 0) return 0;
  to[std::min(got, to.size() - 1)] = '\0';
  return std::min(got + 1, to.size());
}

pid_t process_of_thread(pid_t id) { return to_number<pid_t>(status_of(id, "Tgid:")).value_or(id); }

bool handles_signal(pid_t id, int signal) {
  constexpr int kHexadecimal = 16;
  const auto mask = std::strtoull(status_of(id, "SigCgt:").c_str(), nullptr, kHexadecimal);
  return (mask >> static_cast<unsigned>(signal - 1) & 1U) != 0;
}

bool has_ended(pid_t id) {
  const std::string state = status_of(id, "State:");
  return state.empty() || state.front() == 'Z' || state.front() == 'X';
}

}  // namespace laggard::collect
