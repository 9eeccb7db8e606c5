#pragma once

#include <set>

#include "explain/hypothesis.h"
#include "explain/rules.h"
#include "model/grouping.h"

namespace laggard::explain {

/// What the rules may ask about a hypothesis as a whole: what its findings, their order in time and their
/// places in the system say together.
[[nodiscard]] std::set<Pattern> find_patterns(const Hypothesis& hypothesis, const Grouping& grouping,
                                              const IncidentOptions& options);

}  // namespace laggard::explain
