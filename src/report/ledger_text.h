#pragma once

#include <span>
#include <string>

#include "model/decision.h"
#include "model/incident.h"
#include "report/text.h"

namespace laggard::report {

/// A line per incident, its id first, because that is what other commands want to be told; a sentence per
/// incident that was repaired or excluded; then all decisions that were ever made. Ends with a line feed.
[[nodiscard]] std::string to_list_text(const Diagnosis& diagnosis, std::span<const Decision> decisions,
                                       const TextOptions& options = {});

/// A line per decision; empty without any.
[[nodiscard]] std::string to_ledger_text(std::span<const Decision> decisions,
                                         const TextOptions& options = {});

}  // namespace laggard::report
