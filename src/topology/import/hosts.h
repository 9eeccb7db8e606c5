#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "topology/import/site_map.h"

namespace laggard::topology {

/// The names of hosts as the recordings have them: what the map says, else the name without its domain, else
/// the address as it is.
class HostNames {
 public:
  /// \param map  outlives this.
  explicit HostNames(const SiteMap& map) : map_(map) {}

  /// Adds another name of a host, such as that of its storage network.
  void alias(const std::string& other, const std::string& name) { aliases_.emplace(other, name); }

  /// Fails when two hosts would get one name.
  [[nodiscard]] Result<std::string> name(std::string_view printed);

 private:
  const SiteMap& map_;
  std::unordered_map<std::string, std::string> aliases_;
  std::unordered_map<std::string, std::string> printed_;  ///< By short name, the full name.
};

/// The addresses of hosts, collected from several sources. An address that two hosts claim belongs to
/// neither, and what is no IP address, or means a different machine on every machine, is not kept.
class HostAddresses {
 public:
  void add(const std::string& host, const std::string& address);
  /// The addresses that only this host has, in natural order.
  [[nodiscard]] std::vector<std::string> of(const std::string& host) const;

 private:
  std::map<std::string, std::set<std::string>> by_host_;
  std::map<std::string, std::set<std::string>> owners_;  ///< By address.
};

}  // namespace laggard::topology
