#pragma once

#include <string>
#include <string_view>

#include "lab/scale/plan.h"

namespace laggard::lab::scale {

inline constexpr std::string_view kTruthSchema = "laggard.lab-scale-truth/1";

/// What really happened, as JSON (docs/cmd/lab.md): incidents with kind, blamed device and its tier,
/// affected attachments, start and stop; apart from them transients, server work and clock steps, which are
/// nobody's fault. Times are ISO 8601.
[[nodiscard]] std::string to_json(const ScaleSpec& spec, const Plan& plan);

}  // namespace laggard::lab::scale
