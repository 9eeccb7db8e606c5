#include "lab/sim/network.h"

#include <algorithm>

namespace laggard::lab {

namespace {

std::int64_t wire_bytes(std::uint32_t segments, std::int64_t payload) {
  return payload + static_cast<std::int64_t>(segments) * (kHeaderBytes + kWireExtraBytes);
}

}  // namespace

Network::Network(const NetworkSpec& spec, std::size_t hosts)
    : spec_(spec), hosts_(hosts), loss_(hosts * hosts, 0.0) {}

SimTime Network::time_for(const Burst& burst) const {
  const auto bytes = static_cast<double>(wire_bytes(burst.segments, burst.payload_bytes));
  return from_seconds(bytes / spec_.bytes_per_second);
}

SimTime Network::leave(const Burst& burst, SimTime now) {
  Host& host = hosts_[burst.from];
  const SimTime start = std::max(now, host.sent_until);
  host.sent_until = start + time_for(burst);
  host.counters.tx_packets += burst.segments;
  host.counters.tx_bytes += static_cast<std::uint64_t>(
      burst.payload_bytes + kHeaderBytes * static_cast<std::int64_t>(burst.segments));
  return start;
}

Network::Arrival Network::pass_switch(const Burst& burst, SimTime now) {
  Host& host = hosts_[burst.to];
  // Bursts that come in together at the port's own rate queue up by what all but one of them bring: what lies
  // before this one is the peak that its end sees.
  const double queued = std::max(0.0, to_seconds(host.forwarded_until - now)) * spec_.bytes_per_second;
  const double excess = queued - static_cast<double>(spec_.port_buffer_bytes);
  const double segment = static_cast<double>(wire_bytes(burst.segments, burst.payload_bytes)) /
                         static_cast<double>(burst.segments);
  const auto dropped =
      static_cast<std::uint32_t>(std::clamp(excess / segment, 0.0, static_cast<double>(burst.segments)));
  Burst kept = burst;
  kept.segments -= dropped;
  kept.payload_bytes -= std::min(kept.payload_bytes, kMaxSegment * static_cast<std::int64_t>(dropped));
  const SimTime finished_sending = now + time_for(burst);
  host.forwarded_until = std::max(now, host.forwarded_until) + time_for(kept);
  host.counters.rx_packets += kept.segments;
  host.counters.rx_bytes += static_cast<std::uint64_t>(
      kept.payload_bytes + kHeaderBytes * static_cast<std::int64_t>(kept.segments));
  return {std::max(finished_sending, host.forwarded_until) + spec_.one_way, dropped};
}

void Network::count_acks(std::size_t from, std::size_t to, std::uint32_t acks) {
  const std::uint64_t bytes = std::uint64_t{acks} * static_cast<std::uint64_t>(kHeaderBytes);
  hosts_[from].counters.tx_packets += acks;
  hosts_[from].counters.tx_bytes += bytes;
  hosts_[to].counters.rx_packets += acks;
  hosts_[to].counters.rx_bytes += bytes;
}

}  // namespace laggard::lab
