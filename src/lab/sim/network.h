#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "lab/sim/event_queue.h"
#include "lab/sim/random.h"

namespace laggard::lab {

/// A switched Ethernet. Defaults: F §8's gigabit NICs, and a switch whose model F does not give.
struct NetworkSpec {
  double bytes_per_second = 125e6;
  /// Cable, switch, interrupt and stack, one way, without serialisation: half of the 80 us that an idle pair
  /// of such hosts shows in ping.
  SimTime one_way = std::chrono::microseconds(40);
  /// The switch's buffer for one output port; what exceeds it is dropped. F names no switch: fitted.
  std::int64_t port_buffer_bytes = 128 << 10;
};

/// The counters of a host's interface in /proc/net/dev.
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
inline constexpr std::int64_t kUsualMtu = 1500;
inline constexpr std::int64_t kMtuHeaderBytes = kUsualMtu - kMaxSegment;

/// Hosts on one switch. A burst first waits for its sender's transmitter, which loses nothing (the queue of
/// the interface holds more than all windows together), then for the receiver's port of the switch, which
/// drops what finds the buffer full. Both are first come, first served: their state is the time at which they
/// will have sent everything. Acknowledgements are counted but take no time: they are 2 % of the bytes that
/// they acknowledge.
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

  /// Queues a burst at the sender. \return the time at which its first segment leaves.
  SimTime leave(const Burst& burst, SimTime now);

  struct Arrival {
    SimTime at{};               ///< Of the last segment that got through.
    std::uint32_t dropped = 0;  ///< Off the end of the burst, by the switch.
  };
  /// Must be called at the time that `leave` returned, so that no later burst comes before it.
  Arrival pass_switch(const Burst& burst, SimTime now);

  void count_acks(std::size_t from, std::size_t to, std::uint32_t acks);

  /// Probability that the receiver's firewall drops a packet from one host to another (F §9), after its
  /// interface has counted it.
  [[nodiscard]] double loss(std::size_t from, std::size_t to) const {
    return loss_[from * hosts_.size() + to];
  }
  void set_loss(std::size_t from, std::size_t to, double p) { loss_[from * hosts_.size() + to] = p; }

  /// What is wrong with the cable of a host. The default is a healthy one.
  struct Cable {
    double sending = 1;            ///< Speed of what the host sends, of the port's.
    double receiving = 1;          ///< Of what it receives.
    SimTime delay{};               ///< That every packet takes longer, each way.
    SimTime jitter{};              ///< That a burst takes longer by chance, at most, each way.
    double copies = 1;             ///< That arrive of a packet, on average.
    std::int64_t mtu = kUsualMtu;  ///< Largest packet that passes, bytes; more than kMtuHeaderBytes.
    bool up = true;                ///< Else nothing passes, either way.
  };
  void set_cable(std::size_t host, const Cable& cable) { hosts_[host].cable = cable; }
  /// How long a packet is on its way, without serialisation, queues and jitter.
  [[nodiscard]] SimTime one_way(std::size_t from, std::size_t to) const {
    return spec_.one_way + hosts_[from].cable.delay + hosts_[to].cable.delay;
  }
  /// The most that it may take longer by chance.
  [[nodiscard]] SimTime jitter(std::size_t from, std::size_t to) const {
    return hosts_[from].cable.jitter + hosts_[to].cable.jitter;
  }

  /// Puts hosts on a second switch, and all else on the first: what passes between the two goes over one
  /// uplink of that rate each way, first come, first served, with a port's buffer. Without hosts there is no
  /// second switch.
  void set_second_switch(std::span<const std::size_t> hosts, double uplink_bytes_per_second);

 private:
  struct Host {
    SimTime sent_until{};       ///< The transmitter is busy until then.
    SimTime forwarded_until{};  ///< The switch's port towards the host is.
    NetCounters counters;
    Cable cable;
    bool on_second_switch = false;
  };
  struct Uplink {
    double bytes_per_second = 0;
    SimTime busy_until[2]{};  ///< Towards the second switch, and away from it.
  };

  /// Into how many packets of the path's MTU it is cut.
  [[nodiscard]] std::uint32_t packets(const Burst& burst) const;
  [[nodiscard]] double wire_bytes(const Burst& burst) const;
  [[nodiscard]] SimTime time_for(const Burst& burst, double bytes_per_second) const {
    return from_seconds(wire_bytes(burst) / bytes_per_second);
  }
  /// The burst without what a queue has no room for. \param backlog  that it finds there.
  [[nodiscard]] Burst without_excess(const Burst& burst, SimTime backlog, double bytes_per_second) const;
  /// When a burst that begins now has passed the uplink, if it has to; what finds no room is taken from it.
  SimTime pass_uplink(Burst& burst, SimTime now);

  NetworkSpec spec_;
  std::vector<Host> hosts_;
  std::vector<double> loss_;
  std::optional<Uplink> uplink_;
};

/// Linux 2.6.18 in segments.
struct TcpOptions {
  double initial_window = 3;  ///< RFC 3390 for an MSS of 1448.
  /// Receive window of untuned sockets of the time (tcp_rmem's 174,760 bytes less a quarter for overhead).
  double receive_window = 90;
  SimTime least_timeout = std::chrono::milliseconds(200);  ///< TCP_RTO_MIN.
  SimTime delayed_ack = std::chrono::milliseconds(40);     ///< TCP_DELACK_MIN.
  std::uint32_t quick_acks = 16;                           ///< TCP_MAX_QUICKACKS.
};

/// The counters of one end of a connection in the kernel's socket diagnostics.
struct TcpCounters {
  std::uint64_t snd_cwnd = 0;
  std::uint64_t retrans = 0;
  std::uint64_t lost = 0;
  std::uint64_t rtt_us = 0;
  std::uint64_t bytes_sent = 0;
};

/// One direction of a TCP connection, simulated round trip by round trip: in each the sender sends one
/// window, then learns what arrived. Reno with SACK and limited transmit, as F §6.1 describes it ("halved ...
/// reduced to one segment").
///
/// - window = min(cwnd, receive window); slow start cwnd += acks, then cwnd += acks / cwnd, only in rounds
///   that used the whole of cwnd (Linux does not grow a window that the application leaves unused).
/// - acks: one for two segments in order; one for each while there is a hole and for the next 16 segments
///   (delayed ACKs and quick ACKs), which is what makes lossy connections acknowledge twice as much (F §12).
///   A receiver that answers ("pingpong") is in a dialogue: its answers carry the ACKs again.
/// - a lost segment is repeated with the average size of its round.
/// - a loss that at least three later segments follow is retransmitted in the next round, cwnd and ssthresh =
///   max(cwnd / 2, 2). Other losses, and losses of retransmissions, wait for the timeout: 200 ms, doubled
///   each time; cwnd = 1.
/// - after a pause of n timeouts cwnd is halved n times, not below the initial window; one that was not
///   filled for a timeout shrinks half-way to what was used of it, not below the initial window (RFC 2861).
/// - the ACK of a last single segment waits 40 ms for data to go back with: answers carry those of requests.
/// Lost ACKs are ignored, because the next one acknowledges the same.
class TcpFlow final : public EventHandler {
 public:
  struct Ends {
    std::size_t from = 0;
    std::size_t to = 0;
  };
  TcpFlow(EventQueue& queue, Network& network, Ends ends, const TcpOptions& options, Random random);

  /// Sends a message; `delivered` is raised when its last byte is at the receiver's application. Requires
  /// bytes > 0.
  void send(std::int64_t bytes, const Signal& delivered);

  /// The other direction of the connection, which carries this one's delayed ACKs. It must outlive this one.
  void set_way_back(TcpFlow& back) { way_back_ = &back; }

  [[nodiscard]] TcpCounters counters() const;
  [[nodiscard]] Ends ends() const { return ends_; }

  void on_event(std::uint32_t kind, std::uint64_t about) override;

 private:
  enum Kind : std::uint32_t { kLeaves, kAnswered, kTimeout };

  struct Message {
    std::int64_t end = 0;  ///< Position in the stream after its last byte.
    Signal delivered{};
  };
  struct Round {
    Network::Burst burst;
    std::uint32_t retransmitted = 0;  ///< That many segments at its beginning.
    std::uint32_t lost = 0;
    std::uint32_t lost_again = 0;  ///< Of the retransmitted ones.
    bool lost_at_end = false;      ///< With too few segments after it to be noticed before the timeout.
    bool used_window = false;
    SimTime began{};
    std::int64_t stream_before = 0;
  };

  void begin_round();
  void restart_after_pause();
  void validate_window(std::uint32_t segments);
  void leave();
  void draw_losses(std::uint32_t dropped);
  void finish_round();
  void acknowledge(std::uint32_t arrived);
  /// How many of these ACKs are sent now by themselves.
  [[nodiscard]] std::uint32_t pure_acks(std::uint32_t acks, bool last_is_single);
  /// The receiver sends data: the ACK that it owes goes with it, unless it had to go before, and its quick
  /// ACKs end.
  void carry_delayed_ack();
  void back_off();
  void deliver(std::int64_t up_to);

  EventQueue& queue_;
  Network& network_;
  Ends ends_;
  TcpOptions options_;
  Random random_;

  double cwnd_;
  double threshold_ = 1e9;
  double smoothed_rtt_s_ = 0;
  std::uint32_t timeouts_in_a_row_ = 0;
  std::uint32_t quick_acks_left_ = 0;
  TcpFlow* way_back_ = nullptr;
  std::optional<SimTime> ack_owed_since_;
  SimTime last_sent_{};
  SimTime window_checked_{};       ///< When the window was last full, or last shrank because it was not.
  std::uint32_t window_used_ = 0;  ///< Largest round since then.
  bool busy_ = false;

  std::deque<Message> messages_;
  std::int64_t stream_end_ = 0;   ///< All bytes to be sent.
  std::int64_t stream_sent_ = 0;  ///< Those that were sent at least once.
  std::uint32_t to_repeat_ = 0;   ///< Segments known to be lost.
  std::int64_t bytes_to_repeat_ = 0;
  Round round_;

  std::uint64_t retransmissions_ = 0;
  std::uint64_t bytes_sent_ = 0;
};

}  // namespace laggard::lab
