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

}  // namespace laggard::lab
