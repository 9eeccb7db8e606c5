#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/system/grouping.h"

namespace laggard::analyse::testing_support {

/// Groupings for tests of blame, component by component.
class GroupingBuilder {
 public:
  /// A component of the group of this kind; the group is made when it is the first.
  GroupingBuilder& add(GroupKind kind, const std::string& name, const std::string& host,
                       std::vector<Blame> parts) {
    Component component;
    component.name = name;
    component.host = host;
    component.parts = std::move(parts);
    const ComponentId id{static_cast<std::uint32_t>(grouping_.components.size())};
    grouping_.components.push_back(std::move(component));
    for (PeerGroup& group : grouping_.groups) {
      if (group.kind != kind) continue;
      group.members.push_back(id);
      return *this;
    }
    PeerGroup group;
    group.name = to_name(kind);
    group.kind = kind;
    group.members = {id};
    grouping_.groups.push_back(std::move(group));
    return *this;
  }

  GroupingBuilder& disk(const std::string& host, const std::string& device) {
    const std::string name = host + "/" + device;
    return add(GroupKind::kDisks, name, host, {{BlameKind::kDisk, name}, {BlameKind::kServer, host}});
  }

  /// Servers s1, s2, … with their disks d1, d2, …, an interface and both ways of their connections.
  GroupingBuilder& servers(std::size_t servers, std::size_t disks, bool network) {
    for (std::size_t s = 1; s <= servers; ++s) {
      const std::string host = "s" + std::to_string(s);
      for (std::size_t d = 1; d <= disks; ++d) disk(host, "d" + std::to_string(d));
      if (!network) continue;
      const std::string link = host + "/eth0";
      add(GroupKind::kInterfaces, link, host,
          {{BlameKind::kLink, link}, {BlameKind::kServer, host}, {BlameKind::kNetwork, "net"}});
      for (const auto& [kind, name] : {std::pair(GroupKind::kTcpFromServers, host + "/tcp-out"),
                                       std::pair(GroupKind::kTcpFromClients, host + "/tcp-in")}) {
        add(kind, name, host, {{BlameKind::kLink, host}, {BlameKind::kServer, host}});
      }
    }
    return *this;
  }

  /// A LUN behind a controller of an array, seen by these servers.
  GroupingBuilder& lun(const std::string& lun, const std::string& controller, const std::string& array,
                       const std::vector<std::string>& servers) {
    for (const std::string& server : servers) {
      const std::string name = lun + "." + server;
      add(GroupKind::kDisks, name, server,
          {{BlameKind::kAttachment, name},
           {BlameKind::kLun, lun},
           {BlameKind::kServer, server},
           {BlameKind::kController, controller},
           {BlameKind::kArray, array}});
    }
    return *this;
  }

  [[nodiscard]] const Grouping& get() const { return grouping_; }

  [[nodiscard]] std::size_t index(const std::string& name) const {
    for (std::size_t c = 0; c < grouping_.components.size(); ++c) {
      if (grouping_.components[c].name == name) return c;
    }
    LAGGARD_CHECK(false && "no such component");
    return 0;
  }

 private:
  Grouping grouping_;
};

}  // namespace laggard::analyse::testing_support
