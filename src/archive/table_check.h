#pragma once

#include <string>

#include "base/error.h"
#include "model/sample_table.h"

namespace laggard::archive {

/// Refuses a host that no file could be named after: none, or one whose name is too long.
[[nodiscard]] Status check_host(const std::string& host);

/// Refuses what a block could not hold or a reader would refuse: too many or too long names, one of them
/// twice. Errors are kBadInput and name the host.
[[nodiscard]] Status check_table(const SampleTable& table);

}  // namespace laggard::archive
