#include "topology/import/addresses.h"

#include <algorithm>

#include "base/text.h"
#include "model/address.h"

namespace laggard::topology {

void HostAddresses::add(const std::string& host, const std::string& address) {
  std::string canonical = canonical_address(address);
  if (!is_ip_address(canonical) || is_host_local(canonical)) return;
  owners_[canonical].insert(host);
  by_host_[host].insert(std::move(canonical));
}

std::vector<std::string> HostAddresses::of(const std::string& host) const {
  std::vector<std::string> own;
  const auto found = by_host_.find(host);
  if (found == by_host_.end()) return own;
  for (const std::string& address : found->second) {
    if (owners_.at(address).size() == 1) own.push_back(address);
  }
  std::sort(own.begin(), own.end(), natural_less);
  return own;
}

}  // namespace laggard::topology
