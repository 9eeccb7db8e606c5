#pragma once

#include <optional>
#include <span>
#include <vector>

#include "explain/hypothesis.h"
#include "model/finding.h"
#include "model/grouping.h"

namespace laggard::explain {

/// Cuts findings about attachments that go on across the beginning or the end of a loss: one that was slow
/// for hours before it was lost has two troubles, and the loss accounts for one of them. What differed for no
/// more than 2k-1 windows before or after is the loss's own beginning or end. When an attachment was lost is
/// known from findings that were opened as a loss; others that are one by most of their windows may have
/// begun as something else, and count only where there are none of the former.
///
/// A piece keeps the whole's score and strength, which are not known window by window.
///
/// \return all findings, in their order, with pieces in place of those that were cut; nothing when none is.
[[nodiscard]] std::optional<std::vector<Finding>> cut_at_losses(const Grouping& grouping,
                                                                std::span<const Finding> findings,
                                                                const IncidentOptions& options);

}  // namespace laggard::explain
