#include "model/recorded_hosts.h"

#include <algorithm>
#include <optional>

#include "model/address.h"

namespace laggard {

void RecordedHosts::add(std::string_view host) {
  if (!servers_) servers_ = grouping_.servers_of_luns();
  std::vector<std::string>& names = hosts_[std::string(without_domain(host))];
  if (std::ranges::find(names, host) == names.end()) names.emplace_back(host);
}

std::string RecordedHosts::host_of(const Part& part) const {
  if (part.kind == PartKind::kLun) {
    const std::optional<PartId> lun = grouping_.parts.find(part.kind, part.name);
    const auto servers = lun ? servers_->find(*lun) : servers_->end();
    if (servers != servers_->end()) return servers->second.front().name;
  }
  return grouping_.hosts_of(part).front();
}

std::vector<std::string> RecordedHosts::of(std::span<const Part> parts) const {
  std::vector<std::string> found;
  if (!servers_) return found;
  for (const Part& part : parts) {
    const std::string host = host_of(part);
    const auto names = hosts_.find(without_domain(host));
    if (names == hosts_.end()) continue;
    for (const std::string& name : names->second) {
      if (may_be_same_host(name, host) && std::ranges::find(found, name) == found.end())
        found.push_back(name);
    }
  }
  return found;
}

std::vector<std::string> RecordedHosts::some_of(std::span<const Part> parts,
                                                std::span<const std::string> without,
                                                std::size_t most) const {
  std::vector<std::string> all = of(parts);
  std::erase_if(all,
                [&](const std::string& host) { return std::ranges::find(without, host) != without.end(); });
  if (all.size() <= most) return all;
  std::vector<std::string> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(all[i * all.size() / most]);
  return some;
}

}  // namespace laggard
