#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace laggard::topology {

/// Addresses of hosts, as several sources tell them: one that two hosts have is nobody's, and what is no IP
/// address or means another machine on every machine is not kept.
class HostAddresses {
 public:
  void add(const std::string& host, const std::string& address);
  /// The host's own, in natural order.
  [[nodiscard]] std::vector<std::string> of(const std::string& host) const;

 private:
  std::map<std::string, std::set<std::string>> by_host_;
  std::map<std::string, std::set<std::string>> owners_;  ///< By address.
};

}  // namespace laggard::topology
