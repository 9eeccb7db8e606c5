#include "lab/cluster/fault.h"

namespace laggard::lab {

std::unique_ptr<Fault> make_fault(const FaultPlace& place) {
  if (place.run.fault == FaultKind::kNone) return nullptr;
  const FaultMaker* found = nullptr;
  for (const std::span<const FaultMaker> makers : {disk_faults(), network_faults(), daemon_faults()}) {
    for (const FaultMaker& maker : makers) {
      if (maker.fault == to_name(place.run.fault)) found = &maker;
    }
  }
  LAGGARD_CHECK(found != nullptr);  // Whatever the catalogue says is simulated has one.
  return found->make(place);
}

}  // namespace laggard::lab
