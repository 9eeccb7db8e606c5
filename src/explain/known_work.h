#pragma once

#include <span>

#include "model/background_work.h"
#include "model/diagnosis.h"
#include "model/grouping.h"

namespace laggard::explain {

/// Marks incidents as *explained* that began and ended with background work that is known of, on each of
/// their components; `why` says which. One that lasts longer than the work is trouble as any other.
/// An open incident counts as far as it was seen: one whose cause is over stays open for some windows more.
/// \param slack  by how much a window may stick out: its length.
void explain_expected_work(Diagnosis& diagnosis, const Grouping& grouping,
                           std::span<const ExpectedWork> expected, Duration slack);

}  // namespace laggard::explain
