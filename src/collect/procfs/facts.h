#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "collect/procfs/device_tracker.h"

namespace laggard::collect {

using Facts = std::vector<std::pair<std::string, std::string>>;

/// Device to the facts that the sink was last told of it.
using ToldFacts = std::map<std::string, Facts>;

/// Adds the keys of `before` that `facts` no longer has, with an empty value, which is how a sink learns that
/// they do not hold any more.
void add_ended(Facts& facts, const Facts& before);

/// Keeps `told` from growing for ever where devices with ever new names come and go (containers' interfaces).
void forget_the_gone(ToldFacts& told, DeviceTracker& tracker);

}  // namespace laggard::collect
