#include "collect/import/strace/import.h"

#include <string_view>

#include "base/text.h"
#include "collect/import/line_import.h"
#include "collect/import/strace/strace_joiner.h"

namespace laggard::collect {

namespace {

/// Of `NAME.PID`, packed or a member of an archive, the number.
std::optional<std::int64_t> lwp_in(std::string_view name) {
  if (name.ends_with(']')) name.remove_suffix(1);
  for (const std::string_view ending : {".gz", ".bz2", ".xz", ".zst", ".lz4"}) {
    if (name.ends_with(ending)) name.remove_suffix(ending.size());
  }
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::nullopt : to_number<std::int64_t>(name.substr(dot + 1));
}

}  // namespace

Result<ImportResult> import_strace(std::span<const std::filesystem::path> files,
                                   const StraceImportOptions& options, ObservationSink& sink,
                                   ImportObserver& observer, const UnpackLimits& limits) {
  AppendingImport<SyscallAppender> import(kSyscallKind, sink, observer, limits);
  bool names_objects = false;
  const auto take = [&](const SyscallEvent& call) { return import.put(options.host, call); };
  const auto read = [&](LineReader& lines, const LineImport::Place& place) -> Status {
    StraceTimes times{.zone = options.zone,
                      .begin = options.begin,
                      .written = last_written(place.file),
                      .lwp = lwp_in(place.where)};
    StraceJoiner joiner(times, take);
    std::string_view text;
    while (lines.next(text)) {
      import.count_line();
      if (trim(text).empty()) continue;
      if (Status added = joiner.add(text); !added) return added;
    }
    names_objects = names_objects || joiner.names_objects();
    return joiner.finish();
  };
  if (Status done = import.run(files, read); !done) return forward(done);
  ImportResult result = import.finish();
  if (result.values > 0 && !names_objects) {
    observer.notice("no call tells which file or socket it is about; strace -yy does");
  }
  return result;
}

}  // namespace laggard::collect
