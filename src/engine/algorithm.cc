#include "engine/algorithm.h"

#include "explain/rules.h"

namespace laggard::engine {

Algorithm laggard_algorithm() { return {"laggard", detect::parameters_of, explain::default_rules}; }

Algorithm paper_algorithm() { return {"paper", detect::paper_parameters, explain::paper_rules}; }

std::optional<Algorithm> find_algorithm(std::string_view name) {
  for (const Algorithm& algorithm : {laggard_algorithm(), paper_algorithm()}) {
    if (algorithm.name == name) return algorithm;
  }
  return std::nullopt;
}

}  // namespace laggard::engine
