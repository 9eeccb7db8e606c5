#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "collect/procfs/net_sampler.h"

namespace laggard::collect {

AddressesByInterface local_addresses() {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return {};
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(list, ::freeifaddrs);
  AddressesByInterface found;
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr) continue;
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (entry->ifa_addr->sa_family == AF_INET) {
      sockaddr_in address{};
      std::memcpy(&address, entry->ifa_addr, sizeof address);
      ::inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size());
    } else if (entry->ifa_addr->sa_family == AF_INET6) {
      sockaddr_in6 address{};
      std::memcpy(&address, entry->ifa_addr, sizeof address);
      ::inet_ntop(AF_INET6, &address.sin6_addr, text.data(), text.size());
    } else {
      continue;
    }
    found[entry->ifa_name].emplace_back(text.data());
  }
  for (auto& [name, addresses] : found) std::sort(addresses.begin(), addresses.end());
  return found;
}

}  // namespace laggard::collect
