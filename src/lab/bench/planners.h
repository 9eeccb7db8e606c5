#pragma once

#include <string>

#include "lab/bench/fault.h"

/// How each fault of the catalogue is made on the bench, a function each.
namespace laggard::lab::bench {

/// One server or client that a fault strikes.
struct Victim {
  const FaultSite& site;
  SizedFault fault;
  std::size_t number = 1;  ///< Of a server or client, from 1.

  [[nodiscard]] const Layout& layout() const { return site.layout; }
  [[nodiscard]] double value(std::string_view parameter) const {
    return value_of(fault.kind, fault.strength, parameter);
  }
  [[nodiscard]] std::string server() const { return layout().server(number); }
  [[nodiscard]] std::string client() const { return layout().client(number); }
  [[nodiscard]] const std::string& loop() const { return site.loops.at(number - 1); }
};

/// A script of the shell.
[[nodiscard]] Command shell(std::string script);

// Traffic: load on disks and links from outside the file system (F §9).
[[nodiscard]] FaultPlan disk_hog(const Victim& victim);
[[nodiscard]] FaultPlan disk_busy(const Victim& victim);
[[nodiscard]] FaultPlan write_network_hog(const Victim& victim);
[[nodiscard]] FaultPlan read_network_hog(const Victim& victim);
[[nodiscard]] FaultPlan metadata_neighbour(const Victim& victim);

// Links and switches.
[[nodiscard]] FaultPlan receive_loss(const Victim& victim);
[[nodiscard]] FaultPlan send_loss(const Victim& victim);
[[nodiscard]] FaultPlan link_rate(const Victim& victim);
[[nodiscard]] FaultPlan link_rate_in(const Victim& victim);
[[nodiscard]] FaultPlan link_rate_out(const Victim& victim);
[[nodiscard]] FaultPlan sick_cable(const Victim& victim);
[[nodiscard]] FaultPlan link_flap(const Victim& victim);
[[nodiscard]] FaultPlan link_mtu(const Victim& victim);
[[nodiscard]] FaultPlan switch_rate(const Victim& victim);
[[nodiscard]] FaultPlan switch_loss(const Victim& victim);
[[nodiscard]] FaultPlan slow_client(const Victim& victim);

// The server's daemon.
[[nodiscard]] FaultPlan cpu_quota(const Victim& victim);
[[nodiscard]] FaultPlan cpu_neighbour(const Victim& victim);
[[nodiscard]] FaultPlan daemon_stop(const Victim& victim);
[[nodiscard]] FaultPlan memory_limit(const Victim& victim);
[[nodiscard]] FaultPlan verbose_log(const Victim& victim);

// The disk itself.
[[nodiscard]] FaultPlan sick_disk(const Victim& victim);
[[nodiscard]] FaultPlan disk_full(const Victim& victim);
[[nodiscard]] FaultPlan read_ahead(const Victim& victim);

}  // namespace laggard::lab::bench
