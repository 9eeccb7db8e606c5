#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "detect/peer/judge/group_judge.h"

namespace laggard::detect {

/// How much a group as a whole was moving in a window, in steps of four: 4^step bytes/s and more (**ours**).
/// A saturated disk lets its requests wait a hundred times as long as an idle one, and how unlike healthy
/// peers are then grows with it.
struct Load {
  std::int16_t step = 0;
  bool operator==(const Load&) const = default;
};

/// \param bytes_per_second  the median member's. Nothing for nothing, NaN and infinity.
[[nodiscard]] std::optional<Load> load_of(double bytes_per_second);
/// Of a group's storage in a window; nothing where reads or writes are not recorded.
[[nodiscard]] std::optional<Load> load_of(const WindowJudgement& window,
                                          std::span<const GroupJudge::Column> columns);

/// `over 1.05 MB/s`
[[nodiscard]] std::string to_text(Load load);

}  // namespace laggard::detect
