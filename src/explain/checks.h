#pragma once

#include <string>
#include <vector>

#include "explain/rules.h"
#include "model/grouping.h"

namespace laggard::explain {

/// What to look at next: the commands of a rule, with the host and the device of the strongest finding of the
/// rule's resource (of any, where there is none) filled in. Commands about a device are left out where none
/// is known, and all of them where the finding is about no component, or where a name holds characters that
/// mean something to a shell: people copy them into one.
[[nodiscard]] std::vector<std::string> checks_of(const Rule& rule, const Suspect& suspect,
                                                 const Grouping& grouping);

}  // namespace laggard::explain
