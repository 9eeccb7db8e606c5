#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "analyse/explain/episodes.h"
#include "analyse/explain/sighting.h"
#include "model/system/grouping.h"

namespace laggard::analyse {

/// When an attachment is lost, the LUN's load goes through the next one that is not (T §5.2.2, §5.7.1): what
/// has load there is not sick, and those in between, which serve nobody either way, must be lost, too.
struct TakeOvers {
  /// Sightings of attachments that serve in place of lost ones, with the component that they stand in for.
  std::map<std::size_t, std::size_t> relieving;
  /// Attachments that were passed over.
  std::vector<Trouble> passed_over;
};

/// \param slack  in cells: the load may be seen so long before the loss, or after its end.
[[nodiscard]] TakeOvers find_take_overs(const Grouping& grouping, std::span<const Sighting> sightings,
                                        std::int64_t shift, std::int64_t slack);

}  // namespace laggard::analyse
