#include "model/part.h"

#include <algorithm>
#include <array>

namespace laggard {

namespace {

// The order is that of the constants in part.h, and that in which blames of equal worth are preferred.
constexpr std::array kKinds{
    PartKindSpec{"server", "server", 1},
    PartKindSpec{"disk", "disk", 0},
    PartKindSpec{"lun", "lun", 1},
    PartKindSpec{"attachment", "attachment", 0},
    PartKindSpec{"controller", "controller", 2},
    PartKindSpec{"array", "array", 3},
    PartKindSpec{"drawer", "drawer", 2},
    PartKindSpec{"link", "link", 0},
    PartKindSpec{"network", "network", 4},
    PartKindSpec{"load_balancer", "load balancer", 4},
    PartKindSpec{"metadata_server", "metadata server", 1},
    PartKindSpec{"client", "client", 1},
    PartKindSpec{"switch", "switch", 3},
    PartKindSpec{"router", "router", 3},
    PartKindSpec{"process", "process", 0},
};
static_assert(kKinds.size() == PartKind::kProcess.index() + 1);

}  // namespace

std::span<const PartKindSpec> part_kinds() { return kKinds; }

const PartKindSpec& PartKind::spec() const { return kKinds[row_]; }

std::optional<PartKind> find_part_kind(std::string_view name) {
  const auto found = std::ranges::find(kKinds, name, &PartKindSpec::name);
  if (found == kKinds.end()) return std::nullopt;
  return PartKind(static_cast<std::uint8_t>(found - kKinds.begin()));
}

}  // namespace laggard
