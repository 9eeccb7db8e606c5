#include "cmd/record_options.h"

#include "cmd/shared_options.h"
#include "collect/record/recorder.h"

namespace laggard::cmd {

void add_record_options(CLI::App& command, RecordOptions& options) {
  command.add_option("--out", options.out, "The recording, a folder; is continued if it is there")
      ->required()
      ->type_name("REC");
  const auto text = [&](const char* name, std::string& value, const char* help, const char* type) {
    command.add_option(name, value, help)->type_name(type)->capture_default_str();
  };
  text("--duration", options.duration, "Stop after this; else at SIGTERM or Ctrl-C", "TIME");
  text("--flush", options.flush, "What a crash may lose", "TIME");
  text("--keep", options.keep, "Delete days of this host that ended longer ago, such as 30d", "TIME");
  text("--max-size", options.max_size, "Delete the oldest days of this host above this, such as 10G", "SIZE");
  text("--root", options.root, "Where /proc, /sys and /dev are, such as /host in a container", "DIR");
  text("--host", options.host, "Name in the recording; else the machine's own", "NAME");
}

Result<RecordTimes> record_times(const RecordOptions& options) {
  using std::chrono::hours;
  RecordTimes times;
  auto flush = duration_option("--flush", options.flush, collect::kShortestInterval, hours(1));
  if (!flush) return forward(flush);
  times.flush = *flush;
  if (options.duration.empty()) return times;
  auto duration =
      duration_option("--duration", options.duration, collect::kShortestInterval, hours(24 * 366 * 10));
  if (!duration) return forward(duration);
  times.duration = *duration;
  return times;
}

}  // namespace laggard::cmd
