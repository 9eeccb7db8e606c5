#include "model/recorded_hosts.h"

#include <algorithm>
#include <cstdint>

#include "model/address.h"

namespace laggard {

void RecordedHosts::add(std::string_view host) {
  if (!servers_) index_luns();
  std::vector<std::string>& names = hosts_[std::string(without_domain(host))];
  if (std::ranges::find(names, host) == names.end()) names.emplace_back(host);
}

void RecordedHosts::index_luns() {
  servers_.emplace();
  const PartGraph& parts = grouping_.parts;
  for (std::uint32_t p = 0; p < parts.size(); ++p) {
    if (parts[PartId{p}].kind != PartKind::kAttachment) continue;
    const Part* const server = parts.nearest(PartId{p}, PartKind::kServer);
    for (const PartGraph::Edge& edge : parts.edges_of(PartId{p})) {
      const bool is_lun = edge.kind == EdgeKind::kRunsThrough && parts[edge.to].kind == PartKind::kLun;
      if (is_lun && server != nullptr) servers_->try_emplace(parts[edge.to].name, server->name);
    }
  }
}

std::vector<std::string> RecordedHosts::of(std::span<const Part> parts) const {
  std::vector<std::string> found;
  if (!servers_) return found;
  for (const Part& part : parts) {
    const auto server = servers_->find(part.name);
    const bool is_known = part.kind == PartKind::kLun && server != servers_->end();
    const std::string host = is_known ? server->second : grouping_.hosts_of(part).front();
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
