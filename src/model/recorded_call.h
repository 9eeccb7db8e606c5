#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace laggard::detect {

/// What a system call does with what it is about.
enum class CallKind : std::uint8_t {
  kOther,
  kRead,   ///< Takes from a file or a connection.
  kWrite,  ///< Gives to it.
  kFile,   ///< Anything else that a file system has to answer: opens, names, attributes, fsync.
  kClose,
};

/// By the call's name, as strace has it. What may wait for other programs by its nature (locks, polls, pipes)
/// is kOther.
[[nodiscard]] CallKind call_kind(std::string_view name);

/// Whether an object, as descriptors are told (collect/syscalls/descriptor_text.h, `strace -yy`), is a path
/// that a file system keeps: not a socket, a pipe or the like, and nothing in /dev, /proc and /sys.
[[nodiscard]] bool is_stored_file(std::string_view object);

/// The address of the other end of a TCP connection, `TCP:[10.0.0.1:49152->10.0.0.9:1021]`, canonical;
/// nothing of other objects.
[[nodiscard]] std::optional<std::string> peer_address(std::string_view object);

/// Whether an error answers a question and is no failure: there is no such file, there is one already,
/// nothing is there to be read yet, it is not allowed.
[[nodiscard]] bool is_answer(std::string_view errno_name);

/// Whether an error says that who should answer is gone (S §7, methods.md §6).
[[nodiscard]] bool is_of_connection(std::string_view errno_name);

}  // namespace laggard::detect
