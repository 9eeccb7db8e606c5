#include "collect/procfs/facts.h"

#include <algorithm>

namespace laggard::collect {

void add_ended(Facts& facts, const Facts& before) {
  for (const auto& [key, value] : before) {
    const bool still =
        std::any_of(facts.begin(), facts.end(), [&k = key](const auto& fact) { return fact.first == k; });
    if (!still) facts.emplace_back(key, std::string{});
  }
}

void forget_the_gone(ToldFacts& told, DeviceTracker& tracker) {
  // Facts of devices that will return are worth keeping, so that what has ended meanwhile can be told.
  constexpr std::size_t kWorthKeeping = 1000;
  if (told.size() <= 2 * tracker.devices().size() + kWorthKeeping) return;
  std::erase_if(told, [&](const auto& entry) { return tracker.get(entry.first) == nullptr; });
}

}  // namespace laggard::collect
