#pragma once

#include <optional>
#include <string_view>

#include "detect/peer/compare/preset.h"
#include "detect/peer/judge/parameters.h"

namespace laggard::engine {

/// A way to reach a verdict. What computes asks the parameters for the number or the policy that it needs,
/// never which algorithm this is.
struct Algorithm {
  std::string_view name;
  detect::Parameters (*parameters)(const detect::Preset& preset);
  std::string_view (*rules)();  ///< For explain::parse_rules, where the user has none.
};

/// Ours.
[[nodiscard]] Algorithm laggard_algorithm();
/// Kasick's to the letter, for comparison.
[[nodiscard]] Algorithm paper_algorithm();
/// By its name; nothing when there is none of that name.
[[nodiscard]] std::optional<Algorithm> find_algorithm(std::string_view name);

}  // namespace laggard::engine
