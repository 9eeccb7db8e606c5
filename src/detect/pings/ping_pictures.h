#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "detect/pings/ping_localizer.h"
#include "model/payload.h"

/// What a report draws of probes beside a part that has failed.
namespace laggard::detect {

/// By client and target.
using PingShares = std::map<std::pair<std::string, std::string>, PingCounts>;

/// The share of each client's probes of each target that failed (K Fig. 10). Of many clients and targets
/// those with most failures, so many that each can be told apart, in the natural order of their names.
[[nodiscard]] GridPayload failed_shares(const PingShares& shares);

inline constexpr std::size_t kMostGridRows = 40;
inline constexpr std::size_t kMostGridColumns = 120;

/// How much of what passes it each of these parts serves, with the interval that holds 90 % of its posterior:
/// the likeliest to have failed first, ten at most.
[[nodiscard]] RankedPayload served_shares(std::span<const PingVerdict> verdicts);

}  // namespace laggard::detect
