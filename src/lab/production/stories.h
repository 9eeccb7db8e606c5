#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "lab/production/incident.h"

namespace laggard::lab::production {

/// A line that a host logs; each `~` is a digit.
struct Statement {
  std::size_t story = 0;
  int severity = 0;
  std::string_view text;
  double after_s = 30;   ///< Mean time until it is logged first, ...
  double every_s = 120;  ///< ... and between two of them; 0: it is logged once.
  double chance = 1;     ///< That it is logged at all.
};

/// What the log of a part says of what is wrong with it: one of a few stories, all of its statements; those
/// of a story follow each other. In the wording of kernels, of Lustre and of vendors' daemons; whether
/// anybody's patterns know a line is not asked here. Empty for overloads.
[[nodiscard]] std::span<const Statement> stories_of(IncidentKind kind);

/// What a host that has too much to do says, and what anybody says now and then.
[[nodiscard]] std::span<const Statement> overload_statements();
[[nodiscard]] std::span<const Statement> routine_statements();
[[nodiscard]] std::span<const Statement> stray_warnings();
[[nodiscard]] std::span<const Statement> stray_errors();
/// What all hosts of a site say at once, because of something that they all use.
[[nodiscard]] std::span<const Statement> common_errors();

}  // namespace laggard::lab::production
