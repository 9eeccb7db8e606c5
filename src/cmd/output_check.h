#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace laggard::cmd {

/// A file that a command is going to write.
struct NamedOutput {
  std::string option;          ///< That names it, for the sentence: `--html`.
  std::filesystem::path path;  ///< Empty or `-`: there is none.
  bool appended = false;       ///< A checkpoint, which is not replaced.
};

/// Refuses outputs that would destroy what is kept or read: a file of a recording or a ledger, one of the
/// inputs, another output; and those that cannot be written, which is better known before a diagnosis of
/// hours than after it. \param inputs  files; empty ones and folders are passed over.
[[nodiscard]] Status check_outputs(std::span<const NamedOutput> outputs,
                                   std::span<const std::filesystem::path> inputs = {});

}  // namespace laggard::cmd
