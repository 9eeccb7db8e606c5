#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "detect/peer/compare/preset.h"
#include "detect/peer/compare/window.h"

namespace laggard::detect {

/// Under which parameters thresholds were trained, and on what.
struct TrainingHeader {
  std::string preset;  ///< Its name; the parameters below may still differ from it.
  WindowSpec windows;
  TrainingForm form = TrainingForm::kFiltered;
  double factor = 2;
  double step = 0.1;
  WallTime from{};  ///< Of the training data, over all recordings.
  WallTime to{};
  std::size_t recordings = 1;
  bool operator==(const TrainingHeader&) const = default;
};

/// The thresholds of one peer group, in one metric by one distance.
struct GroupThresholds {
  std::string distance;  ///< cdf, kl, …; cwnd, deviation
  std::string metric;
  std::string group;
  double others = 0;   ///< Of every component that has none of its own.
  double windows = 0;  ///< Independent windows that it was trained on: windows x shift / size; 0: not known.
  std::map<std::string, double> components;  ///< By name.
  std::set<std::string> saturated{};         ///< In training, by name (service_times.h).

  [[nodiscard]] double of(const std::string& component) const;
  bool operator==(const GroupThresholds&) const = default;
};

/// A thresholds file (docs/methods/peer.md): written by `train`, used by `diagnose`, read by people.
struct Thresholds {
  TrainingHeader header;
  std::vector<GroupThresholds> groups;
  /// Those of other windows in the same file, which have none beside them.
  std::vector<Thresholds> beside{};
  /// That servers' system calls had in training, by name (detect/syscalls/normal_errors.h).
  std::set<std::string> normal_errors{};

  /// Of the windows of that preset: these, or those beside; null when there are none.
  [[nodiscard]] const Thresholds* of_preset(std::string_view preset) const;
  /// Nothing when the file has none for it.
  [[nodiscard]] const GroupThresholds* find(std::string_view distance, std::string_view metric,
                                            std::string_view group) const;
  bool operator==(const Thresholds&) const = default;
};

/// What is about to be compared, for holding it against what was trained.
struct PlannedUse {
  std::string_view preset;
  WindowSpec windows;
  std::vector<std::string_view> distances;
};

/// Refuses thresholds that were trained under other parameters than they are to be used under: distances of
/// different windows do not compare. The error names both values and says what to do.
[[nodiscard]] Status check_use(const Thresholds& thresholds, const PlannedUse& use, std::string_view path);

/// The file as text. Fails when a name is not UTF-8 text, which no TOML file can hold.
/// Requires finite thresholds >= 0 and groups that differ in distance, metric or name.
[[nodiscard]] Result<std::string> write_thresholds(const Thresholds& thresholds);

/// \param path  for messages only.
[[nodiscard]] Result<Thresholds> read_thresholds(std::string_view text, std::string_view path);

}  // namespace laggard::detect
