#include "topology/import/import.h"

#include <fmt/format.h>

#include "base/node_set.h"

namespace laggard::topology {

std::string listed(std::span<const std::string> names) {
  constexpr std::size_t kLongest = 400;
  std::string folded = fold_node_set(names);
  if (folded.size() <= kLongest) return folded;
  const std::size_t cut = folded.rfind(',', kLongest);
  return fmt::format("{} ... ({} in all)", folded.substr(0, cut == std::string::npos ? kLongest : cut),
                     names.size());
}

std::string imported_from(std::string_view filesystem) {
  return fmt::format(
      "The system as the tools of {} describe it. Correct it where you know better; docs/formats/system.md "
      "explains every key, docs/formats/topology.md what was taken from where, `laggard system check` finds "
      "mistakes.",
      filesystem);
}

std::string missing_in_general() {
  return "Not known to the file system, to be added where it matters: upgrade sets (set = \"old\"), drawers, "
         "the "
         "interfaces of its networks ([[networks]]; without them interfaces with traffic are compared by "
         "rank).";
}

}  // namespace laggard::topology
