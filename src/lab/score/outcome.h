#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "lab/cluster/truth.h"

namespace laggard::lab {

/// One server that a diagnosis calls faulty, and why.
struct Accusation {
  std::string server;
  std::string cause;  ///< disk-hog, disk-busy, network-hog, packet-loss, …
  WallTime since{};   ///< When it was known: the end of the window that made it faulty.
};

/// The result of one experiment by F §11's footnote 5, which has one faulty server at most. Where several
/// hosts are sick, all of them have to be indicted for what one must be.
struct Outcome {
  bool itp = false;  ///< The faulty server is indicted; false without a fault.
  bool ifp = false;  ///< Some other server is.
  bool dtp = false;  ///< The faulty server is indicted, and first with the right cause.
  bool dfp = false;  ///< A wrong cause, or a wrong server.
  std::optional<Duration>
      latency;             ///< From the fault's beginning to the first indictment of a faulty server.
  std::size_t missed = 0;  ///< Faulty hosts that are not indicted.
  /// A faulty host is indicted, and none of them for a wrong cause: `unknown` is not wrong.
  bool cause_ok = false;
  bool operator==(const Outcome&) const = default;
};

/// Compares accusations with the truth. Which causes are right for a fault is in the catalogue: both network
/// hogs are `network-hog`, both losses `packet-loss` (F §10.2's checklist does not tell directions apart).
/// When a faulty server has several causes, the first one counts.
[[nodiscard]] Outcome judge(const Truth& truth, std::span<const Accusation> accusations);

/// One metric in which one server was flagged in an experiment.
struct Sign {
  std::string server;
  std::string metric;
  WallTime since{};  ///< When it was flagged.
};

/// F §10.2's checklist with §12's network step, as F applies it to an experiment: "If we observe
/// peer-divergence at any step of the checklist, we halt at that step and arrive at the root cause and faulty
/// server". So a server that diverges at a later step is not indicted, even if it is the faulty one: in
/// Tables 4 and 5 ITP and IFP of most rows add up to 100 %, as they do when each experiment indicts through
/// one step.
///   1 rd_sec or wr_sec                                 disk-hog
///   2 await                                            disk-busy
///   3 rxbyt and txbyt, or rxpck and txpck;
///     or one of them without cwnd                      network-hog
///   4 cwnd                                             packet-loss
/// Every server that diverges at the step is indicted, once.
[[nodiscard]] std::vector<Accusation> paper_checklist(std::span<const Sign> signs);

}  // namespace laggard::lab
