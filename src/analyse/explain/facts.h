#pragma once

#include <optional>

#include "analyse/explain/draft.h"
#include "analyse/explain/rules.h"
#include "model/system/grouping.h"

namespace laggard::analyse {

/// What the rules may ask about a draft.
[[nodiscard]] Facts gather_facts(const Draft& draft, const Grouping& grouping,
                                 const IncidentOptions& options);

}  // namespace laggard::analyse
