#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace laggard {

/// Node-set notation, as ClusterShell, SLURM and genders write it: `fs[1-128]`, `fs[001-016,020]`,
/// `rack[1-2]fs[1-4]`, `a,b[1-2]`. A leading zero pads the whole range.
///
/// Names are expanded from left to right, the last bracket fastest, and duplicates are kept. More than
/// `max_names` names, a reversed range, unbalanced brackets and names of more than 16 MB together are errors.
inline constexpr std::size_t kMaxNodes = 4'000'000;
[[nodiscard]] Result<std::vector<std::string>> expand_node_set(std::string_view text,
                                                               std::size_t max_names = kMaxNodes);

/// The shortest notation for a set of names with one number each: `fs[1-3,7],mds`. Sorted, duplicates
/// dropped.
[[nodiscard]] std::string fold_node_set(std::span<const std::string> names);

}  // namespace laggard
