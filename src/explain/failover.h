#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "explain/episodes.h"
#include "model/finding.h"
#include "model/grouping.h"

namespace laggard::explain {

/// When an attachment is lost, the LUN's load fails over to the next one that is not (T §5.2.2, §5.7.1): what
/// has load there is not sick, and those in between, which serve nobody either way, must be lost, too.
struct Failovers {
  /// Findings about attachments that serve in place of lost ones, with the component that they stand in for.
  std::map<const Finding*, std::size_t> instead_of;
  /// Attachments that were passed over.
  std::vector<AffectedSpan> passed_over;
};

/// \param slack  in cells: the load may be seen so long before the loss, or after its end.
[[nodiscard]] Failovers find_failovers(const Grouping& grouping, std::span<const Finding> findings,
                                       std::int64_t shift, std::int64_t slack);

}  // namespace laggard::explain
