#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/time.h"
#include "model/grid.h"

namespace laggard::derive {

/// How far apart samples may be, in intervals of the recording.
inline constexpr double kMaxGapIntervals =
    2.5;  ///< A late sample is still a sample; two lost ones are a gap.
inline constexpr double kCarryIntervals = 1.5;
/// Increases over less of a cell say too little about it.
inline constexpr double kLeastCoverage = 0.5;

[[nodiscard]] inline Duration scaled(Duration d, double factor) {
  return Duration{static_cast<std::int64_t>(static_cast<double>(d.count()) * factor)};
}

/// Where in time a device's meter stands between two tables.
struct MeterPhase {
  bool primed = false;    ///< There is a sample to take differences from ...
  WallTime last_time;     ///< ... of then.
  bool open = false;      ///< A cell waits for more: ...
  std::int64_t cell = 0;  ///< ... this one, ...
  double seconds = 0;     ///< ... which is covered so far for so long.
  std::int64_t level_cell = 0;
  bool operator==(const MeterPhase&) const = default;
};

/// How the samples of one table fall into the cells of the grid. It depends on times alone, so that it is
/// found once for all devices of a host that were there at every sample, and what is left to do for each of
/// their counters is to multiply and add.
struct CellPlan {
  /// This share of what was counted between sample - 1 and sample.
  struct Piece {
    std::uint32_t sample = 0;
    double share = 0;
  };
  struct Cell {
    std::int64_t cell = 0;
    double seconds = 0;  ///< Covered, what the phase brought along included.
    std::uint32_t first_piece = 0;
    std::uint32_t end_piece = 0;
    std::uint32_t first_sample = 0;  ///< Samples that lie in the cell.
    std::uint32_t end_sample = 0;
  };

  MeterPhase from;
  MeterPhase to;
  bool first_usable = false;  ///< The table's first sample and the one before it are a difference.
  std::vector<Cell> cells;    ///< In order; the first goes on with an open cell, if any; the last stays open.
  std::vector<Piece> pieces;
  /// All cells but the first and the last follow each other, are covered and hold pieces and samples.
  bool regular = false;

  /// Nothing for tables that need a look at every sample: a clock that goes back, a sample that skips a cell.
  [[nodiscard]] static std::optional<CellPlan> make(const MeterPhase& from, Grid grid, Duration interval,
                                                    std::span<const WallTime> times);
};

}  // namespace laggard::derive
