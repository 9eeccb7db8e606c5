#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "wire/syscall_record.h"

namespace laggard::collect {

/// The descriptors that stand for something else since a call of a thread that has stopped for us returned:
/// those that it made, of recvmsg and recvmmsg all that the messages brought, and those that it changed
/// (SyscallSpec::effect).
[[nodiscard]] std::vector<std::int64_t> changed_descriptors(pid_t id, const wire::CallRecord& call);

}  // namespace laggard::collect
