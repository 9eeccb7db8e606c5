#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "collect/syscalls/descriptor_tables.h"
#include "collect/syscalls/syscall_table.h"
#include "wire/syscall_record.h"

namespace laggard::collect {

/// The paths that a call names, in the order of its arguments; a null pointer where it could not be read.
using CallPaths = std::array<std::string_view, 2>;

/// Adds the arguments of a call as strace writes them: descriptors with what they stand for, paths in quotes,
/// flags of open and AT_FDCWD by name. Other memory that an argument points to was not read and is an
/// address, other bits are hexadecimal.
/// \param spec  null: all six in hexadecimal.
void add_arguments(const wire::CallRecord& call, const SyscallSpec* spec, const CallPaths& paths,
                   DescriptorTables& descriptors, std::string& text);

/// Adds the result of a call: a number, `3</etc/passwd>`, an address, `-1 ENOENT (No such file or
/// directory)`, or `? ERESTARTSYS (...)`.
void add_result(const wire::CallRecord& call, const SyscallSpec* spec, DescriptorTables& descriptors,
                std::string& text);

/// The name of a signal: `SIGTERM`, `SIGRT_3`.
[[nodiscard]] std::string signal_text(int number);

/// What is said of a signal that was delivered: `{si_signo=SIGTERM, si_code=SI_USER, si_pid=17}`.
[[nodiscard]] std::string signal_details(const wire::MomentRecord& signal);

}  // namespace laggard::collect
