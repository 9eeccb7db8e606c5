#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/series_source.h"

namespace laggard::testing_support {

/// Builds inventories for tests: a hundred samples a device.
class InventoryBuilder {
 public:
  InventoryBuilder& add(const std::string& host, DeviceKind kind, const std::string& device,
                        std::uint64_t active = 100,
                        std::vector<std::pair<std::string, std::string>> facts = {}) {
    DeviceInfo info;
    info.host = host;
    info.kind = kind;
    info.device = device;
    info.samples = 100;
    info.active_samples = active;
    info.facts = std::move(facts);
    inventory_.devices.push_back(std::move(info));
    return *this;
  }
  InventoryBuilder& disk(const std::string& host, const std::string& device, std::uint64_t active = 100,
                         std::vector<std::pair<std::string, std::string>> facts = {}) {
    return add(host, DeviceKind::kDisk, device, active, std::move(facts));
  }
  InventoryBuilder& net(const std::string& host, const std::string& device, std::uint64_t active = 100,
                        std::vector<std::pair<std::string, std::string>> facts = {}) {
    return add(host, DeviceKind::kNet, device, active, std::move(facts));
  }
  InventoryBuilder& tcp(const std::string& host, const std::string& device) {
    return add(host, DeviceKind::kTcp, device);
  }
  [[nodiscard]] const Inventory& get() const { return inventory_; }

 private:
  Inventory inventory_;
};

/// Nine servers with a disk each and four clients, as in the project's GlusterFS recordings.
[[nodiscard]] inline Inventory gluster_inventory() {
  InventoryBuilder build;
  const auto server_end = [](int s) { return "10.77.0." + std::to_string(s) + ":24007"; };
  const auto client_end = [](int c, int s) {
    return "10.77.0.10" + std::to_string(c) + ":" + std::to_string(49152 - s);
  };
  for (int s = 1; s <= 9; ++s) {
    const std::string name = "s" + std::to_string(s);
    build.disk(name, "loop2" + std::to_string(s)).net(name, "eth0").net(name, "lo");
    for (int c = 1; c <= 4; ++c) build.tcp(name, server_end(s) + ">" + client_end(c, s));
  }
  for (int c = 1; c <= 4; ++c) {
    const std::string name = "c" + std::to_string(c);
    build.net(name, "eth0");
    for (int s = 1; s <= 9; ++s) build.tcp(name, client_end(c, s) + ">" + server_end(s));
  }
  return build.get();
}

}  // namespace laggard::testing_support
