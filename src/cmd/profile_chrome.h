#pragma once

#include <memory>

#include "cmd/profile_forms.h"

namespace laggard::cmd {

/// Profiles as Perfetto and chrome://tracing draw them: hosts are processes, programs threads, and in each
/// period a program's stacks lie side by side as in a flame graph, as wide as their share of all that was
/// counted on the host in the period. That is not when they ran, which nobody knows; the counts themselves
/// and the CPU time are arguments of each slice. The format has samples of its own (`stackFrames`), but
/// Perfetto promises little more than to read slices.
[[nodiscard]] std::unique_ptr<ProfileWriter> make_chrome_writer(LineWriter& out);

}  // namespace laggard::cmd
