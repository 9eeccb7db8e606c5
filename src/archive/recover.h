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
  std::uint64_t files = 0;          ///< That were looked at.
  std::uint64_t damaged_files = 0;  ///< Of these, those in which something was wrong.
  std::uint64_t cells = 0;          ///< Of samples, saved.
  std::uint64_t observations = 0;   ///< Events and periods of profiles, saved.
  std::vector<std::string> lost;    ///< What is gone: file, host, kind, span; one sentence each.
};

/// Copies everything that is still reachable in recordings into the new recording `out`. Sound files are
/// copied as they are read. Damaged ones are searched page by page for blocks whose checksums hold, whatever
/// has become of the tables around them: a first page that is gone, a file that was cut, pages that were
/// overwritten. \param out  must not exist or be an empty folder.
[[nodiscard]] Result<Recovery> recover(std::span<const std::filesystem::path> recordings,
                                       const std::filesystem::path& out, Clock& clock);

}  // namespace laggard::archive
