#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/grouping.h"

namespace laggard::testing_support {

/// Builds groupings for tests of blame, component by component.
class GroupingBuilder {
 public:
  /// Adds a component to the group of this kind, which is made for the first one. Attachments of different
  /// priorities are in separate groups, as they are not peers.
  GroupingBuilder& add(GroupKind kind, const std::string& name, const std::string& host,
                       const std::vector<Part>& parts, std::optional<std::size_t> priority = std::nullopt) {
    Component component;
    component.name = name;
    component.host = host;
    // Flat: the component runs through all other parts of the list directly.
    component.part = grouping_.parts.add(parts.empty() ? Part{PartKind::kDisk, name} : parts.front());
    for (std::size_t p = 1; p < parts.size(); ++p) {
      grouping_.parts.connect(component.part, EdgeKind::kRunsThrough, grouping_.parts.add(parts[p]));
    }
    if (priority) component.priority = static_cast<std::uint32_t>(*priority);
    const ComponentId id{static_cast<std::uint32_t>(grouping_.components.size())};
    grouping_.components.push_back(std::move(component));
    std::string group_name(to_name(kind));
    if (priority) group_name += ", priority " + std::to_string(*priority + 1);
    for (PeerGroup& group : grouping_.groups) {
      if (group.name != group_name) continue;
      group.members.push_back(id);
      return *this;
    }
    PeerGroup group;
    group.name = group_name;
    group.kind = kind;
    group.members = {id};
    grouping_.groups.push_back(std::move(group));
    return *this;
  }

  GroupingBuilder& disk(const std::string& host, const std::string& device) {
    const std::string name = host + "/" + device;
    return add(GroupKind::kDisks, name, host, {{PartKind::kDisk, name}, {PartKind::kServer, host}});
  }

  /// Servers s1, s2, … with their disks d1, d2, …, an interface and both ways of their connections.
  GroupingBuilder& servers(std::size_t servers, std::size_t disks, bool network) {
    for (std::size_t s = 1; s <= servers; ++s) {
      const std::string host = "s" + std::to_string(s);
      for (std::size_t d = 1; d <= disks; ++d) disk(host, "d" + std::to_string(d));
      if (!network) continue;
      const std::string link = host + "/eth0";
      add(GroupKind::kInterfaces, link, host,
          {{PartKind::kLink, link}, {PartKind::kServer, host}, {PartKind::kNetwork, "net"}});
      for (const auto& [kind, name] : {std::pair(GroupKind::kTcpFromServers, host + "/tcp-out"),
                                       std::pair(GroupKind::kTcpFromClients, host + "/tcp-in")}) {
        add(kind, name, host, {{PartKind::kLink, host}, {PartKind::kServer, host}});
      }
    }
    return *this;
  }

  /// Adds a LUN behind a controller of an array, seen by these servers.
  GroupingBuilder& lun(const std::string& lun, const std::string& controller, const std::string& array,
                       const std::vector<std::string>& servers) {
    for (const std::string& server : servers) {
      const std::string name = lun + "." + server;
      add(GroupKind::kDisks, name, server,
          {{PartKind::kAttachment, name},
           {PartKind::kLun, lun},
           {PartKind::kServer, server},
           {PartKind::kController, controller},
           {PartKind::kArray, array}});
    }
    return *this;
  }

  /// Adds an array as in T §5.2: servers s0, s1, … of which the first half is attached to controller NAMEa;
  /// LUN l is reached first through server l, then through the following ones, cyclically; a drawer with the
  /// first half of the LUNs. Attachments are NAME.l.s.
  GroupingBuilder& array(const std::string& name, std::size_t luns, std::size_t servers) {
    for (std::size_t l = 0; l < luns; ++l) {
      for (std::size_t priority = 0; priority < servers; ++priority) {
        const std::size_t s = (l + priority) % servers;
        const std::string attachment = attachment_name(name, l, s);
        const std::string host = name + "-s" + std::to_string(s);
        std::vector<Part> parts{{PartKind::kAttachment, attachment},
                                {PartKind::kLun, name + "-l" + std::to_string(l)},
                                {PartKind::kServer, host},
                                {PartKind::kController, name + (s < servers / 2 ? "a" : "b")},
                                {PartKind::kArray, name}};
        if (l < luns / 2) parts.push_back({PartKind::kDrawer, name + "-D"});
        add(GroupKind::kDisks, attachment, host, std::move(parts), priority);
      }
    }
    return *this;
  }

  /// LUNs of an array belong to its controllers NAMEa and NAMEb by turns.
  GroupingBuilder& owned(const std::string& name, std::size_t luns) {
    for (std::size_t l = 0; l < luns; ++l) {
      const PartId lun = grouping_.parts.add({PartKind::kLun, name + "-l" + std::to_string(l)});
      const Part owner{PartKind::kController, name + (l % 2 == 0 ? "a" : "b")};
      grouping_.parts.connect(lun, EdgeKind::kOwnedBy, grouping_.parts.add(owner));
    }
    return *this;
  }

  /// Routes the component's traffic over this part.
  GroupingBuilder& over(const std::string& component, Part part) {
    const PartId own = grouping_.components[index(component)].part;
    grouping_.parts.connect(own, EdgeKind::kRoutesOver, grouping_.parts.add(std::move(part)));
    return *this;
  }

  /// A part that is no component, and what it needs.
  GroupingBuilder& under(Part part, Part needed) {
    const PartId own = grouping_.parts.add(std::move(part));
    grouping_.parts.connect(own, EdgeKind::kRoutesOver, grouping_.parts.add(std::move(needed)));
    return *this;
  }

  static std::string attachment_name(const std::string& array, std::size_t lun, std::size_t server) {
    return array + "." + std::to_string(lun) + "." + std::to_string(server);
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

}  // namespace laggard::testing_support
