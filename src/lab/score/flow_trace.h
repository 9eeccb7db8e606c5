#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace laggard::lab {

/// What flows through a network lost, and which of its links had been made to lose: a trace as Flock has them
/// (Harsh et al., CoNEXT 2023). Links are directed.
struct FlowTrace {
  std::vector<std::string> links;  ///< `74>50`.
  std::set<std::size_t> failing;   ///< The truth.
  /// Flows on the same links are one.
  std::vector<std::vector<std::size_t>> paths;
  std::vector<double> sent;  ///< Packets, by path.
  std::vector<double> lost;  ///< The same, at most as many.
};

/// Reads lines `Failing_link FROM TO LOSS`; `FID FROM TO …` of a flow between hosts, `FPT SWITCH…`, which way
/// it took between them, and any number of `SS MS SENT LOST …`. `FP …`, the ways that there are, is passed
/// over, and so is an empty line. Wrong lines are refused by number.
[[nodiscard]] Result<FlowTrace> parse_flow_trace(std::string_view text, const std::string& where);

}  // namespace laggard::lab
