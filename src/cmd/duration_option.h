#pragma once

#include <string>

#include "base/time.h"

namespace laggard::cmd {

/// What `option` of the command line says in `text`, such as 15s, when it is from `least` to `most`; else one
/// sentence that names the option and its bounds.
[[nodiscard]] Result<Duration> duration_option(const char* option, const std::string& text, Duration least,
                                               Duration most);

}  // namespace laggard::cmd
