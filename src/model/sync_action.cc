#include "model/sync_action.h"

#include <algorithm>
#include <array>

namespace laggard {

namespace {

constexpr std::array<std::string_view, 7> kNames{"idle",    "check",   "repair", "resync",
                                                 "recover", "reshape", "frozen"};

}  // namespace

std::string_view to_name(SyncAction action) { return kNames[static_cast<std::size_t>(action)]; }

std::optional<SyncAction> sync_action(std::string_view name) {
  const auto* found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<SyncAction>(found - kNames.begin());
}

std::optional<SyncAction> sync_action(std::uint64_t level) {
  if (level >= kNames.size()) return std::nullopt;
  return static_cast<SyncAction>(level);
}

bool is_work(SyncAction action) { return action != SyncAction::kIdle && action != SyncAction::kFrozen; }

}  // namespace laggard
