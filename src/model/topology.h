#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "model/background_work.h"
#include "model/transfer_rules.h"

namespace laggard {

using HostId = Id<struct HostTag>;
using DiskId = Id<struct DiskTag>;
using LunId = Id<struct LunTag>;
using AttachmentId = Id<struct AttachmentTag>;
using ControllerId = Id<struct ControllerTag>;
using ArrayId = Id<struct ArrayTag>;
using DrawerId = Id<struct DrawerTag>;
using NetworkId = Id<struct NetworkTag>;

enum class HostRole : std::uint8_t { kServer, kMetadataServer, kClient };

/// Which components of several hosts with several disks each are peers.
enum class DiskPeers : std::uint8_t {
  kAuto,  ///< kRank; but kHost when fewer than three hosts have storage and each has three loaded disks.
  kRank,  ///< The first disks of all hosts, the second disks of all hosts, …
  kHost,  ///< The disks of one host.
  kAll,   ///< All disks of all hosts.
};

/// A machine. `line` is where the system file names a thing (0: nowhere), for messages.
struct Host {
  std::string name;
  HostRole role = HostRole::kServer;
  std::string set;  ///< Only hosts of one set are peers (upgrades); mostly empty.
  std::vector<std::string> addresses;
  std::vector<DiskId> disks;  ///< In the order of the file, which is their rank.
  DiskPeers peers = DiskPeers::kAuto;
  std::uint32_t line = 0;
};

/// A storage device that one server alone reaches.
struct Disk {
  HostId host;
  std::string device;
  std::vector<DrawerId> drawers;
  std::uint32_t line = 0;
};

/// A storage array and its controllers: one, or a coupled pair.
struct Array {
  std::string name;
  std::vector<ControllerId> controllers;
  std::vector<HostId> servers;  ///< In the order in which LUNs count them.
  /// In coherent mode every LUN is reached through both controllers; otherwise only through its owner, which
  /// cuts off the servers of the other (T §5.7.1).
  bool cache_coherent = true;
  std::uint32_t line = 0;
};

struct Controller {
  std::string name;
  ArrayId array;
  std::vector<HostId> servers;  ///< Those cabled to this controller.
};

/// A target that several servers reach in an order of priority (T §5.2.2).
struct Lun {
  std::string name;
  std::optional<ArrayId> array;
  std::optional<ControllerId> owner;
  std::string set;  ///< Upgrade set: only LUNs of one set are peers (T §5.2.1).
  std::vector<DrawerId> drawers;
  std::vector<AttachmentId> attachments;  ///< Primary first.
  /// Anomalous only when also unlike the other attachments of its server (T §6.2.3).
  bool double_with_server = false;
  std::uint32_t line = 0;
};

/// A LUN as one server sees it: `controller.lun.server`, the unit of analysis (T §5.2.2).
struct Attachment {
  std::string name;
  LunId lun;
  HostId server;
  std::optional<ControllerId> controller;  ///< The one that the server is cabled to.
  std::uint32_t priority = 0;              ///< 0 is the primary.
  std::string device;                      ///< Name of the block device on the server.
};

struct Drawer {
  std::string name;
  std::optional<ArrayId> array;
  std::string called{};  ///< Empty: a drawer. Else what it is: `rack`.
};

struct Network {
  std::string name;
  struct Port {
    HostId host;
    std::string interface;
  };
  std::vector<Port> ports;
  std::uint32_t line = 0;
};

/// A switch with the ports of hosts that are plugged into it.
struct Switch {
  std::string name;
  std::vector<Network::Port> ports;
  std::string uplink;  ///< The switch above it; empty: none.
  std::uint32_t line = 0;
};

/// How clients reach servers where that is not direct: over a router or gateway, or over any of several.
struct NetworkRoute {
  std::string name;  ///< Of several: of the group among which traffic is balanced.
  std::vector<std::string> over;
  std::vector<HostId> from;  ///< The clients that need it; empty: all.
  std::vector<HostId> to;
  std::uint32_t line = 0;
};

/// What spreads requests over servers.
struct LoadBalancer {
  std::string name;
  std::vector<HostId> servers;
  std::uint32_t line = 0;
};

/// Peers that the operator names; they leave the groups that they would have been in.
struct NamedGroup {
  std::string name;
  std::vector<std::string> members;  ///< Component names.
  std::uint32_t line = 0;
};

/// What is connected to what. Ids index the vector of their kind.
struct Topology {
  std::vector<Host> hosts;
  std::vector<Disk> disks;
  std::vector<Array> arrays;
  std::vector<Controller> controllers;
  std::vector<Lun> luns;
  std::vector<Attachment> attachments;
  std::vector<Drawer> drawers;
  std::vector<Network> networks;
  std::vector<Switch> switches;
  std::vector<NetworkRoute> routes;
  std::vector<LoadBalancer> load_balancers;
  std::vector<NamedGroup> groups;
};

/// A system file, read.
struct SystemModel {
  std::string path;  ///< For messages.
  std::string name;
  Topology topology;
  std::vector<ExpectedWork> expected_work;
  TransferRules transfers;  ///< Of recorded system calls.
};

}  // namespace laggard
