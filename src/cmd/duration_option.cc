#include "cmd/duration_option.h"

#include <fmt/format.h>

namespace laggard::cmd {

Result<Duration> duration_option(const char* option, const std::string& text, Duration least, Duration most) {
  const Result<Duration> parsed = parse_duration(text);
  if (!parsed) return fail(ErrorCode::kBadUse, option, parsed.error().message());
  if (*parsed < least || *parsed > most) {
    return fail(ErrorCode::kBadUse, option,
                fmt::format("{} is not between {} and {}", text, to_text(least), to_text(most)));
  }
  return *parsed;
}

}  // namespace laggard::cmd
