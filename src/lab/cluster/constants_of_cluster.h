#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/named_number.h"
#include "lab/cluster/scenario.h"

namespace laggard::lab {

/// The physics of a simulated cluster by name, so that a calibration is a matter of runs: what `--set` of
/// `laggard-lab simulate` and `campaign` changes.
[[nodiscard]] std::span<const NamedNumber<ClusterSpec>> named_cluster_constants();

/// Changes one as `NAME=VALUE` says.
[[nodiscard]] Status set_cluster_constant(ClusterSpec& cluster, std::string_view text);

/// What there is to set, a line each: name, value in force, meaning.
[[nodiscard]] std::string describe_cluster_constants(const ClusterSpec& cluster);

}  // namespace laggard::lab
