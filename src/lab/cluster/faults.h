#pragma once

#include <memory>

#include "lab/cluster/fabric.h"
#include "lab/cluster/file_server.h"
#include "lab/cluster/scenario.h"

namespace laggard::lab {

/// Something that makes a server sick for a while (F §9).
class Fault {
 public:
  virtual ~Fault() = default;
  virtual void begin() = 0;
  virtual void end() = 0;
};

/// What a fault works on.
struct FaultPlace {
  EventQueue& queue;
  Fabric& fabric;
  FileServer& server;
  std::size_t server_index = 0;
  std::int64_t spare_partition = 0;  ///< First byte of the unused partition.
  const RunSpec& run;
  const ClusterSpec& cluster;
  Random random;
};

/// The fault of a run; null for none.
///
/// disk-hog            dd reads the spare partition in blocks of 256 MB past the cache: half of the block
/// layer's 128
///                     requests (nr_requests) are always its own.
/// disk-busy           sgm_dd reads it in SCSI commands of 1 MB, one after the other.
/// write-network-hog   a third party sends zeros to the server; read-network-hog: the server to it.
/// receive-pktloss     the server's firewall drops 5 % of what it receives.
/// send-pktloss        every client's drops 5 % of what it receives from the server.
[[nodiscard]] std::unique_ptr<Fault> make_fault(const FaultPlace& place);

}  // namespace laggard::lab
