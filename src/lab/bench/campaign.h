#pragma once

#include <string_view>
#include <vector>

#include "lab/bench/run.h"

namespace laggard::lab::bench {

/// Sixteen runs: each of F's faults twice, with different workloads on different servers, and four without.
[[nodiscard]] std::vector<RunSpec> paper_campaign(const Layout& layout);

/// Kasick's study by system calls (HotDep 2009, Table 1): each of the six faults with each of five workloads,
/// three times on different servers, and ten runs without a fault. Those that are trained on come first.
[[nodiscard]] std::vector<RunSpec> syscall_campaign(const Layout& layout);

/// Every fault of the catalogue at every strength, several of the same on fewer than half of the servers,
/// pairs of different ones, and controls under every workload. Workloads, places and partners are drawn; what
/// is drawn for one run does not depend on the others. \param seed  of all chances
[[nodiscard]] std::vector<RunSpec> catalogue_campaign(const Layout& layout, std::uint64_t seed);

/// Parses a list of runs, one a line: `WORKLOAD FAULT [SERVERS]`, as `parse_faults` reads them; `#` begins a
/// comment. Times come from `pattern`.
[[nodiscard]] Result<std::vector<RunSpec>> parse_campaign(std::string_view text, const RunSpec& pattern);

/// Conducts every run into a folder of its name below `out`, numbered where a name repeats. A complete run
/// (with truth.json) is skipped, and the remains of an incomplete one (with `unfinished`) are removed, so
/// that an interrupted campaign resumes where it was. Any other folder of that name is an error. A run that
/// fails is reported and does not stop the others. \return how many failed
[[nodiscard]] Result<std::size_t> run_campaign(const Session& session, const std::vector<RunSpec>& runs,
                                               const std::filesystem::path& out);

}  // namespace laggard::lab::bench
