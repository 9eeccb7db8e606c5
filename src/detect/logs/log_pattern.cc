#include "detect/logs/log_pattern.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>

namespace laggard::detect {

namespace {

/// By their numbers (RFC 5424 §6.2.1).
constexpr std::array<std::string_view, 8> kSeverities{"emergency", "alert",  "critical", "error",
                                                      "warning",   "notice", "info",     "debug"};

}  // namespace

std::string_view severity_name(int severity) { return kSeverities[static_cast<std::size_t>(severity)]; }

std::optional<int> severity_named(std::string_view name) {
  const auto found = std::ranges::find(kSeverities, name);
  if (found == kSeverities.end()) return std::nullopt;
  return static_cast<int>(found - kSeverities.begin());
}

const std::vector<LogPattern>& log_patterns() {
  static const std::vector<LogPattern> all = [] {
    std::vector<LogPattern> patterns;
    for (const std::span<const LogPattern> table :
         {lustre_patterns(), gpfs_patterns(), ceph_patterns(), gluster_patterns(), moosefs_patterns(),
          blue_gene_patterns(), array_patterns(), block_patterns(), file_system_patterns(), memory_patterns(),
          network_patterns(), kernel_patterns(), wording_patterns()}) {
      patterns.insert(patterns.end(), table.begin(), table.end());
    }
    return patterns;
  }();
  return all;
}

}  // namespace laggard::detect
