#include "collect/logs/log_positions.h"

#include <utility>

#include "base/state_codec.h"

namespace laggard::collect {

namespace {

constexpr StateFormat kPositionsFormat{.name = "position in logs", .version = 1};

}  // namespace

std::string to_bookmark(const LogPositions& positions) { return save_state(kPositionsFormat, positions); }

std::optional<LogPositions> latest_positions(std::span<const std::string> bookmarks) {
  std::optional<LogPositions> latest;
  for (const std::string& bookmark : bookmarks) {
    LogPositions positions;
    if (!restore_state(kPositionsFormat, bookmark, positions)) continue;
    if (!latest || positions.number > latest->number) latest = std::move(positions);
  }
  return latest;
}

}  // namespace laggard::collect
