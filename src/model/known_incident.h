#pragma once

#include <string>
#include <vector>

#include "base/time.h"

namespace laggard {

/// An incident as it was when somebody decided about it: what a later run needs in order to know it again,
/// and what is left to show when nothing else is.
struct KnownIncident {
  std::string id;
  std::string blamed{};  ///< Name of the part.
  std::string cause{};
  WallTime since{};
  WallTime until{};  ///< End of the last anomalous window by then.
  std::vector<std::string> components{};
  bool operator==(const KnownIncident&) const = default;
};

/// What operators decided about an incident, as it is shown with it.
struct IncidentDecision {
  std::string what;  ///< repaired, excluded, included, noted
  WallTime made;
  std::string by;
  std::string why;
  bool undone = false;  ///< It was taken back later.
};

}  // namespace laggard
