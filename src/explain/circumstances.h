#pragma once

#include <span>

#include "model/background_work.h"
#include "model/diagnosis.h"
#include "model/grouping.h"

/// What else went on while an incident did, and so has to be said with it.
namespace laggard::explain {

/// Marks incidents as *explained* that began and ended with background work that is known of, on each of
/// their components; `why` says which. One that lasts longer than the work is trouble as any other.
/// An open incident counts as far as it was seen: one whose cause is over stays open for some windows more.
/// \param slack  by how much a window may stick out: its length.
void explain_expected_work(Diagnosis& diagnosis, const Grouping& grouping,
                           std::span<const ExpectedWork> expected, Duration slack);

/// Says in `why` of incidents whose components are on hosts with clocks that were off meanwhile that they
/// were: what such a host did was held against what its peers did at another time.
void mark_skewed_incidents(Diagnosis& diagnosis, const Grouping& grouping);

}  // namespace laggard::explain
