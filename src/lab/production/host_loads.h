#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "lab/production/probes.h"
#include "lab/production/site.h"
#include "lab/sim/random.h"
#include "model/sample_table.h"

namespace laggard::lab::production {

/// What the hosts of a site show of their load, once a minute, as `laggard record metrics` would record it:
/// data servers and metadata servers with their disks, routers, and the monitors.
///
/// It follows from the work that waits in the queues of Probes: a disk that works for a share u of its time
/// does u x requests, and of V seconds of work that wait the requests wait in its queue. A processor has to
/// do with each request, and what waits for a disk is a process that is blocked. How much a request is
/// differs from host to host, wanders, and is another thing for the jobs of an incident; some hosts do
/// something of no importance besides. What is slow and not busy holds requests; what hangs holds all that
/// come until its threads are used up; a server that is failed over records nothing until it is.
class HostLoads {
 public:
  HostLoads(const Site& site, const Stretch& stretch, Random random);

  /// The tables of the minute that was simulated last. \param end  of it.
  [[nodiscard]] std::vector<SampleTable> record(const Probes& probes, WallTime end);

 private:
  /// What is the host's own, and what its counters have come to.
  struct Host {
    std::string name;
    double requests = 0;  ///< Of a second of a disk's work.
    double request_sectors = 0;
    double idle_cores = 0;     ///< Of a job of no importance, ...
    double idle_requests = 0;  ///< ... and its requests to disks.
    double memory_kb = 0;
    std::vector<std::uint64_t> counters;
  };
  /// What a host had to do in a minute, in the mean.
  struct Work {
    double cores = 0;
    double requests = 0;       ///< A second.
    double sectors = 0;        ///< The same.
    double queue = 0;          ///< Requests at its disks.
    double for_processor = 0;  ///< Share of the time.
    double held = 0;           ///< Requests that hang.
    bool recorded = true;
  };

  [[nodiscard]] Work disk_server(const Probes& probes, Host& host, std::size_t server);
  [[nodiscard]] Work metadata_server(const Probes& probes, Host& host, std::size_t metadata);
  [[nodiscard]] Work router(const Probes& probes, std::size_t router);
  void add_disk_work(Host& host, const StageQueues::Minute& minute, std::span<const Effect* const> effects,
                     Work& work);
  static void hold(std::span<const Effect* const> effects, Work& work);
  void tell(Host& host, const Work& work, WallTime end, std::vector<SampleTable>& tables);
  [[nodiscard]] bool is_to_be_failed_over(std::size_t server) const;
  [[nodiscard]] Host& next_host(std::size_t& at) { return hosts_[at++]; }
  /// How much more or less than usual.
  [[nodiscard]] double about(double spread);

  const Stretch& stretch_;
  Random random_;
  double flood_ = 1;  ///< How large the requests of an incident's jobs are.
  std::vector<Host> hosts_;
};

}  // namespace laggard::lab::production
