#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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

/// One way to judge a run: a column in a table of results.
struct MethodSpec {
  std::string name;
  engine::Algorithm algorithm = engine::laggard_algorithm();
  bool one_client = false;  ///< Sees only the connections of one client, as F did.
  bool trained = true;
  detect::Distance distance = detect::Distance::kCdf;
  detect::Preset preset;
  std::optional<detect::Preset> beside{};    ///< Whose windows are judged in the same pass, as `auto` does.
  std::optional<double> congestion_seconds;  ///< Replaces Parameters::congestion_seconds.
};

// All with the windows of `preset`; lab has F's. Ours judges the windows beside them, too.

/// F's method: KL divergence, trained, its checklist.
[[nodiscard]] MethodSpec paper_method(std::string_view preset = "lab");
/// The same with what F recorded of connections.
[[nodiscard]] MethodSpec one_client_method(std::string_view preset = "lab");
/// Ours with default settings, and thresholds trained on the same runs.
[[nodiscard]] MethodSpec laggard_method(std::string_view preset = "lab");
/// Ours with default settings, untrained.
[[nodiscard]] MethodSpec untrained_method(std::string_view preset = "lab");

/// A metric in which a server was flagged.
struct Flag {
  std::string server;
  std::string metric;
  double score = 0;  ///< Largest ratio of distance to threshold.
};

/// A method's verdict on one run.
struct Judgement {
  std::vector<Flag> flags;
  std::vector<Accusation> accusations;
  /// Largest persistence of each server that was flagged at all.
  std::vector<std::pair<std::string, int>> persistence;
};

/// Learns a method's thresholds from fault-free runs, given in time order.
[[nodiscard]] Result<detect::Thresholds> train_on(const MethodSpec& method,
                                                  std::span<const std::unique_ptr<SeriesSource>> runs,
                                                  const SystemModel* system);

[[nodiscard]] Result<Judgement> judge_run(const MethodSpec& method, SeriesSource& run,
                                          const SystemModel* system, const detect::ThresholdBook& thresholds);

}  // namespace laggard::lab
