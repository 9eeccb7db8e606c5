#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/plot.h"

namespace laggard::detect {

/// The scores of a group's members over all windows, for the heat map. Bounded: past `kMostColumns` windows
/// every two neighbours are merged into one that keeps the larger score.
class ScoreHistory {
 public:
  static constexpr std::size_t kMostColumns = 1024;

  ScoreHistory(std::size_t members, Duration window_step);

  /// Raises the members' scores in the window that starts at `start`; windows come in order, several calls
  /// for one window are merged. NaN: not judged.
  void add(WallTime start, std::span<const double> scores);

  [[nodiscard]] ScoreMap to_map(std::string group, std::vector<std::string> components) const;

 private:
  void halve();

  struct Column {
    WallTime start;
    std::vector<float> scores;
  };
  std::size_t members_;
  Duration step_;
  std::vector<Column> columns_;
};

}  // namespace laggard::detect
