#include "lab/bench/kinds.h"

#include <algorithm>

namespace laggard::lab::bench {

namespace {
template <typename Kind, std::size_t N>
std::optional<Kind> kind_of(const std::array<std::string_view, N>& names, std::string_view name) {
  const auto* const at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) return std::nullopt;
  return static_cast<Kind>(at - names.begin());
}
}  // namespace

std::string_view to_name(Workload workload) { return kWorkloadNames.at(static_cast<std::size_t>(workload)); }
std::string_view to_name(FaultKind fault) { return kFaultNames.at(static_cast<std::size_t>(fault)); }
std::optional<Workload> workload_of(std::string_view name) { return kind_of<Workload>(kWorkloadNames, name); }
std::optional<FaultKind> fault_of(std::string_view name) { return kind_of<FaultKind>(kFaultNames, name); }

}  // namespace laggard::lab::bench
