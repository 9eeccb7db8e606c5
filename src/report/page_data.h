#pragma once

#include <string>
#include <vector>

#include "model/incident.h"
#include "model/plot.h"

namespace laggard::report {

/// What a page's script draws, as JSON that may stand inside a <script>:
/// `{"peers":[...],"distributions":[...],"maps":[...]}`, lists that the figures of the page point into by
/// number. Series are packed (report/pack.h); times are milliseconds after `t0`.
struct PageData {
  std::vector<const PeerPlot*> peers;
  std::vector<const DistributionPlot*> distributions;
  std::vector<const ScoreMap*> maps;
};
[[nodiscard]] std::string to_script_json(const PageData& data);

}  // namespace laggard::report
