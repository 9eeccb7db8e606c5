#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "lab/scale/plan.h"
#include "model/incident.h"

namespace laggard::lab::scale {

inline constexpr std::string_view kTruthSchema = "laggard.lab-scale-truth/1";

/// The ground truth as JSON (docs/cmd/lab.md): incidents with their kind, the part to blame, affected
/// attachments, start and stop; separately transients, server work and clock steps, which are not faults.
/// Times are ISO 8601.
[[nodiscard]] std::string to_json(const ScaleSpec& spec, const Plan& plan);

/// An injected problem as read from truth.json.
struct TrueIncident {
  std::string kind;         ///< controller-failed, …
  std::vector<Part> right;  ///< The part to blame first, then others that are accepted.
  /// Attachments that are affected, relieve affected ones or wait for a repair.
  std::set<std::string> shows;
  TimeSpan span;
};

/// A short asymmetry that is not a fault (T §6.2.2), as read from truth.json.
struct TrueTransient {
  std::set<std::string> luns;
  TimeSpan span;
};

/// The ground truth of a simulated production site, as far as scoring needs it.
struct ScaleTruth {
  TimeSpan recorded;
  std::vector<TrueIncident> incidents;
  std::vector<TrueTransient> transients;
};

/// Whether the text has the schema of a site's truth; other truth files have no schema.
[[nodiscard]] bool is_scale_truth(std::string_view json);

[[nodiscard]] Result<ScaleTruth> parse_scale_truth(std::string_view json, const std::filesystem::path& path);

}  // namespace laggard::lab::scale
