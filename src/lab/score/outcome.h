#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/time.h"
#include "lab/cluster/truth.h"

namespace laggard::lab {

/// One server that a diagnosis calls faulty, and why.
struct Accusation {
  std::string server;
  std::string cause;  ///< disk-hog, disk-busy, network-hog, packet-loss, …
  WallTime since{};   ///< When it could be said: the end of the window that made it faulty.
};

/// What F §11's footnote 5 counts of one experiment. All experiments have at most one fault.
struct Outcome {
  bool itp = false;                 ///< The faulty server is indicted; false without a fault.
  bool ifp = false;                 ///< Some other server is.
  bool dtp = false;                 ///< The faulty server is indicted, and first with the right cause.
  bool dfp = false;                 ///< A wrong cause, or a wrong server.
  std::optional<Duration> latency;  ///< From the fault's beginning to the indictment of the faulty server.
  bool operator==(const Outcome&) const = default;
};

/// The cause that a right diagnosis names: both network hogs are `network-hog`, both losses `packet-loss`
/// (F §10.2's checklist does not tell directions apart).
[[nodiscard]] std::string cause_of(const std::string& fault);

/// Holds accusations against the truth. Several causes for the faulty server: the first accusation counts.
[[nodiscard]] Outcome judge(const Truth& truth, std::span<const Accusation> accusations);

}  // namespace laggard::lab
