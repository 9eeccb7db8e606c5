#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "base/error.h"
#include "model/decision.h"

/// The operators' ledger: what was decided about components, by whom, when and why. One SQLite file, to which
/// lines are added and never changed; several people may add at the same time. A ledger of version 1, which
/// knew no incidents and no undoing, is read as it is and gets its second table with the next decision.
namespace laggard::archive {

/// Where the ledger of a recording is, whether there is one or not.
[[nodiscard]] std::filesystem::path ledger_of(const std::filesystem::path& recording);

/// In the order in which they were made. Without the file: none. kBadInput when the file is something else,
/// kTooNew, kDamaged.
[[nodiscard]] Result<std::vector<Decision>> read_ledger(const std::filesystem::path& path);

/// All of them or none; on the disk when it returns. Makes the file if need be.
[[nodiscard]] Status add_to_ledger(const std::filesystem::path& path, std::span<const Decision> decisions);

}  // namespace laggard::archive
