#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <vector>

namespace laggard::collect {

/// What a descriptor of another process stands for, as a wire::DescriptorRecord with its text: as the
/// kernel's side tells it (syscalls.bpf.c), but looked at from outside, which needs to be allowed to trace
/// the process. Its head's process and thread are `process`. Nothing when the descriptor is gone.
[[nodiscard]] std::optional<std::vector<std::byte>> describe_descriptor(pid_t process, int descriptor);

/// What a process has open now, in order.
[[nodiscard]] std::vector<int> open_descriptors(pid_t process);

}  // namespace laggard::collect
