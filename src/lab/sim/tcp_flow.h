#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "lab/sim/event_queue.h"
#include "lab/sim/network.h"
#include "lab/sim/random.h"

namespace laggard::lab {

/// Linux 2.6.18 in segments.
struct TcpOptions {
  double initial_window = 3;  ///< RFC 3390 for an MSS of 1448.
  /// Receive window of untuned sockets of the time (tcp_rmem's 174,760 bytes less a quarter for overhead).
  double receive_window = 90;
  SimTime least_timeout = std::chrono::milliseconds(200);  ///< TCP_RTO_MIN.
  SimTime delayed_ack = std::chrono::milliseconds(40);     ///< TCP_DELACK_MIN.
  std::uint32_t quick_acks = 16;                           ///< TCP_MAX_QUICKACKS.
};

/// What the kernel's socket diagnostics show of one end of a connection.
struct TcpCounters {
  std::uint64_t snd_cwnd = 0;
  std::uint64_t retrans = 0;
  std::uint64_t lost = 0;
  std::uint64_t rtt_us = 0;
  std::uint64_t bytes_sent = 0;
};

/// One direction of a TCP connection, simulated by round trips: in each the sender puts out one window, then
/// learns what became of it. Reno with SACK and limited transmit, as F §6.1 describes it ("halved ... reduced
/// to one segment").
///
/// - window = min(cwnd, receive window); slow start cwnd += acks, then cwnd += acks / cwnd, only in rounds
///   that used the whole of cwnd (Linux does not grow a window that the application leaves unused).
/// - acks: one for two segments in order; one for each while there is a hole and for the next 16 segments
///   (delayed ACKs and quick ACKs), which is what makes lossy connections acknowledge twice as much (F §12).
///   A receiver that answers ("pingpong") is in a dialogue: its answers carry the ACKs again.
/// - a lost segment is repeated with the bytes that it had, on average of its round.
/// - a loss that at least three later segments follow is retransmitted in the next round, cwnd and ssthresh =
///   max(cwnd / 2, 2). Other losses, and losses of retransmissions, wait for the timeout: 200 ms, doubled
///   each time; cwnd = 1.
/// - after a pause of n timeouts cwnd is halved n times, not below the initial window; one that was not
///   filled for a timeout sinks half-way to what was used of it, not below the initial window (RFC 2861).
/// - the ACK of a last single segment waits 40 ms for data to go back with: answers carry those of requests.
/// Lost ACKs are ignored: the next one says the same.
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

  /// The other direction of the connection, which carries this one's delayed ACKs. It outlives this one's
  /// use.
  void set_way_back(TcpFlow& back) { way_back_ = &back; }

  [[nodiscard]] TcpCounters counters() const;
  [[nodiscard]] Ends ends() const { return ends_; }

  void on_event(std::uint32_t kind, std::uint64_t about) override;

 private:
  enum Kind : std::uint32_t { kLeaves, kAnswered, kTimeout };

  struct Message {
    std::int64_t end = 0;  ///< Position in the stream behind its last byte.
    Signal delivered{};
  };
  struct Round {
    Network::Burst burst;
    std::uint32_t retransmitted = 0;  ///< The first so many segments.
    std::uint32_t lost = 0;
    std::uint32_t lost_again = 0;  ///< Of the retransmitted.
    bool lost_at_end = false;      ///< With too little behind it to be noticed before the timeout.
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
  /// Of these ACKs, those that go out by themselves now.
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
  SimTime window_checked_{};       ///< When the window was last full, or last sank for not being so.
  std::uint32_t window_used_ = 0;  ///< Largest round since then.
  bool busy_ = false;

  std::deque<Message> messages_;
  std::int64_t stream_end_ = 0;   ///< All bytes that were asked to be sent.
  std::int64_t stream_sent_ = 0;  ///< Of those, sent at least once.
  std::uint32_t to_repeat_ = 0;   ///< Segments known to be lost.
  std::int64_t bytes_to_repeat_ = 0;
  Round round_;

  std::uint64_t retransmissions_ = 0;
  std::uint64_t bytes_sent_ = 0;
};

}  // namespace laggard::lab
