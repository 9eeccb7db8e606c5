#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/cluster/rpc.h"
#include "model/series_source.h"

namespace laggard::lab {

/// Names and addresses of hosts.
[[nodiscard]] std::string server_name(std::size_t server);  // s1 ...
[[nodiscard]] std::string client_name(std::size_t client);  // c1 ...
[[nodiscard]] std::string server_address(std::size_t server);
[[nodiscard]] std::string client_address(std::size_t client);
inline constexpr std::string_view kStorageDisk = "sdb";  ///< The second of F §8's two disks.
inline constexpr std::string_view kInterface = "eth0";
inline constexpr std::string_view kDaemonName = "fileserver";

/// Reads all hosts' counters once a second, as `laggard record metrics` would on each of them, and gives them
/// to a sink as tables: servers' storage disk and daemon, every host's interface, and the connections between
/// clients and file servers at both ends. The metadata server of Lustre and the third party are not recorded.
class Recorder final : public EventHandler {
 public:
  Recorder(EventQueue& queue, Fabric& fabric, std::vector<const FileServer*> servers);

  /// Samples now and every second from now on.
  void begin() { on_event(0, 0); }
  void on_event(std::uint32_t kind, std::uint64_t about) override;

  /// Writes everything since the beginning; `start` is the wall time at which the run began.
  [[nodiscard]] Status write(TableSink& sink, WallTime start) const;

 private:
  /// Rows of one host and kind: sample after sample, device after device, counter after counter.
  struct Rows {
    std::string host;
    DeviceKind kind = DeviceKind::kDisk;
    std::vector<std::string> devices;
    std::vector<std::uint64_t> cells;
  };

  void add_tables();
  [[nodiscard]] SampleTable table(const Rows& rows, WallTime start) const;
  [[nodiscard]] Status describe(TableSink& sink, WallTime start) const;
  static void append_disk(const DiskCounters& counters, std::vector<std::uint64_t>& cells);
  static void append_daemon(const DaemonCounters& counters, std::vector<std::uint64_t>& cells);
  static void append_net(const NetCounters& counters, std::vector<std::uint64_t>& cells);
  static void append_tcp(const TcpCounters& counters, std::vector<std::uint64_t>& cells);

  EventQueue& queue_;
  Fabric& fabric_;
  std::vector<const FileServer*> servers_;
  std::vector<SimTime> times_;
  std::vector<Rows> disks_;    ///< Per server.
  std::vector<Rows> daemons_;  ///< Per server.
  std::vector<Rows> nets_;     ///< Servers, then clients.
  std::vector<Rows> sockets_;  ///< Servers, then clients.
};

}  // namespace laggard::lab
