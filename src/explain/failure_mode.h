#pragma once

#include <optional>
#include <span>

#include "model/grouping.h"
#include "model/incident.h"

namespace laggard::explain {

/// In which way what an incident blames has failed, by what examiners answered about it (K §V-B). The first
/// that holds:
///
///     reliability   its log tells of a failure that accounts for it, or has an error that no pattern knows,
///                   and no healthy peer's does
///     overload      its load stands out from that of its healthy peers, and it does more than they
///     reliability   its log says that something waits, or requests fail though it has no more to do than its
///                   healthy peers (Evidence::waits), and no load explains it
///     nothing       otherwise
///
/// What is broken explains a load, and not the other way round: a disk that fails is rebuilt. A stray error
/// makes an overload look broken (K: 29 of 497), but to let load go before errors that no pattern knows hides
/// more of what is broken than it spares.
[[nodiscard]] std::optional<FailureMode> mode_of(std::span<const Evidence> answers);

/// An overload of what serves a part that is broken keeps the first cause (K §II-B: a disk fails, its rebuild
/// overloads both servers of the pair): an incident whose mode is overload becomes reliability when one of
/// that mode was going on when it began, about a part that the same hosts serve, and known by more than that
/// something waits or fails there. Its evidence names that one.
void keep_first_causes(std::span<Incident> incidents, const Grouping& grouping);

}  // namespace laggard::explain
