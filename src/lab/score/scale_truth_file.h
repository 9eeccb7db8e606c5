#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "model/incident.h"

namespace laggard::lab {

/// An injected problem of `laggard-lab simulate --scale`, as its truth.json has it.
struct TrueIncident {
  std::string kind;             ///< controller-failed, …
  std::vector<Part> right;      ///< What it is to be blamed on, first; then others that are not wrong.
  std::set<std::string> shows;  ///< Attachments that are affected or relieve affected ones.
  TimeSpan span;
};

/// A short asymmetry that is nobody's fault (T §6.2.2).
struct TrueTransient {
  std::set<std::string> luns;
  TimeSpan span;
};

/// What really happened on a simulated production site (`laggard.lab-scale-truth/1`).
struct ScaleTruth {
  TimeSpan recorded;
  std::vector<TrueIncident> incidents;
  std::vector<TrueTransient> transients;
};

/// True when the text is such a truth; other truth files have no schema.
[[nodiscard]] bool is_scale_truth(std::string_view json);

[[nodiscard]] Result<ScaleTruth> parse_scale_truth(std::string_view json, const std::filesystem::path& path);

}  // namespace laggard::lab
