#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "model/background_work.h"
#include "topology/import/saved_text.h"
#include "topology/import/site_map.h"

namespace laggard::topology {

/// What Ceph's monitors know about OSDs.
struct CephFacts {
  struct Osd {
    std::string host;          ///< As the OSD itself says; empty when only the tree knows.
    std::string device_class;  ///< hdd, ssd, nvme, or the site's own.
    double weight = 0;         ///< CRUSH weight, by default the size in TiB.
    double reweight = 1;       ///< 0: out.
    bool in_tree = false;
    std::string status;                ///< up, down, destroyed; empty when only other commands were saved.
    std::string data_device;           ///< Kernel name of what holds the data, as the OSD says.
    std::vector<std::string> devices;  ///< Kernel names of all that the OSD uses.
    std::set<std::string> addresses;
  };
  struct Bucket {
    std::string name;
    std::string type;  ///< root, rack, host, …
    std::vector<std::int64_t> children;
  };
  std::map<std::int64_t, Osd> osds;
  std::map<std::int64_t, Bucket> buckets;  ///< Negative ids.
  /// `host/device` -> the OSDs on it. A device with several is shared, mostly for their databases.
  std::map<std::string, std::set<std::int64_t>> users;
};

/// Reads any of `ceph osd tree`, `ceph osd df [tree]`, `ceph osd metadata` and `ceph device ls`, each with
/// `-f json`, one to a file.
[[nodiscard]] Result<CephFacts> read_ceph_facts(std::span<const SavedText> files);

/// The device that holds an OSD's data; empty when it cannot be told from those for its database and journal.
[[nodiscard]] std::string data_device(const CephFacts& facts, const CephFacts::Osd& osd);

/// The disks of all OSDs whose host and disk are known, on hosts named as the map says. Fails when there is
/// none.
[[nodiscard]] Result<OsdDisks> osd_disks(std::span<const SavedText> files, const SiteMap& map);

}  // namespace laggard::topology
