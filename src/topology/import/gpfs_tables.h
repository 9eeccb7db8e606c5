#pragma once

#include <span>
#include <string>
#include <vector>

#include "topology/import/saved_text.h"

namespace laggard::topology {

/// What GPFS tools print, row by row, with the places for messages. Names are as printed.
struct GpfsTables {
  /// mmlsnsd: which servers serve an NSD, first to last.
  struct Nsd {
    std::string name;
    std::string filesystem;  ///< Empty: on none.
    std::vector<std::string> servers;
    std::string place;
  };
  /// mmlsnsd -m, -M or -X: the name of the NSD's device on one node.
  struct Device {
    std::string nsd;
    std::string node;
    std::string device;  ///< Without /dev/; empty: not found there.
    bool server = false;
    std::string place;
  };
  /// mmlsdisk.
  struct Disk {
    std::string nsd;
    std::string failure_group;
    bool metadata = true;
    bool data = true;
    std::string status;
    std::string availability;
    std::string pool;
  };
  /// mmlscluster.
  struct Node {
    std::string daemon_name;
    std::string address;
    std::string admin_name;
    std::string place;
  };

  std::string cluster;
  std::vector<Nsd> nsds;
  std::vector<Device> devices;
  std::vector<Disk> disks;
  std::vector<Node> nodes;
};

/// Reads any of mmlsnsd (plain, -L, -m, -M, -X), mmlsdisk (plain, -L) and mmlscluster, each as printed for
/// people or with -Y, in any number of files, several to a file or not. Text around the tables is passed
/// over; a file without a table, and a row that does not fit its heading, are errors.
[[nodiscard]] Result<GpfsTables> read_gpfs_tables(std::span<const SavedText> files);

}  // namespace laggard::topology
