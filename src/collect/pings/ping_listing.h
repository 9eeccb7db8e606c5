#pragma once

#include <string>

#include "base/error.h"
#include "base/time.h"
#include "collect/pings/ping_backend.h"

namespace laggard::collect {

/// The targets of a mounted file system, found by a process of its own, since that may hang in the kernel
/// where no signal reaches it. Requires that the backend lists, and that this process has one thread.
/// \param patience  after which it is an error.
[[nodiscard]] Result<PingListing> list_ping_targets(const PingBackend& backend, const std::string& mount,
                                                    Duration patience);

}  // namespace laggard::collect
