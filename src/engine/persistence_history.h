#pragma once

#include <cstddef>
#include <vector>

#include "base/time.h"
#include "model/diagnosis.h"

namespace laggard::engine {

/// Keeps who was most persistent at the end of every hour (T §5.6.1 and Fig 5.3: a list of the top 100 for
/// each hour of the study), so that one sees a problem grow and wind down. Stretches in which no window ended
/// have no row.
class PersistenceHistory {
 public:
  struct Spec {
    Duration every = std::chrono::hours(1);
    std::size_t top = 100;
  };
  explicit PersistenceHistory(Spec spec) : spec_(spec) {}

  /// True when a window that ends at `end` belongs to a later stretch than the last one that was passed: then
  /// `close` must be called before that window is judged. Ends come in order, apart from windows of other
  /// groups.
  [[nodiscard]] bool due(WallTime end) const;
  /// Notes that a window which ends then has been judged.
  void pass(WallTime end);
  /// Ends the stretch of the last window.
  /// \param ranking  by persistence; what has none is left out.
  void close(const std::vector<RankedComponent>& ranking);

  [[nodiscard]] const std::vector<PersistenceRow>& rows() const { return rows_; }

 private:
  /// A window belongs to the stretch in which its last moment lies.
  [[nodiscard]] WallTime stretch_of(WallTime end) const { return floor_to(end - Duration{1}, spec_.every); }

  Spec spec_;
  WallTime last_end_;
  bool any_ = false;
  std::vector<PersistenceRow> rows_;
};

}  // namespace laggard::engine
