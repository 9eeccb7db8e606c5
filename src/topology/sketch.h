#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "model/topology.h"

namespace laggard::topology {

/// A system as a file system's own tools describe it: names instead of ids, and beside them what could not be
/// known, for the person who completes the system file. Importers fill it, write_system writes it.
struct SystemSketch {
  struct Server {
    std::string name{};
    HostRole role = HostRole::kServer;
    std::string set{};
    std::vector<std::string> addresses{};
    std::vector<std::string> devices{};  ///< That it alone has, in order of rank.
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
    std::vector<std::string> servers{};  ///< In the order in which LUNs count them.
    std::vector<std::string> controllers{};
    /// By controller, the servers that hang on it, as positions in `servers` counted from 1 (`5-8,1`); empty:
    /// equal runs.
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
  /// Sentences for the reader, by the tables that they stand before; `end` is for what is missing.
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

/// Writes a sketch as a system file: equal hosts and LUNs folded into node sets, priorities as an order that
/// the LUNs take in turn where they do, notes as comments.
///
/// The text is sound for read_system and describes the sketch: same hosts, LUNs, attachments with their
/// devices and priorities, arrays and groups. What a system file cannot express (names that node sets cannot
/// hold, a device named twice on one server, the same LUN twice) is an error in one sentence.
[[nodiscard]] Result<std::string> write_system(const SystemSketch& sketch);

/// The part of `write_system` that writes the [[luns]] tables: LUNs of one array, set and set of servers
/// share a table, whatever the order of the servers, as long as the orders repeat after a few LUNs.
[[nodiscard]] std::string write_luns(const SystemSketch& sketch);

}  // namespace laggard::topology
