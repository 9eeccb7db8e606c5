#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/time.h"

namespace laggard::archive {

struct Recovery {
  std::uint64_t files = 0;          ///< How many files were examined.
  std::uint64_t damaged_files = 0;  ///< How many of these are damaged.
  std::uint64_t cells = 0;          ///< How many cells of samples were saved.
  std::uint64_t observations = 0;   ///< How many events and periods of profiles were saved.
  std::vector<std::string> lost;    ///< What is lost: file, host, kind, span; one sentence each.
};

/// Copies everything that is still readable in recordings into the new recording `out`. Sound files are
/// copied as they are read. Damaged ones are searched page by page for blocks whose checksums hold, whatever
/// has become of the tables around them: a missing first page, a cut file, overwritten pages.
/// \param out  must not exist or be an empty folder.
[[nodiscard]] Result<Recovery> recover(std::span<const std::filesystem::path> recordings,
                                       const std::filesystem::path& out, Clock& clock);

}  // namespace laggard::archive
