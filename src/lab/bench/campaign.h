#pragma once

#include <string_view>
#include <vector>

#include "lab/bench/run.h"

namespace laggard::lab::bench {

/// Sixteen runs: every fault twice, with different workloads on different servers, and four without.
[[nodiscard]] std::vector<RunSpec> usual_campaign(const Layout& layout);

/// A list of runs, one a line: `WORKLOAD FAULT [SERVER]`; `#` begins a comment. Times are those of `pattern`.
[[nodiscard]] Result<std::vector<RunSpec>> parse_campaign(std::string_view text, const RunSpec& pattern);

/// Conducts every run into a folder of its name below `out`, numbered where a name comes twice. One that is
/// complete (has its truth.json) is passed over, the remains of one that is not (has `unfinished`) are
/// removed; so a campaign that was interrupted goes on where it was. Any other folder of that name is an
/// error. A run that fails is said and does not stop the others. \return how many failed
[[nodiscard]] Result<std::size_t> run_campaign(const Session& session, const std::vector<RunSpec>& runs,
                                               const std::filesystem::path& out);

}  // namespace laggard::lab::bench
