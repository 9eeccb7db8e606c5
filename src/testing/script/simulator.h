#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "model/sample_table.h"

namespace laggard::script {

/// A temporary fault of one host or one of its devices. Seconds count from the start.
///
/// On disks: `slow` (requests take `by` times as long), `hog` (`by` times the group's work more, and that
/// much slower), `stall` (nothing completes while requests wait), `jam` (the same, and all the others
/// wait for it), `silent` (no work), `absent` (the device is
/// not there, and counts from zero when it is back). On hosts: `reboot` (nothing recorded; counters begin
/// anew), `lossy` (a sample in `by` is lost), `clock` (off by `by` seconds), `flood` (`by` times the usual
/// traffic more is sent), `drops` (`by` percent of the segments towards and from the host are retransmitted),
/// `limps` (round trips to and from it take `by` times as long), `throttle` (its daemon may use `by` percent
/// of a core; only systems with such a fault have daemons).
struct Fault {
  std::string kind;
  std::string host;
  std::string device;  ///< Empty: all of the host's.
  double from = 0;
  double to = 0;
  double by = 1;
};

/// A parallel file system as laggard's recorder would see it. Servers s1, s2, … have disks d1, d2, …; with
/// clients c1, c2, … there are also interfaces and connections.
struct System {
  std::size_t servers = 9;
  std::size_t disks = 1;
  std::size_t clients = 0;
  double reads = 0;     ///< Requests/s and disk, on average.
  double writes = 200;  ///< The same.
  double sectors = 64;  ///< Per request.
  double await_ms = 12;
  double noise = 0.2;  ///< Standard deviation of the logarithm of work and await, second by second.
  double length = 300;
  double interval = 1;
  std::uint64_t seed = 1;
  std::vector<Fault> faults;
};

/// Makes up the counters of a System, sample by sample. Work rises and falls for all servers alike, and each
/// disk's latency wanders by its own autoregression, as those of healthy disks do.
class Simulator {
 public:
  using Sink = std::function<void(const SampleTable&)>;

  explicit Simulator(System system);

  /// Gives `sink` tables of a minute, of one host and kind each, in the order of a TableReader.
  void run(const Sink& sink);

  /// The time of second 0.
  [[nodiscard]] static WallTime start();

 private:
  struct Series {
    std::string device;
    bool present = true;
    double wander = 0;
    std::vector<std::uint64_t> counters;
  };
  struct Row {
    WallTime time;
    std::vector<bool> present;
    std::vector<std::vector<std::uint64_t>> counters;
  };
  struct Host {
    std::string name;
    bool server = true;
    std::size_t boots = 0;
    std::vector<std::vector<Series>> series;  ///< Per DeviceKind.
    std::vector<std::vector<Row>> rows;       ///< The same; not yet given to the sink.
  };

  [[nodiscard]] const Fault* fault(std::string_view kind, const std::string& host, const std::string& device,
                                   double t) const;
  double wander(Series& series);
  std::uint64_t poisson(double mean);
  void add_connections();
  void step(Host& host, double t);
  void step_disk(const Host& host, Series& disk, double t);
  void step_interface(const Host& host, Series& interface, double t);
  void step_daemon(const Host& host, Series& daemon, double t);
  void step_connection(const Host& host, Series& connection, double t);
  void record(Host& host, double t);
  void hand_out(Host& host, const Sink& sink) const;

  System system_;
  std::mt19937_64 random_;
  double work_ = 0;  ///< Logarithm of the present work of all, relative to the average.
  std::vector<Host> hosts_;
};

}  // namespace laggard::script
