#pragma once

#include <string_view>

#include "base/error.h"
#include "base/fd.h"
#include "lab/bench/machine.h"

namespace laggard::lab::bench {

/// Starts a program that is found in PATH, in a session of its own, so that a Ctrl-C meant for us does not
/// reach it, with no signals blocked, and with both outputs to `output`. \param input  instead of the
/// command's. \return its process id.
[[nodiscard]] Result<int> spawn(const Command& command, int input, int output);

/// A file that holds `text`, rewound; /dev/null for an empty one.
[[nodiscard]] Result<Fd> input_file(std::string_view text);

}  // namespace laggard::lab::bench
