// Files of log patterns, and lines against the library: any bytes end in patterns that match their samples,
// or in one sentence.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "detect/logs/log_matcher.h"
#include "detect/logs/log_pattern.h"
#include "detect/logs/pattern_file.h"

namespace {

using laggard::detect::LogMatcher;
using laggard::detect::PatternFile;

const LogMatcher& library() {
  static const auto matcher = LogMatcher::make(laggard::detect::log_patterns());
  LAGGARD_CHECK(matcher.has_value() || !LogMatcher::available());
  return *matcher;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (!LogMatcher::available()) return 0;
  static_cast<void>(library().first(text));
  const auto file = PatternFile::parse(text, "site.toml");
  if (!file) {
    LAGGARD_CHECK(!file.error().what.empty() && file.error().message().find('\n') == std::string::npos);
    return 0;
  }
  const auto matcher = LogMatcher::make(file->patterns());
  LAGGARD_CHECK(matcher.has_value());
  for (const auto& pattern : file->patterns()) {
    LAGGARD_CHECK(pattern.sample.empty() || matcher->first(pattern.sample) != nullptr);
    LAGGARD_CHECK(pattern.severity >= 0 && pattern.severity <= 7);
  }
  return 0;
}
