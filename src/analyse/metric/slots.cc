#include "analyse/metric/slots.h"

namespace laggard::analyse {

namespace {

struct Name {
  DeviceKind kind;
  std::string_view counter;
  Slot slot;
};

constexpr std::array kNames{
    Name{DeviceKind::kDisk, "rd_ios", Slot::kReads},
    Name{DeviceKind::kDisk, "wr_ios", Slot::kWrites},
    Name{DeviceKind::kDisk, "ios", Slot::kRequests},
    Name{DeviceKind::kDisk, "rd_sectors", Slot::kReadSectors},
    Name{DeviceKind::kDisk, "wr_sectors", Slot::kWriteSectors},
    Name{DeviceKind::kDisk, "rd_ms", Slot::kReadMs},
    Name{DeviceKind::kDisk, "wr_ms", Slot::kWriteMs},
    Name{DeviceKind::kDisk, "dc_ms", Slot::kDiscardMs},
    Name{DeviceKind::kDisk, "io_ms", Slot::kBusyMs},
    Name{DeviceKind::kDisk, "weighted_ms", Slot::kQueueMs},
    Name{DeviceKind::kDisk, "in_flight", Slot::kInFlight},
    Name{DeviceKind::kDisk, "rd_sec", Slot::kReadSectorRate},
    Name{DeviceKind::kDisk, "wr_sec", Slot::kWriteSectorRate},
    Name{DeviceKind::kDisk, "await", Slot::kAwait},
    Name{DeviceKind::kDisk, "throughput", Slot::kThroughput},
    Name{DeviceKind::kDisk, "latency", Slot::kLatency},
    Name{DeviceKind::kNet, "rx_bytes", Slot::kRxBytes},
    Name{DeviceKind::kNet, "tx_bytes", Slot::kTxBytes},
    Name{DeviceKind::kNet, "rx_packets", Slot::kRxPackets},
    Name{DeviceKind::kNet, "tx_packets", Slot::kTxPackets},
    Name{DeviceKind::kNet, "rxbyt", Slot::kRxByteRate},
    Name{DeviceKind::kNet, "txbyt", Slot::kTxByteRate},
    Name{DeviceKind::kNet, "rxpck", Slot::kRxPacketRate},
    Name{DeviceKind::kNet, "txpck", Slot::kTxPacketRate},
    Name{DeviceKind::kTcp, "snd_cwnd", Slot::kCwnd},
    Name{DeviceKind::kTcp, "retrans", Slot::kRetransmitted},
    Name{DeviceKind::kTcp, "bytes_sent", Slot::kBytesSent},
};

}  // namespace

std::optional<Slot> slot_of(DeviceKind kind, std::string_view counter) {
  for (const Name& name : kNames) {
    if (name.kind == kind && name.counter == counter) return name.slot;
  }
  return std::nullopt;
}

}  // namespace laggard::analyse
