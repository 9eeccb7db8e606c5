#include "lab/cluster/fault.h"

#include <algorithm>

namespace laggard::lab {

std::unique_ptr<Fault> make_fault(const FaultPlace& place) {
  if (place.run.fault == FaultKind::kNone) return nullptr;
  for (const auto makers : {disk_faults(), network_faults(), daemon_faults()}) {
    const auto maker = std::find_if(makers.begin(), makers.end(),
                                    [&](const FaultMaker& m) { return m.fault == to_name(place.run.fault); });
    if (maker != makers.end()) return maker->make(place);
  }
  LAGGARD_CHECK(!"a fault of the catalogue that is simulated has a maker");
  return nullptr;
}

}  // namespace laggard::lab
