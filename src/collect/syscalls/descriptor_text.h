#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "wire/syscall_record.h"

namespace laggard::collect {

/// Of pipes, as DescriptorRecord::magic. Older headers lack it.
inline constexpr std::uint32_t kPipeMagic = 0x50495045;

/// What a descriptor stands for, as `strace -yy` writes it: `/etc/passwd`, `pipe:[4711]`,
/// `TCP:[10.0.0.1:4711->10.0.0.2:80]`, `anon_inode:[eventpoll]`.
/// \param text  what stands behind the record.
[[nodiscard]] std::string descriptor_text(const wire::DescriptorRecord& record, std::string_view text);

}  // namespace laggard::collect
