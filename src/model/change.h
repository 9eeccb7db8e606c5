#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "model/incident.h"

namespace laggard {

/// What has become of an incident since it was told of last.
enum class ChangeKind : std::uint8_t {
  kOpened,     ///< It was not there before.
  kGrew,       ///< More components, another blame or cause; or it came back.
  kConfirmed,  ///< It was suspected and is confirmed now.
  kQuiet,      ///< Nothing of it has been seen for a while; it may come back.
  kClosed,     ///< It has been quiet for so long that whatever follows is another incident.
  kWithdrawn,  ///< Later samples left nothing of it.
  kMerged,     ///< It is part of another incident now, which `into` names.
  kExplained,  ///< A stronger incident or background work accounts for it.
};
/// opened, grew, confirmed, quiet, closed, withdrawn, merged, explained
[[nodiscard]] std::string_view to_name(ChangeKind kind);
/// Whether whoever heard of the incident may forget it: withdrawn, merged, explained.
[[nodiscard]] bool is_gone(ChangeKind kind);
[[nodiscard]] std::optional<ChangeKind> change_kind(std::string_view name);

/// One line of what happens on a system that is watched.
struct Change {
  ChangeKind kind = ChangeKind::kOpened;
  std::uint64_t number = 0;  ///< From 1, without gaps. A number always carries the same content.
  WallTime at;               ///< Up to when samples were complete when it was noticed.
  Incident incident;         ///< As it is now; of what is withdrawn or merged, as it was last.
  std::string into{};        ///< The incident that it was merged into.
};

}  // namespace laggard
