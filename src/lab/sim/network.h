#pragma once

#include <cstdint>
#include <vector>

#include "lab/sim/event_queue.h"

namespace laggard::lab {

/// A switched Ethernet. Defaults: F §8's gigabit NICs and a switch whose kind F does not say.
struct NetworkSpec {
  double bytes_per_second = 125e6;
  /// Cable, switch, interrupt and stack, one way, without serialisation: half of the 80 us that an idle pair
  /// of such hosts shows in ping.
  SimTime one_way = std::chrono::microseconds(40);
  /// What the switch keeps for one output port; more is dropped.
  std::int64_t port_buffer_bytes = 128 << 10;
};

/// What /proc/net/dev shows of a host's interface.
struct NetCounters {
  std::uint64_t rx_bytes = 0;
  std::uint64_t rx_packets = 0;
  std::uint64_t tx_bytes = 0;
  std::uint64_t tx_packets = 0;
};

/// Bytes of a segment besides its payload: in the counters Ethernet 14, IP 20 and TCP 32 (with timestamps);
/// on the wire another 24 of checksum, preamble and gap. MSS = 1500 - 52.
inline constexpr std::int64_t kHeaderBytes = 66;
inline constexpr std::int64_t kWireExtraBytes = 24;
inline constexpr std::int64_t kMaxSegment = 1448;

/// Hosts on one switch. A burst first waits for its sender's transmitter, which loses nothing (the queue of
/// the interface holds more than all windows together), then for the switch's port of the receiver, which
/// drops what finds the buffer full. Both are first come first served: their state is the time at which they
/// will have sent everything. Acknowledgements are counted but take no time: 2 % of the bytes that they
/// answer.
class Network {
 public:
  Network(const NetworkSpec& spec, std::size_t hosts);

  [[nodiscard]] const NetworkSpec& spec() const { return spec_; }
  [[nodiscard]] const NetCounters& counters(std::size_t host) const { return hosts_[host].counters; }

  struct Burst {
    std::size_t from = 0;
    std::size_t to = 0;
    std::uint32_t segments = 0;
    std::int64_t payload_bytes = 0;
  };

  /// Queues a burst at the sender; returns when its first segment leaves.
  SimTime leave(const Burst& burst, SimTime now);

  struct Arrival {
    SimTime at{};               ///< Of the last segment that got through.
    std::uint32_t dropped = 0;  ///< Off the end of the burst, by the switch.
  };
  /// Requires to be called at the time that `leave` gave: later bursts must not be seen before it.
  Arrival pass_switch(const Burst& burst, SimTime now);

  void count_acks(std::size_t from, std::size_t to, std::uint32_t acks);

  /// Probability that a packet from one host is thrown away by the receiver's firewall (F §9), after its
  /// interface has counted it.
  [[nodiscard]] double loss(std::size_t from, std::size_t to) const {
    return loss_[from * hosts_.size() + to];
  }
  void set_loss(std::size_t from, std::size_t to, double p) { loss_[from * hosts_.size() + to] = p; }

 private:
  struct Host {
    SimTime sent_until{};       ///< The transmitter is busy until then.
    SimTime forwarded_until{};  ///< The switch's port towards the host is.
    NetCounters counters;
  };

  [[nodiscard]] SimTime time_for(const Burst& burst) const;

  NetworkSpec spec_;
  std::vector<Host> hosts_;
  std::vector<double> loss_;
};

}  // namespace laggard::lab
