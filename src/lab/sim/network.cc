#include "lab/sim/network.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace laggard::lab {

Network::Network(const NetworkSpec& spec, std::size_t hosts)
    : spec_(spec), hosts_(hosts), loss_(hosts * hosts, 0.0) {}

void Network::set_second_switch(std::span<const std::size_t> hosts, double uplink_bytes_per_second) {
  for (Host& host : hosts_) host.on_second_switch = false;
  uplink_.reset();
  if (hosts.empty()) return;
  for (const std::size_t host : hosts) hosts_[host].on_second_switch = true;
  uplink_ = Uplink{.bytes_per_second = uplink_bytes_per_second};
}

std::uint32_t Network::packets(const Burst& burst) const {
  const std::int64_t mtu = std::min(hosts_[burst.from].cable.mtu, hosts_[burst.to].cable.mtu);
  if (mtu >= kUsualMtu) return burst.segments;
  const std::int64_t payload = mtu - kMtuHeaderBytes;
  return std::max(burst.segments, static_cast<std::uint32_t>((burst.payload_bytes + payload - 1) / payload));
}

double Network::wire_bytes(const Burst& burst) const {
  const std::int64_t headers = static_cast<std::int64_t>(packets(burst)) * (kHeaderBytes + kWireExtraBytes);
  return static_cast<double>(burst.payload_bytes + headers);
}

SimTime Network::leave(const Burst& burst, SimTime now) {
  Host& host = hosts_[burst.from];
  const SimTime start = std::max(now, host.sent_until);
  host.sent_until = start + time_for(burst, spec_.bytes_per_second * host.cable.sending);
  const std::uint32_t sent = packets(burst);
  host.counters.tx_packets += sent;
  host.counters.tx_bytes +=
      static_cast<std::uint64_t>(burst.payload_bytes + kHeaderBytes * static_cast<std::int64_t>(sent));
  return start;
}

Network::Burst Network::without_excess(const Burst& burst, SimTime backlog, double bytes_per_second) const {
  // Of bursts that arrive together at the port's own rate, all but one have to queue: the backlog before this
  // burst is the peak that its end sees.
  const double queued = std::max(0.0, to_seconds(backlog)) * bytes_per_second;
  const double excess = queued - static_cast<double>(spec_.port_buffer_bytes);
  if (excess <= 0 || burst.segments == 0) return burst;
  const double segment = wire_bytes(burst) / static_cast<double>(burst.segments);
  const auto dropped =
      static_cast<std::uint32_t>(std::clamp(excess / segment, 0.0, static_cast<double>(burst.segments)));
  Burst kept = burst;
  kept.segments -= dropped;
  kept.payload_bytes -= std::min(kept.payload_bytes, kMaxSegment * static_cast<std::int64_t>(dropped));
  return kept;
}

SimTime Network::pass_uplink(Burst& burst, SimTime now) {
  const bool away = hosts_[burst.from].on_second_switch;
  if (!uplink_ || away == hosts_[burst.to].on_second_switch) return now;
  SimTime& busy_until = uplink_->busy_until[away ? 1 : 0];
  burst = without_excess(burst, busy_until - now, uplink_->bytes_per_second);
  busy_until = std::max(now, busy_until) + time_for(burst, uplink_->bytes_per_second);
  return busy_until;
}

Network::Arrival Network::pass_switch(const Burst& burst, SimTime now) {
  const Cable& sender = hosts_[burst.from].cable;
  Host& host = hosts_[burst.to];
  const SimTime finished_sending = now + time_for(burst, spec_.bytes_per_second * sender.sending);
  if (!sender.up || !host.cable.up) {
    return {finished_sending + one_way(burst.from, burst.to), burst.segments};
  }
  Burst kept = burst;
  const SimTime forwarded = pass_uplink(kept, now);
  const double rate = spec_.bytes_per_second * host.cable.receiving;
  kept = without_excess(kept, host.forwarded_until - now, rate);
  const double copies = std::max(sender.copies, host.cable.copies);
  host.forwarded_until = std::max(now, host.forwarded_until) + time_for(kept, rate / copies);
  const double received = copies * packets(kept);
  const auto counted = static_cast<std::uint64_t>(received);
  host.counters.rx_packets += counted;
  host.counters.rx_bytes += static_cast<std::uint64_t>(copies * static_cast<double>(kept.payload_bytes)) +
                            static_cast<std::uint64_t>(kHeaderBytes) * counted;
  // A receiver acknowledges at once what it has already (RFC 5681).
  if (copies > 1) {
    count_acks(burst.to, burst.from, static_cast<std::uint32_t>(received - packets(kept)));
  }
  return {std::max({finished_sending, host.forwarded_until, forwarded}) + one_way(burst.from, burst.to),
          burst.segments - kept.segments};
}

void Network::count_acks(std::size_t from, std::size_t to, std::uint32_t acks) {
  const std::uint64_t bytes = std::uint64_t{acks} * static_cast<std::uint64_t>(kHeaderBytes);
  hosts_[from].counters.tx_packets += acks;
  hosts_[from].counters.tx_bytes += bytes;
  hosts_[to].counters.rx_packets += acks;
  hosts_[to].counters.rx_bytes += bytes;
}

namespace {

/// Segments that must arrive after a loss before it is recognised (the third duplicate ACK).
constexpr std::uint32_t kDuplicates = 3;
constexpr std::uint32_t kMostBackoff = 9;

std::uint32_t segments_for(std::int64_t bytes) {
  return static_cast<std::uint32_t>((bytes + kMaxSegment - 1) / kMaxSegment);
}

}  // namespace

TcpFlow::TcpFlow(EventQueue& queue, Network& network, Ends ends, const TcpOptions& options, Random random)
    : queue_(queue),
      network_(network),
      ends_(ends),
      options_(options),
      random_(random),
      cwnd_(options.initial_window) {}

void TcpFlow::send(std::int64_t bytes, const Signal& delivered) {
  LAGGARD_CHECK(bytes > 0);
  stream_end_ += bytes;
  messages_.push_back({stream_end_, delivered});
  if (!busy_) begin_round();
}

void TcpFlow::begin_round() {
  busy_ = stream_sent_ < stream_end_ || to_repeat_ > 0;
  if (!busy_) return;
  if (way_back_ != nullptr) way_back_->carry_delayed_ack();
  restart_after_pause();
  const auto window = static_cast<std::uint32_t>(std::max(1.0, std::min(cwnd_, options_.receive_window)));
  const std::uint32_t repeated = std::min(window, to_repeat_);
  const std::int64_t again = repeated == 0 ? 0 : bytes_to_repeat_ * repeated / to_repeat_;
  const std::int64_t room = static_cast<std::int64_t>(window - repeated) * kMaxSegment;
  const std::int64_t fresh = std::min(room, stream_end_ - stream_sent_);
  const std::uint32_t segments = repeated + segments_for(fresh);
  validate_window(segments);
  round_ = {
      .burst = {.from = ends_.from, .to = ends_.to, .segments = segments, .payload_bytes = fresh + again},
      .retransmitted = repeated,
      .used_window = segments >= static_cast<std::uint32_t>(cwnd_),
      .began = queue_.now(),
      .stream_before = stream_sent_};
  stream_sent_ += fresh;
  to_repeat_ -= repeated;
  bytes_to_repeat_ -= again;
  retransmissions_ += repeated;
  bytes_sent_ += static_cast<std::uint64_t>(round_.burst.payload_bytes);
  const SimTime leaves = network_.leave(round_.burst, queue_.now());
  if (leaves == queue_.now()) {
    leave();
  } else {
    queue_.schedule(leaves, {this, kLeaves, 0});
  }
}

void TcpFlow::restart_after_pause() {
  const SimTime pause = queue_.now() - last_sent_;
  if (timeouts_in_a_row_ > 0 || pause <= options_.least_timeout) return;
  threshold_ = std::max(threshold_, 0.75 * cwnd_);
  const double floor = std::min(cwnd_, options_.initial_window);
  const auto halvings = static_cast<int>(std::min<std::int64_t>(pause / options_.least_timeout, 30));
  cwnd_ = std::max(floor, std::floor(std::ldexp(cwnd_, -halvings)));
}

void TcpFlow::validate_window(std::uint32_t segments) {
  if (segments >= static_cast<std::uint32_t>(cwnd_)) {
    window_checked_ = queue_.now();
    window_used_ = 0;
    return;
  }
  window_used_ = std::max(window_used_, segments);
  if (queue_.now() - window_checked_ < options_.least_timeout) return;
  window_checked_ = queue_.now();
  const double used = std::max(static_cast<double>(window_used_), options_.initial_window);
  window_used_ = 0;
  if (used >= cwnd_) return;
  threshold_ = std::max(threshold_, 0.75 * cwnd_);
  cwnd_ = std::floor((cwnd_ + used) / 2);
}

void TcpFlow::leave() {
  const Network::Arrival arrival = network_.pass_switch(round_.burst, queue_.now());
  draw_losses(arrival.dropped);
  SimTime back = network_.one_way(ends_.to, ends_.from);
  const double jitter = to_seconds(network_.jitter(ends_.from, ends_.to));
  if (jitter > 0) back += from_seconds(random_.uniform(0, jitter) + random_.uniform(0, jitter));
  queue_.schedule(arrival.at + back, {this, kAnswered, 0});
}

void TcpFlow::draw_losses(std::uint32_t dropped) {
  const std::uint32_t segments = round_.burst.segments;
  const std::uint32_t fresh = segments - round_.retransmitted;
  const bool last = stream_sent_ == stream_end_;
  round_.lost = dropped;
  round_.lost_again = dropped > fresh ? dropped - fresh : 0;
  // The switch drops the end of a burst, so no later segment of this round reveals the loss.
  round_.lost_at_end = dropped > 0 && last;
  const double p = network_.loss(ends_.from, ends_.to);
  if (p <= 0) return;
  const std::uint32_t passed_again = round_.retransmitted - round_.lost_again;
  const std::uint32_t passed_fresh = segments - dropped - passed_again;
  const std::uint32_t tail = last ? std::min(passed_fresh, kDuplicates) : 0;
  const std::uint32_t lost_again = random_.binomial(passed_again, p);
  const std::uint32_t lost_tail = random_.binomial(tail, p);
  round_.lost += lost_again + lost_tail + random_.binomial(passed_fresh - tail, p);
  round_.lost_again += lost_again;
  round_.lost_at_end = round_.lost_at_end || lost_tail > 0;
}

void TcpFlow::on_event(std::uint32_t kind, std::uint64_t /*about*/) {
  switch (kind) {
    case kLeaves:
      leave();
      return;
    case kAnswered:
      finish_round();
      return;
    default:
      begin_round();
      return;
  }
}

void TcpFlow::finish_round() {
  const std::uint32_t arrived = round_.burst.segments - round_.lost;
  const std::int64_t in_order = round_.lost == 0 ? stream_sent_ : round_.stream_before;
  const bool complete = round_.lost_again == 0 && to_repeat_ == 0;
  last_sent_ = queue_.now();
  const double rtt = to_seconds(queue_.now() - round_.began);
  smoothed_rtt_s_ = smoothed_rtt_s_ > 0 ? smoothed_rtt_s_ + (rtt - smoothed_rtt_s_) / 8 : rtt;
  to_repeat_ += round_.lost;
  bytes_to_repeat_ += round_.burst.payload_bytes * round_.lost / round_.burst.segments;
  acknowledge(arrived);
  const bool more = stream_sent_ < stream_end_;
  const bool noticed = arrived >= kDuplicates || (arrived > 0 && more);
  if (round_.lost == 0) {
    timeouts_in_a_row_ = 0;
  } else if (round_.lost_again > 0 || round_.lost_at_end || !noticed) {
    back_off();
  } else {
    timeouts_in_a_row_ = 0;
    threshold_ = std::max(2.0, std::floor(cwnd_ / 2));
    cwnd_ = threshold_;
  }
  const bool waits = timeouts_in_a_row_ > 0;
  if (complete) deliver(in_order);
  // A receiver of `delivered` may have sent more in the meantime; the next round starts only here.
  if (!waits) begin_round();
}

void TcpFlow::acknowledge(std::uint32_t arrived) {
  if (round_.lost > 0 || round_.retransmitted > 0) quick_acks_left_ = options_.quick_acks + arrived;
  const std::uint32_t quick = std::min(arrived, quick_acks_left_);
  quick_acks_left_ -= quick;
  const std::uint32_t acks = quick + (arrived - quick + 1) / 2;
  const std::uint32_t pure = pure_acks(acks, (arrived - quick) % 2 == 1);
  if (pure > 0) network_.count_acks(ends_.to, ends_.from, pure);
  if (round_.lost > 0 || !round_.used_window) return;
  if (cwnd_ < threshold_) {
    cwnd_ = std::min(cwnd_ + acks, std::max(threshold_, cwnd_ + 1));
  } else {
    cwnd_ += acks / cwnd_;
  }
  // A round never uses more than the receive window.
  cwnd_ = std::min(cwnd_, options_.receive_window + 1);
}

std::uint32_t TcpFlow::pure_acks(std::uint32_t acks, bool last_is_single) {
  if (way_back_ == nullptr || !last_is_single) return acks;
  if (ack_owed_since_) {
    // Two messages of a single segment are two segments.
    ack_owed_since_.reset();
    return acks;
  }
  ack_owed_since_ = queue_.now() - network_.one_way(ends_.from, ends_.to);
  return acks - 1;
}

void TcpFlow::carry_delayed_ack() {
  quick_acks_left_ = 0;
  if (!ack_owed_since_) return;
  // Counted with the next data in the other direction instead of after 40 ms: an idle connection is one ACK
  // behind.
  if (queue_.now() - *ack_owed_since_ > options_.delayed_ack) network_.count_acks(ends_.to, ends_.from, 1);
  ack_owed_since_.reset();
}

void TcpFlow::back_off() {
  threshold_ = std::max(2.0, std::floor(cwnd_ / 2));
  cwnd_ = 1;
  const SimTime wait =
      options_.least_timeout * (std::int64_t{1} << std::min(timeouts_in_a_row_, kMostBackoff));
  ++timeouts_in_a_row_;
  queue_.schedule_in(wait, {this, kTimeout, 0});
}

void TcpFlow::deliver(std::int64_t up_to) {
  while (!messages_.empty() && messages_.front().end <= up_to) {
    const Signal delivered = messages_.front().delivered;
    messages_.pop_front();
    delivered.raise();
  }
}

TcpCounters TcpFlow::counters() const {
  return {.snd_cwnd = static_cast<std::uint64_t>(cwnd_),
          .retrans = retransmissions_,
          .lost = to_repeat_,
          .rtt_us = static_cast<std::uint64_t>(smoothed_rtt_s_ * 1e6),
          .bytes_sent = bytes_sent_};
}

}  // namespace laggard::lab
