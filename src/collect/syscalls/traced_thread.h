#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace laggard::collect {

// What a tracer asks of a thread that has stopped for it, or looks up about it in /proc.

/// ptrace(2), with an argument that is a number. \return as the kernel does: -1 with errno
long ask_tracee(int request, pid_t id, std::uint64_t address = 0, std::uint64_t data = 0);
/// The same with memory of ours that it fills.
long ask_tracee(int request, pid_t id, std::uint64_t address, void* data);

/// Of its memory as many bytes from `address` on as are there. \return how many
std::size_t read_tracee(pid_t id, std::uint64_t address, std::span<std::byte> to);
/// A text with its NUL, cut to as many bytes with it as `to` has; it may end right before what is not mapped.
/// \return how many bytes, 0 where there is no memory
std::size_t read_tracee_text(pid_t id, std::uint64_t address, std::span<char> to);

/// The process that a thread is of.
[[nodiscard]] pid_t process_of_thread(pid_t id);
/// Whether it has a handler for the signal.
[[nodiscard]] bool handles_signal(pid_t id, int signal);
/// Whether it is gone, but for somebody who has yet to wait for its end.
[[nodiscard]] bool has_ended(pid_t id);

}  // namespace laggard::collect
