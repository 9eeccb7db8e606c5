#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "model/incident.h"

namespace laggard::lab {

/// Reads back what scoring needs of a diagnosis that `laggard diagnose --json` wrote (laggard.diagnosis/1):
/// of each incident its times, state, status, blame, components and cause. Evidence, ranking and coverage are
/// left out.
[[nodiscard]] Result<Diagnosis> parse_diagnosis(std::string_view json, const std::string& where);

}  // namespace laggard::lab
