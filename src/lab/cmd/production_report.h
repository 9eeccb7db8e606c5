#pragma once

#include <string>
#include <vector>

#include "lab/cmd/production_run.h"

namespace laggard::lab {

/// Stretches with an issue each, and healthy ones, of an hour.
struct ProductionResults {
  std::vector<StretchResult> issues;
  std::vector<StretchResult> healthy;
};

/// Tables: both methods on all, ours by kind of incident, how often alarms of a posterior were true, and what
/// was missed.
[[nodiscard]] std::string production_markdown(const ProductionResults& results);

}  // namespace laggard::lab
