#include "engine/persistence_history.h"

#include <algorithm>

namespace laggard::engine {

bool PersistenceHistory::due(WallTime end) const { return any_ && stretch_of(end) > stretch_of(last_end_); }

void PersistenceHistory::pass(WallTime end) {
  last_end_ = any_ ? std::max(last_end_, end) : end;
  any_ = true;
}

void PersistenceHistory::close(const std::vector<RankedComponent>& ranking) {
  if (!any_) return;
  any_ = false;
  PersistenceRow row{stretch_of(last_end_), {}};
  for (const RankedComponent& ranked : ranking) {
    if (row.top.size() == spec_.top || ranked.persistence == 0) break;
    row.top.push_back(ranked);
  }
  rows_.push_back(std::move(row));
}

}  // namespace laggard::engine
