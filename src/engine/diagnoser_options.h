#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "detect/peer/compare/preset.h"
#include "detect/peer/judge/threshold_book.h"
#include "engine/detectors.h"
#include "engine/persistence_history.h"
#include "engine/pipeline.h"
#include "explain/rules.h"
#include "model/background_work.h"
#include "model/incident.h"

namespace laggard::engine {

class Diagnoser;

/// Somebody who is told at every multiple of `every` since the epoch, in the time of the samples, that all
/// windows which end by then have been judged. When it is told depends on the samples alone, not on how they
/// came in.
struct Tick {
  Duration every{};  ///< 0: nobody.
  std::function<void(const Diagnoser&, WallTime)> tell = nullptr;
  /// Drop what is settled (explain/incidents.h) after it was told, now and then: the diagnosis is of what
  /// goes on and of what may still change, and memory is bounded by that.
  bool forget = false;
};

struct DiagnoserOptions {
  detect::Preset preset;
  PipelineOptions pipeline;  ///< Its windows are taken from the preset.
  std::vector<explain::Rule> rules;
  detect::ThresholdBook thresholds;
  std::optional<PersistenceHistory::Spec> history;  ///< Keep who was persistent when.
  std::vector<KnownIncident> known;    ///< Those that operators decided about; they keep their ids.
  std::vector<ExpectedWork> expected;  ///< Background work that operators know of, and that explains.
  Tick tick;
  std::span<const DetectorSpec> detectors = detector_table();  ///< Of events and profiles.
  bool bias = true;  ///< Look for what is a little slower in nearly every window, too.
};

}  // namespace laggard::engine
