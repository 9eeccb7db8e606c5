#pragma once

#include <optional>
#include <vector>

#include "analyse/explain/rules.h"
#include "analyse/judge/pipeline.h"
#include "analyse/judge/threshold_book.h"
#include "analyse/peer/preset.h"
#include "analyse/persistence_history.h"

namespace laggard::analyse {

struct DiagnoserOptions {
  Preset preset;
  PipelineOptions pipeline;  ///< Its windows are taken from the preset.
  std::vector<Rule> rules;
  ThresholdBook thresholds;
  std::optional<PersistenceHistory::Spec> history;  ///< Keep who was persistent when.
  bool bias = true;  ///< Look for what is a little slower in nearly every window, too.
};

}  // namespace laggard::analyse
