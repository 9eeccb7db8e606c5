#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "topology/import/saved_text.h"

namespace laggard::topology {

/// What Lustre's tools report, from all machines together.
struct LustreFacts {
  /// An OST or MDT.
  struct Target {
    std::set<std::string> mounted_on;            ///< Hosts, mostly one.
    std::map<std::string, std::string> devices;  ///< By host, as mounted: `/dev/mapper/ost0`, `pool/ost0`.
    std::vector<std::string> nids;               ///< Of the servers that can have it, first choice first.
    std::set<std::string> connected_to;          ///< NIDs by which some client is connected to it.
    std::string trouble;  ///< A state other than the normal one; empty when none was seen.
    std::string place;    ///< Where it was first seen.
  };

  std::map<std::string, Target> targets;              ///< By name: `scratch-OST0000`.
  std::map<std::string, std::set<std::string>> nids;  ///< By host, the host's own.
  std::set<std::string> hosts;                        ///< Hosts whose output was read.
};

/// A name such as `scratch-OST0000`: file system, kind and index in hexadecimal.
struct LustreTarget {
  std::string_view filesystem;
  bool metadata = false;
};
[[nodiscard]] std::optional<LustreTarget> lustre_target(std::string_view name);

/// Reads any of `lctl dl [-t]`, `lctl list_nids`, `lctl get_param` and `lfs osts|mdts`, one after the other
/// in a file or not; a line of another kind is passed over. Lines that begin with `HOST: ` are that host's
/// (pdsh). A text without a host counts as that of a client, which mounts nothing. A file without any such
/// line is an error.
[[nodiscard]] Result<LustreFacts> read_lustre_facts(std::span<const SavedText> files);

}  // namespace laggard::topology
