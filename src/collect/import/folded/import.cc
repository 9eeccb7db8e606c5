#include "collect/import/folded/import.h"

#include <string_view>

#include "base/text.h"
#include "collect/import/code_samples.h"
#include "collect/import/folded/folded_line.h"
#include "collect/import/other_lines.h"
#include "collect/import/profile_import.h"

namespace laggard::collect {

namespace {

Status put(const FoldedLine& line, const FoldedImportOptions& options, CodeSamples& code) {
  const auto& frames = line.stack.frames;
  const std::string_view innermost = frames.empty() ? std::string_view() : frames.back();
  return code.put({.host = options.host,
                   .time = options.start,
                   .start = options.start,
                   .length = options.length,
                   .thread = line.stack.program,
                   .binary = line.binary,
                   .function = innermost == "[unknown]" ? std::string_view() : innermost,
                   .stack = frames,
                   .count = line.count,
                   .each = options.each});
}

}  // namespace

Result<ImportResult> import_folded(std::span<const std::filesystem::path> files,
                                   const FoldedImportOptions& options, ObservationSink& sink,
                                   ImportObserver& observer, const UnpackLimits& limits) {
  ProfileImport import(sink, observer, limits);
  CodeSamples code(import);
  OtherLines others;
  const auto read = [&](LineReader& lines, const LineImport::Place& place) -> Status {
    std::string_view text;
    bool any = false;
    while (lines.next(text)) {
      import.count_line();
      if (trim(text).empty() || text.starts_with('#')) continue;
      const std::optional<FoldedLine> line = parse_folded_line(text);
      if (!line) {
        import.pass_over();
        others.count(place.where, lines.line_number());
        continue;
      }
      any = true;
      if (Status done = put(*line, options, code); !done) return done;
    }
    if (any || !lines.status()) return {};
    return fail(ErrorCode::kBadInput, place.where,
                "has no folded stack, which is a line such as `dd;main;write 42`");
  };
  if (Status done = import.run(files, read); !done) return forward(done);
  others.notice(import, "is no folded stack with a count", "are no folded stacks with counts");
  code.notice_idle();
  ImportResult result = import.finish();
  if (!result.passed_over) result.passed_over = 0;
  return result;
}

}  // namespace laggard::collect
