#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"

namespace laggard::lab {

/// `laggard-lab score` on recordings of `laggard-lab simulate --scale`.
struct ScaleScoreOptions {
  std::vector<std::filesystem::path> days;
  std::string diagnosis;  ///< File name of a diagnosis as JSON in each folder; when empty, one is made.
  std::string json;       ///< File, or - for stdout instead of the text.
  bool paths = false;     ///< Who is to blame is told by blame_by_paths.
};

/// The folders at and below the given ones that contain such a recording, sorted.
[[nodiscard]] Result<std::vector<std::filesystem::path>> find_days(
    const std::vector<std::filesystem::path>& folders);

[[nodiscard]] Status score_days(const ScaleScoreOptions& options);

}  // namespace laggard::lab
