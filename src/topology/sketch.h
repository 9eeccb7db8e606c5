#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "model/topology.h"

namespace laggard::topology {

/// A system as a file system's own tools describe it: names instead of ids, and notes on what the tools do
/// not know, for the person who completes the system file. Importers fill it, write_system writes it.
struct SystemSketch {
  struct Server {
    std::string name{};
    HostRole role = HostRole::kServer;
    std::string set{};
    std::vector<std::string> addresses{};
    std::vector<std::string> devices{};  ///< Its local ones, in order of rank.
    DiskPeers peers = DiskPeers::kAuto;
  };
  /// A LUN as one server reaches it.
  struct Path {
    std::string server{};
    std::string device{};
  };
  struct Lun {
    std::string name{};
    std::string array{};  ///< Empty: not known.
    std::string set{};
    std::vector<Path> paths{};  ///< Primary first.
  };
  struct Array {
    std::string name{};
    std::vector<std::string> servers{};  ///< In the order in which LUNs number them.
    std::vector<std::string> controllers{};
    /// By controller, the servers cabled to it, as positions in `servers` counted from 1 (`5-8,1`). Empty
    /// when they are cabled in equal runs.
    std::vector<std::string> cabling{};
    bool cache_coherent = true;
  };
  struct Drawer {
    std::string name{};
    std::string array{};  ///< Empty: none.
    std::vector<std::string> luns{};
    std::vector<std::string> devices{};  ///< `host/device`.
    std::string called{};                ///< As Topology's.
  };
  struct Group {
    std::string name{};
    std::vector<std::string> members{};
  };
  /// Sentences for the reader, by the tables that they precede; `end` lists what is missing.
  struct Notes {
    std::vector<std::string> head;
    std::vector<std::string> servers;
    std::vector<std::string> clients;
    std::vector<std::string> arrays;
    std::vector<std::string> luns;
    std::vector<std::string> drawers;
    std::vector<std::string> groups;
    std::vector<std::string> end;
  };

  std::string name;
  std::vector<Server> servers;
  std::vector<std::string> clients;
  std::vector<Array> arrays;
  std::vector<Lun> luns;
  std::vector<Drawer> drawers;
  std::vector<Group> groups;
  Notes notes;
};

/// Writes a sketch as a system file: equal hosts and LUNs are folded into node sets, priorities become an
/// order that the LUNs take in turn where possible, and notes become comments.
///
/// read_system accepts the text and finds the sketch in it: the same hosts, LUNs, attachments with their
/// devices and priorities, arrays and groups. What a system file cannot express (names that node sets cannot
/// hold, a device named twice on one server, the same LUN twice) is an error.
[[nodiscard]] Result<std::string> write_system(const SystemSketch& sketch);

/// The part of `write_system` that writes the [[luns]] tables: LUNs of one array, set and set of servers
/// share a table, whatever the order of the servers, as long as the orders repeat after a few LUNs.
[[nodiscard]] std::string write_luns(const SystemSketch& sketch);

}  // namespace laggard::topology
