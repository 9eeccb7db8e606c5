#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/log_line.h"
#include "model/parts.h"

namespace laggard::detect {

/// What a line that matches a pattern says of the part.
enum class LogClass : std::uint8_t {
  kFailure,   ///< It fails, or works less well than it should.
  kRecovery,  ///< It works again.
};
[[nodiscard]] constexpr std::string_view to_name(LogClass what) {
  return what == LogClass::kFailure ? "failure" : "recovery";
}

/// How much a failure says about why its part is sick.
enum class LogWeight : std::uint8_t {
  kCause,      ///< It may be why.
  kWaiting,    ///< Something waits long: what is broken may be why, and so may a load.
  kCorrected,  ///< It was corrected, or tried again: now and then that is nothing, many times it is a cause.
  kWording,  ///< Words with which any program tells of a failure: as much as an error of an unknown program.
};
constexpr LogWeight kWaiting = LogWeight::kWaiting;
constexpr LogWeight kCorrected = LogWeight::kCorrected;
constexpr LogWeight kWording = LogWeight::kWording;

/// One statement of a program that says that a part fails or works again. Views are of literals, or of
/// whoever owns the pattern (PatternFile).
struct LogPattern {
  std::string_view name;  ///< Unique: `scsi-medium-error`.
  PartKind part;          ///< Whose failure it is.
  /// As in syslog; what makes somebody act is kError or less. A failure of kWarning is what a healthy site
  /// has now and then, too: a corrected error, a retry.
  int severity = severity::kError;
  LogClass what = LogClass::kFailure;
  std::string_view match;   ///< An RE2 that is found somewhere in the text of a line.
  std::string_view sample;  ///< The text of a line; it matches this pattern and none before it.
  LogWeight weight = LogWeight::kCause;

  /// Whether it knows whose statement a line is, and not only that its words are those of a failure.
  [[nodiscard]] constexpr bool knows_program() const { return weight != LogWeight::kWording; }
};

/// `emergency` to `debug`; requires 0 to 7.
[[nodiscard]] std::string_view severity_name(int severity);
[[nodiscard]] std::optional<int> severity_named(std::string_view name);

// The severities that the library uses.
using severity::kCritical;
using severity::kError;
using severity::kNotice;
using severity::kWarning;

// The library, a table per field. Wordings are those of the programs; the expressions and samples are ours.
[[nodiscard]] std::span<const LogPattern> lustre_patterns();
[[nodiscard]] std::span<const LogPattern> gpfs_patterns();
[[nodiscard]] std::span<const LogPattern> ceph_patterns();
[[nodiscard]] std::span<const LogPattern> gluster_patterns();
[[nodiscard]] std::span<const LogPattern> moosefs_patterns();
[[nodiscard]] std::span<const LogPattern> block_patterns();  ///< SCSI, ATA, NVMe, host adapters.
[[nodiscard]] std::span<const LogPattern> array_patterns();  ///< MD, device mapper, multipath, SMART.
[[nodiscard]] std::span<const LogPattern> file_system_patterns();
[[nodiscard]] std::span<const LogPattern> memory_patterns();  ///< And processors, buses, enclosures.
[[nodiscard]] std::span<const LogPattern> network_patterns();
[[nodiscard]] std::span<const LogPattern> kernel_patterns();  ///< Crashes, hangs, lack of memory, daemons.
[[nodiscard]] std::span<const LogPattern> blue_gene_patterns();
[[nodiscard]] std::span<const LogPattern> wording_patterns();  ///< A part, and that it failed.

/// All of them, in the order in which they are tried: wordings that any program may use come last.
[[nodiscard]] const std::vector<LogPattern>& log_patterns();

}  // namespace laggard::detect
