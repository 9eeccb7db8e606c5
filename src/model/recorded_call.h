#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "model/address.h"

namespace laggard {

/// What a system call does with the file or connection that it is about.
enum class CallKind : std::uint8_t {
  kOther,
  kRead,     ///< Takes from a file or a connection.
  kReceive,  ///< Takes from a connection.
  kWrite,    ///< Gives to a file or a connection.
  kSend,     ///< Gives to a connection.
  kOpen,
  kFile,   ///< Anything else that a file system has to answer: names, attributes, fsync.
  kClose,  ///< Of a descriptor or a connection.
};

/// By the call's name, as strace has it. What may wait for other programs by its nature (locks, polls, pipes)
/// is kOther.
[[nodiscard]] CallKind call_kind(std::string_view name);

/// Errors of calls that did nothing: a read that found no data, or a call that was interrupted and is made
/// again.
inline constexpr std::array<std::string_view, 6> kNothingDone{
    "EAGAIN", "EINTR", "ERESTARTSYS", "ERESTARTNOINTR", "ERESTARTNOHAND", "ERESTART_RESTARTBLOCK"};

/// Whether an object, as descriptors are told (collect/syscalls/descriptor_text.h, `strace -yy`), is a path
/// that a file system keeps: not a socket, a pipe or the like, and nothing in /dev, /proc and /sys.
[[nodiscard]] bool is_stored_file(std::string_view object);

/// A TCP connection as the object of a call.
struct TcpObject {
  std::string_view local;  ///< `10.0.0.1:49152`
  std::string_view peer;
  SocketEnds addresses;
};

/// Reads `TCP:[10.0.0.1:49152->10.0.0.9:1021]` and `TCPv6:[[::1]:1->[::1]:2]`; nothing of other objects, such
/// as sockets that are not connected. Its texts are those of `object`.
[[nodiscard]] std::optional<TcpObject> tcp_object(std::string_view object);

}  // namespace laggard
