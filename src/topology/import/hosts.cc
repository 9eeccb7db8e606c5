#include "topology/import/hosts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "model/address.h"
#include "topology/import/saved_text.h"

namespace laggard::topology {

Result<std::string> HostNames::name(std::string_view printed) {
  std::string full(printed);
  if (const auto told = map_.hosts.find(full); told != map_.hosts.end()) return told->second;
  if (const auto other = aliases_.find(full); other != aliases_.end() && other->second != full) {
    full = other->second;
    if (const auto told = map_.hosts.find(full); told != map_.hosts.end()) return told->second;
  }
  if (!map_.short_names || is_ip_address(canonical_address(full))) return full;
  std::string name(without_domain(full));
  const auto [known, added] = printed_.emplace(name, full);
  if (!added && known->second != full) {
    return fail(ErrorCode::kBadInput, "",
                fmt::format("'{}' and '{}' would both be called '{}'; a site map with `short_names = false` "
                            "keeps their domains",
                            excerpt(known->second), excerpt(full), excerpt(name)));
  }
  return name;
}

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
