#include "cmd/uncompared.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "model/counter.h"

namespace laggard::cmd {

std::vector<std::string> uncompared(const Inventory& inventory) {
  constexpr std::size_t kMostNames = 8;
  struct Unknown {
    std::set<std::string> names;
    std::size_t devices = 0;
  };
  std::map<DeviceKind, Unknown> unknown;
  for (const DeviceInfo& device : inventory.devices) {
    bool any = false;
    for (const TableCounter& counter : device.counters) {
      if (find_counter(device.kind, counter.name) != nullptr) continue;
      unknown[device.kind].names.insert(counter.name);
      any = true;
    }
    if (any) ++unknown[device.kind].devices;
  }
  std::vector<std::string> sentences;
  for (const auto& [kind, what] : unknown) {
    const std::vector<std::string> names(what.names.begin(), what.names.end());
    sentences.push_back(fmt::format(
        "{} of {} {} device{}: no metric is made of {}, say at the import what {} (--gauge '{}=await:ms')",
        first_few(names, kMostNames), what.devices, to_name(kind), what.devices == 1 ? "" : "s",
        names.size() == 1 ? "it" : "them", names.size() == 1 ? "it is" : "they are", names.front()));
  }
  return sentences;
}

}  // namespace laggard::cmd
