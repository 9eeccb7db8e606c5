#pragma once

#include <cstdint>
#include <string_view>

#include "wire/syscall_record.h"

namespace laggard::collect {

/// What is known of a system call by its number.
struct SyscallSpec {
  std::string_view name;
  std::string_view arguments;  ///< A letter each, see the table.
  wire::DescriptorEffect effect = wire::kNoEffect;
  std::uint8_t paths = 0;  ///< A bit for each argument that is a path.
  bool returns_pointer = false;
};

/// Of x86-64. Null for a number that is no call, or a call of a kernel later than 6.18.
[[nodiscard]] const SyscallSpec* find_syscall(unsigned number);

}  // namespace laggard::collect
