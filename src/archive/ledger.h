#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "base/error.h"
#include "model/decision.h"

/// The operators' ledger: what was decided about components, by whom, when and why. It is one SQLite file to
/// which lines are added but never changed; several people may add lines at the same time. A ledger of
/// version 1, which had no incidents and no undoing, is read as it is and gets its second table with the next
/// decision.
namespace laggard::archive {

/// The path of a recording's ledger, whether it exists or not.
[[nodiscard]] std::filesystem::path ledger_of(const std::filesystem::path& recording);

/// The decisions in the order in which they were made; none without the file. Nothing is written: what a
/// killed process had begun to add is ignored, and undone when the next decision is added. kBadInput when the
/// file is something else; kTooNew, kDamaged; kUnavailable while others keep changing it.
[[nodiscard]] Result<std::vector<Decision>> read_ledger(const std::filesystem::path& path);

/// Adds all of them or none; they are on the disk when it returns. Makes the file if need be.
[[nodiscard]] Status add_to_ledger(const std::filesystem::path& path, std::span<const Decision> decisions);

}  // namespace laggard::archive
