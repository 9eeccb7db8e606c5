#include "model/background_work.h"

#include <algorithm>
#include <array>

namespace laggard {

namespace {

constexpr std::array<std::string_view, 7> kSyncActions{"idle",    "check",   "repair", "resync",
                                                       "recover", "reshape", "frozen"};

constexpr Duration kDay = std::chrono::hours(24);
constexpr std::int64_t kDaysPerWeek = 7;

/// 0 is Monday. The epoch was a Thursday.
std::int64_t weekday(std::int64_t day) {
  constexpr std::int64_t kThursday = 3;
  return ((day + kThursday) % kDaysPerWeek + kDaysPerWeek) % kDaysPerWeek;
}

}  // namespace

std::string_view to_name(SyncAction action) { return kSyncActions[static_cast<std::size_t>(action)]; }

std::optional<SyncAction> sync_action(std::string_view name) {
  const auto* found = std::ranges::find(kSyncActions, name);
  if (found == kSyncActions.end()) return std::nullopt;
  return static_cast<SyncAction>(found - kSyncActions.begin());
}

std::optional<SyncAction> sync_action(std::uint64_t value) {
  if (value >= kSyncActions.size()) return std::nullopt;
  return static_cast<SyncAction>(value);
}

bool is_work(SyncAction action) { return action != SyncAction::kIdle && action != SyncAction::kFrozen; }

std::vector<std::string_view> ceph_work_names(std::uint64_t value) {
  constexpr std::array<std::string_view, 6> kNames{"scrub",    "deep scrub", "repair",
                                                   "recovery", "backfill",   "snapshot trimming"};
  std::vector<std::string_view> names;
  for (std::size_t bit = 0; bit < kNames.size(); ++bit) {
    if ((value >> bit & 1U) != 0) names.push_back(kNames[bit]);
  }
  return names;
}

std::optional<TimeSpan> ExpectedWork::at(WallTime t) const {
  if (once) return t >= once->from && (t < once->to || goes_on) ? once : std::nullopt;
  const std::int64_t today = to_unix_ns(floor_to(t, kDay)) / kDay.count();
  for (std::int64_t day = today; day >= today - kDaysPerWeek; --day) {
    if ((days >> weekday(day) & 1U) == 0) continue;
    const WallTime from = from_unix_ns(day * kDay.count()) + start;
    if (t >= from && t < from + length) return TimeSpan{from, from + length};
  }
  return std::nullopt;
}

}  // namespace laggard
