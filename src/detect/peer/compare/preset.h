#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "detect/peer/compare/window.h"

namespace laggard::detect {

/// What a training threshold has to keep quiet.
enum class TrainingForm : std::uint8_t {
  kFiltered,  ///< No component is *faulty* (k of 2k-1 windows) in the training data: F §10.1.
  kSingle,    ///< No window is anomalous: T §5.5, where persistence counts single windows.
};
[[nodiscard]] std::string_view to_name(TrainingForm form);  // filtered, single
[[nodiscard]] std::optional<TrainingForm> training_form(std::string_view name);

/// Parameters that belong together; each of them can be set on its own after taking the preset.
struct Preset {
  std::string_view name;
  /// Samples are taken at this distance; nothing means as recorded (then windows.interval is to be set).
  std::optional<Duration> down_sample;
  WindowSpec windows;
  TrainingForm form = TrainingForm::kFiltered;
  double factor = 2;  ///< Trained thresholds are multiplied by this (F §10.1: doubled).
  /// A faulty component is confirmed from this persistence on; 1 is at once.
  int confirm_persistence = 1;
  /// A surge of work (Parameters::surge_factor) is confirmed from this persistence on, unless it is severe:
  /// what lasts for a moment is no fault.
  std::size_t surge_persistence = 1;
  /// A component is faulty at once from this severity on, unless a constant says otherwise (severity.gate).
  double gate_severity = 6;
  /// Below this many requests per second of the middle member a group is idle, unless a constant says
  /// otherwise (idle-requests). Sixteen a window of `lab` and `quick` are enough to say how long requests
  /// take.
  double idle_requests = 1;
  /// Instead of `factor`, of thresholds of deviations (service_times.h), which S §6 does not multiply.
  double deviation_factor = 1;
};

/// lab (F §10.1), production (T §3.3) and quick (ours: for recordings of a minute or two).
[[nodiscard]] std::span<const Preset> presets();
[[nodiscard]] const Preset* find_preset(std::string_view name);

/// What `auto` takes for a recording of this length: quick while there would not be two of lab's filters, lab
/// below an hour, production from there on. \param interval  between two samples.
[[nodiscard]] const Preset& preset_for_length(Duration length, Duration interval);

/// The preset whose windows `auto` judges beside those of this one: quick beside lab and lab beside quick.
/// Null beside production, whose cells are others.
[[nodiscard]] const Preset* preset_beside(std::string_view name);

}  // namespace laggard::detect
