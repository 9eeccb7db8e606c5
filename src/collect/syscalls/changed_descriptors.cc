#include "collect/syscalls/changed_descriptors.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>

#include "collect/syscalls/syscall_table.h"
#include "collect/syscalls/traced_thread.h"

namespace laggard::collect {

namespace {

using Descriptors = std::vector<std::int64_t>;

Descriptors pair_at(pid_t id, std::uint64_t address) {
  std::array<std::int32_t, 2> pair{};
  if (read_tracee(id, address, std::as_writable_bytes(std::span(pair))) != sizeof pair) return {};
  return {pair.begin(), pair.end()};
}

/// Of all control messages.
Descriptors received_at(pid_t id, std::uint64_t message) {
  msghdr head{};
  const auto bytes_of_head = std::as_writable_bytes(std::span(&head, 1));
  if (read_tracee(id, message, bytes_of_head) != sizeof head || head.msg_control == nullptr) return {};
  constexpr std::size_t kMost = std::size_t{1} << 16;
  std::vector<std::byte> control(std::min<std::size_t>(head.msg_controllen, kMost));
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): an address of another process.
  head.msg_controllen = read_tracee(id, reinterpret_cast<std::uint64_t>(head.msg_control), control);
  head.msg_control = control.data();
  Descriptors all;
  for (cmsghdr* part = CMSG_FIRSTHDR(&head); part != nullptr; part = CMSG_NXTHDR(&head, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    for (std::size_t at = CMSG_LEN(0); at + sizeof(int) <= part->cmsg_len; at += sizeof(int)) {
      int descriptor = -1;
      std::memcpy(&descriptor, CMSG_DATA(part) + (at - CMSG_LEN(0)), sizeof descriptor);
      all.push_back(descriptor);
    }
  }
  return all;
}

/// Of all messages of recvmmsg, whose result is their number.
Descriptors received_by(pid_t id, const wire::CallRecord& call) {
  Descriptors all;
  for (std::int64_t i = 0; i < call.result; ++i) {
    const Descriptors some =
        received_at(id, call.arguments[1] + static_cast<std::uint64_t>(i) * sizeof(mmsghdr));
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

/// By the command of fcntl or ioctl.
Descriptors commanded(const wire::CallRecord& call) {
  switch (static_cast<std::uint32_t>(call.arguments[1])) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
      return {call.result};
    case F_SETFD:
    case F_SETFL:
    case FIOCLEX:
    case FIONCLEX:
      return {static_cast<std::int32_t>(call.arguments[0])};
    default:
      return {};
  }
}

}  // namespace

std::vector<std::int64_t> changed_descriptors(pid_t id, const wire::CallRecord& call) {
  const SyscallSpec* const spec = find_syscall(call.head.number);
  const wire::DescriptorEffect effect = spec == nullptr ? wire::kNoEffect : spec->effect;
  if (call.result < 0 && effect != wire::kChangesFirst) return {};
  switch (effect) {
    case wire::kMakesResult:
      return {call.result};
    case wire::kMakesPairAt0:
      return pair_at(id, call.arguments[0]);
    case wire::kMakesPairAt3:
      return pair_at(id, call.arguments[3]);
    case wire::kChangesFirst:
      return {static_cast<std::int32_t>(call.arguments[0])};
    case wire::kFcntl:
      return commanded(call);
    case wire::kReceives:
      return received_at(id, call.arguments[1]);
    case wire::kReceivesMany:
      return received_by(id, call);
    case wire::kNoEffect:
      break;
  }
  return {};
}

}  // namespace laggard::collect
