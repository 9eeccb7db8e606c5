#include "analyse/explain/array_work.h"

#include <fmt/format.h>

#include <algorithm>

namespace laggard::analyse {

void ArrayWork::add_sample(std::vector<Piece>& pieces, WallTime time,
                           std::optional<SyncAction> action) const {
  const bool works = action && is_work(*action);
  if (!pieces.empty() && !pieces.back().over) {
    Piece& piece = pieces.back();
    const bool lost = time - piece.span.to > kLongestSilence;
    if (!lost) piece.span.to = std::max(piece.span.to, time);
    piece.over = lost || !works;
  }
  if (!works) return;
  if (pieces.empty() || pieces.back().over) pieces.push_back({{time, time}, {}, false});
  std::vector<SyncAction>& actions = pieces.back().actions;
  if (std::ranges::find(actions, *action) == actions.end()) actions.push_back(*action);
}

void ArrayWork::add(const SampleTable& table) {
  const auto counter = table.counter_index(kSyncActionCounter);
  if (table.kind() != DeviceKind::kDisk || !counter) return;
  for (std::size_t d = 0; d < table.devices().size(); ++d) {
    const auto uniform = table.uniform(*counter, d);
    const auto key = std::pair(table.host(), table.devices()[d]);
    // Most arrays are idle for weeks.
    if (uniform == std::uint64_t{0} && !arrays_.contains(key)) continue;
    std::vector<Piece>* pieces = nullptr;
    for (std::size_t t = 0; t < table.times().size(); ++t) {
      const auto level = table.integer(*counter, d, t);
      if (!level) continue;
      if (pieces == nullptr) pieces = &arrays_[key];
      add_sample(*pieces, table.times()[t], sync_action(*level));
    }
  }
}

std::vector<ExpectedWork> ArrayWork::work() const {
  std::vector<ExpectedWork> all;
  for (const auto& [array, pieces] : arrays_) {
    const auto component = grouping_.resolver.find(array.first, DeviceKind::kDisk, array.second);
    for (const Piece& piece : pieces) {
      std::string actions;
      for (const SyncAction action : piece.actions) {
        actions += (actions.empty() ? "" : ", ") + std::string(to_name(action));
      }
      ExpectedWork& work = all.emplace_back();
      work.what = fmt::format("{}: {}", array.second, actions);
      work.where = {component ? grouping_[*component].name : array.first + "/" + array.second};
      work.once = piece.span;
    }
  }
  return all;
}

}  // namespace laggard::analyse
