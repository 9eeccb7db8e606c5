#include "model/change.h"

#include <algorithm>
#include <array>

namespace laggard {

namespace {

constexpr std::array<std::string_view, 8> kNames{"opened", "grew",      "confirmed", "quiet",
                                                 "closed", "withdrawn", "merged",    "explained"};

}  // namespace

std::string_view to_name(ChangeKind kind) { return kNames[static_cast<std::size_t>(kind)]; }

bool is_gone(ChangeKind kind) {
  return kind == ChangeKind::kWithdrawn || kind == ChangeKind::kMerged || kind == ChangeKind::kExplained;
}

std::optional<ChangeKind> change_kind(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<ChangeKind>(found - kNames.begin());
}

}  // namespace laggard
