#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/time.h"
#include "collect/logs/log_cursor.h"

namespace laggard::collect {

/// What `perf script --header` says of a recording before its samples, in lines such as
/// `# hostname : fs1`.
struct PerfCapture {
  /// When perf's file was written last, to the second: by the clock of the machine that wrote the text, which
  /// names no zone.
  std::optional<WrittenMoment> captured;
  std::optional<Duration> last_sample;  ///< By perf's clock.
  std::string host;
};

/// Takes what is known of such a line; other lines change nothing.
void read_capture(std::string_view line, PerfCapture& capture);

/// Refuses the line of a file that perf wrote as something else than the text of samples, with the command
/// that makes such a text: its own recording, a report, a count of events.
[[nodiscard]] Status check_perf_script(std::string_view line);

}  // namespace laggard::collect
