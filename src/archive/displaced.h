#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "archive/day_file.h"
#include "base/error.h"

namespace laggard::archive {

/// What was done with a day file that is no longer where it was written.
struct Displaced {
  std::string said;   ///< One sentence: what has happened and where the samples are.
  bool lost = false;  ///< What the file held is gone.
  std::optional<Error>
      foreign;  ///< What stands at the path now is no recording: nothing may be written there.
};

/// Closes a file that is not in place, so that writing continues in another one, and saves what it held. If
/// it was only moved, its write-ahead log is folded into it; if it was removed, it is copied, while it is
/// still open, to its old path or, where that is taken, to the next free name.
/// \return an error, with the file left open, when that is impossible now but may be possible later.
[[nodiscard]] Result<Displaced> leave_displaced(std::unique_ptr<DayFile>& file, const char* vfs);

}  // namespace laggard::archive
