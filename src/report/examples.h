#pragma once

#include "model/diagnosis.h"
#include "model/plot.h"

/// Diagnoses that the tests of this room (and the browser test) show. Invented, but shaped like the recorded
/// runs: numbers that look like numbers, names that look like names.
namespace laggard::report::examples {

[[nodiscard]] WallTime at(std::int64_t seconds);  ///< Seconds after 2026-11-20 19:21:34Z.

/// One confirmed disk-busy on s2 of nine servers, over after three minutes.
[[nodiscard]] Diagnosis busy_disk();
/// Five incidents over two days: confirmed, suspected, closed, excluded, explained; gaps; groups too small.
[[nodiscard]] Diagnosis bad_week();
[[nodiscard]] Diagnosis all_well();
[[nodiscard]] Diagnosis nothing_comparable();
/// Nobody is sick, but all were slow for two minutes, and the disks are in two camps.
[[nodiscard]] Diagnosis nobody_stands_out();
/// One server runs a backup that its peers do not, and less of what it should: a flame graph.
[[nodiscard]] Diagnosis rogue_program();
/// Every text is an attack on whoever prints it unescaped.
[[nodiscard]] Diagnosis hostile();
/// U+202E as bytes, spelt so that no editor or compiler obeys it.
inline constexpr char kOverride[] = {'\xe2', '\x80', '\xae', '\0'};

[[nodiscard]] Plots plots_of_busy_disk();
[[nodiscard]] Plots plots_of_hostile();
/// One incident over `peers` components x `points` samples, with a map of `windows` windows.
[[nodiscard]] Diagnosis big_system(std::size_t peers);
[[nodiscard]] Plots plots_of_big_system(std::size_t peers, std::size_t points, std::size_t windows);
/// A training day of two groups, nobody sick.
[[nodiscard]] std::vector<PeerPlot> training_day();

}  // namespace laggard::report::examples
