#pragma once

#include <span>
#include <string>
#include <vector>

#include "lab/score/outcome.h"

namespace laggard::lab {

/// One metric in which one server was flagged in an experiment.
struct Sign {
  std::string server;
  std::string metric;
  WallTime since{};  ///< When it was flagged.
};

/// F §10.2's checklist with §12's network step, as F applies it to an experiment: "If we observe
/// peer-divergence at any step of the checklist, we halt at that step and arrive at the root cause and faulty
/// server". So a server that diverges at a later step is not indicted at all, be it the sick one: in Tables 4
/// and 5 ITP and IFP of most rows add up to 100 %, as they do when each experiment indicts through one step.
///   1 rd_sec or wr_sec                                 disk-hog
///   2 await                                            disk-busy
///   3 rxbyt and txbyt; or one of them without cwnd     network-hog
///   4 cwnd                                             packet-loss
/// Every server that diverges at the step is indicted, once.
[[nodiscard]] std::vector<Accusation> paper_checklist(std::span<const Sign> signs);

}  // namespace laggard::lab
