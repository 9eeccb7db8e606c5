#pragma once

#include "model/diagnosis.h"
#include "model/grouping.h"

namespace laggard::explain {

/// Says in `why` of incidents whose components are on hosts with clocks that were off meanwhile that they
/// were: what such a host did was held against what its peers did at another time.
void mark_skewed_incidents(Diagnosis& diagnosis, const Grouping& grouping);

}  // namespace laggard::explain
