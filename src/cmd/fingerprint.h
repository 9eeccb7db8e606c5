#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "cmd/analysis_setup.h"

namespace laggard::cmd {

/// What judged windows depend on, in few bytes: who has the same may use them. Thresholds and rules are not
/// in it, for windows do not depend on them.
struct Fingerprint {
  std::string version;           ///< Of laggard.
  std::uint64_t recordings = 0;  ///< What the inventory says was recorded.
  std::uint64_t settings = 0;    ///< Windows, metrics, parameters, groups, decisions, the span of time.
  bool operator==(const Fingerprint&) const = default;
};

/// Fails when the system file, which is part of it, cannot be read any more.
[[nodiscard]] Result<Fingerprint> fingerprint(const AnalysisOptions& options, const AnalysisSetup& setup);

[[nodiscard]] std::string fingerprint_text(const Fingerprint& fingerprint);
[[nodiscard]] std::optional<Fingerprint> parse_fingerprint(std::string_view text);

/// In a few words what differs: `other recordings`, `other options`, `another version of laggard`; empty when
/// nothing does.
[[nodiscard]] std::string_view difference(const Fingerprint& a, const Fingerprint& b);

}  // namespace laggard::cmd
