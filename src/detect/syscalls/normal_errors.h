#pragma once

#include <set>
#include <string>

#include "model/event.h"
#include "model/resolver.h"

namespace laggard::detect {

/// Errors that servers' calls have in recordings without faults: normal ones (S §7). \param calls  of the
/// kind kSyscallKind; of hosts that are no servers nothing is added, and of errors not those that answer a
/// question (call_errors.h), which always are. \param errors  by name: `ENOTSUP`.
void add_normal_errors(const EventTable& calls, const SeriesResolver& resolver,
                       std::set<std::string>& errors);

}  // namespace laggard::detect
