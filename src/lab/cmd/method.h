#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "detect/peer/compare/comparer.h"
#include "detect/peer/compare/preset.h"
#include "detect/peer/judge/threshold_book.h"
#include "engine/algorithm.h"
#include "lab/score/outcome.h"
#include "model/series_source.h"
#include "model/topology.h"

namespace laggard::lab {

/// One way to judge a run, as a column of a table of results.
struct MethodSpec {
  std::string name;
  engine::Algorithm algorithm = engine::laggard_algorithm();
  bool one_client = false;  ///< Sees connections as F did: those of one client.
  bool checklist = false;   ///< Accuses by F's checklist; else by confirmed incidents.
  bool trained = true;
  detect::Distance distance = detect::Distance::kCdf;
  detect::Preset preset;
  std::optional<double> congestion_seconds;  ///< Instead of Parameters::congestion_seconds.
};

/// F's own: KL divergence, its windows, trained, its checklist.
[[nodiscard]] MethodSpec paper_method();
/// Ours by default settings, with thresholds trained on the same runs.
[[nodiscard]] MethodSpec laggard_method();
/// Ours out of the box, with nothing trained.
[[nodiscard]] MethodSpec untrained_method();

/// One metric in which one server was flagged.
struct Flag {
  std::string server;
  std::string metric;
  double score = 0;  ///< Largest distance over its threshold.
};

/// What a method said about one run.
struct Judgement {
  std::vector<Flag> flags;
  std::vector<Accusation> accusations;
  /// Largest persistence of each server that was flagged at all.
  std::vector<std::pair<std::string, int>> persistence;
};

/// Learns a method's thresholds from fault-free runs, which come in the order of their times.
[[nodiscard]] Result<detect::Thresholds> train_on(const MethodSpec& method,
                                                  std::span<const std::unique_ptr<SeriesSource>> runs,
                                                  const SystemModel* system);

[[nodiscard]] Result<Judgement> judge_run(const MethodSpec& method, SeriesSource& run,
                                          const SystemModel* system, const detect::ThresholdBook& thresholds);

}  // namespace laggard::lab
