#pragma once

#include "wire/call_table.h"

namespace laggard::tracee {

/// The table that calls are counted in. Never null: where none can be made it is one that is switched off.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
extern constinit wire::CallTable* call_table;

/// A place for a thread that has none; null when there is no more. Safe in handlers of signals.
[[nodiscard]] wire::CallThread* take_place(wire::CallTable& table);
/// The next thread may have it.
void give_back(wire::CallThread& place);

/// Called in a forked child, when it has a table of its own.
void set_forget_thread(void (*forget)());

}  // namespace laggard::tracee
