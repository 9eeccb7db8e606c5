#pragma once

#include <filesystem>

#include "base/error.h"
#include "cmd/analysis_setup.h"

namespace laggard::cmd {

/// The description of the system that was asked for, if one was.
[[nodiscard]] Status read_system(const AnalysisOptions& options, AnalysisSetup& setup);

/// What operators said of the components, in the order in which they said it.
[[nodiscard]] Status read_decisions(const AnalysisOptions& options, AnalysisSetup& setup);

/// The ledger that decisions about these recordings are added to.
[[nodiscard]] std::filesystem::path ledger_for(const AnalysisOptions& options);

/// Who is compared with whom, without those whom operators or options leave out; after the two above.
[[nodiscard]] Status group_peers(const AnalysisOptions& options, AnalysisSetup& setup);

}  // namespace laggard::cmd
