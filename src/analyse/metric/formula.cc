#include "analyse/metric/formula.h"

#include <array>
#include <cmath>

#include "base/missing.h"

namespace laggard::analyse {

namespace {

constexpr double kLeastRequests = 0.5;
/// sysstat keeps no in_flight; the integral of the queue tells the same: this much of a request all the time.
constexpr double kLeastQueue = 0.5;

double known_or_zero(double x) { return std::isnan(x) ? 0 : x; }

double requests(const CellValues& cell) {
  if (!std::isnan(cell[Slot::kRequests])) return cell[Slot::kRequests];
  return cell[Slot::kReads] + cell[Slot::kWrites];
}

double await_ms(const CellValues& cell, double stalled_seconds) {
  const double done = requests(cell);
  const double waited = cell[Slot::kReadMs] + cell[Slot::kWriteMs] + known_or_zero(cell[Slot::kDiscardMs]);
  if (std::isnan(done) || std::isnan(waited)) return cell[Slot::kAwait];
  if (done >= kLeastRequests) return waited / done;
  if (!is_stalled(cell)) return 0;
  return stalled_seconds > 0 ? 1000 * stalled_seconds : kMissing;
}

template <Slot counter, Slot gauge>
double rate(const CellValues& cell, double /*stalled_seconds*/) {
  const double increase = cell[counter];
  return std::isnan(increase) ? cell[gauge] : increase / cell.seconds;
}

template <Slot slot>
double level(const CellValues& cell, double /*stalled_seconds*/) {
  return cell[slot];
}

double request_rate(const CellValues& cell, double /*stalled_seconds*/) {
  return requests(cell) / cell.seconds;
}

double request_size(const CellValues& cell, double /*stalled_seconds*/) {
  const double sectors = cell[Slot::kReadSectors] + cell[Slot::kWriteSectors];
  const double done = requests(cell);
  if (std::isnan(sectors) || std::isnan(done)) return kMissing;
  return done >= kLeastRequests ? sectors / done : 0;
}

double queue_length(const CellValues& cell, double /*stalled_seconds*/) {
  return cell[Slot::kQueueMs] / (1000 * cell.seconds);
}

double utilisation(const CellValues& cell, double /*stalled_seconds*/) {
  return 100 * cell[Slot::kBusyMs] / (1000 * cell.seconds);
}

constexpr std::array kReadSlots{Slot::kReadSectors, Slot::kReadSectorRate};
constexpr std::array kWriteSlots{Slot::kWriteSectors, Slot::kWriteSectorRate};
constexpr std::array kAwaitSlots{Slot::kReads,    Slot::kWrites,  Slot::kRequests,
                                 Slot::kReadMs,   Slot::kWriteMs, Slot::kDiscardMs,
                                 Slot::kInFlight, Slot::kQueueMs, Slot::kAwait};
constexpr std::array kRequestSlots{Slot::kReads, Slot::kWrites, Slot::kRequests};
constexpr std::array kSizeSlots{Slot::kReadSectors, Slot::kWriteSectors, Slot::kReads, Slot::kWrites,
                                Slot::kRequests};
constexpr std::array kQueueSlots{Slot::kQueueMs};
constexpr std::array kBusySlots{Slot::kBusyMs};
constexpr std::array kThroughputSlots{Slot::kThroughput};
constexpr std::array kLatencySlots{Slot::kLatency};
constexpr std::array kRxByteSlots{Slot::kRxBytes, Slot::kRxByteRate};
constexpr std::array kTxByteSlots{Slot::kTxBytes, Slot::kTxByteRate};
constexpr std::array kRxPacketSlots{Slot::kRxPackets, Slot::kRxPacketRate};
constexpr std::array kTxPacketSlots{Slot::kTxPackets, Slot::kTxPacketRate};
constexpr std::array kCwndSlots{Slot::kCwnd, Slot::kBytesSent};
constexpr std::array kRetransmitSlots{Slot::kRetransmitted, Slot::kRxPackets, Slot::kTxPackets};

struct NamedFormula {
  std::string_view name;
  Formula formula;
  std::span<const Slot> slots;
};

/// Retransmissions are computed over all connections of a server, which no formula of one device can.
constexpr std::array kFormulas{
    NamedFormula{"rd_sec", rate<Slot::kReadSectors, Slot::kReadSectorRate>, kReadSlots},
    NamedFormula{"wr_sec", rate<Slot::kWriteSectors, Slot::kWriteSectorRate>, kWriteSlots},
    NamedFormula{"await", await_ms, kAwaitSlots},
    NamedFormula{"tps", request_rate, kRequestSlots},
    NamedFormula{"avgrq-sz", request_size, kSizeSlots},
    NamedFormula{"avgqu-sz", queue_length, kQueueSlots},
    NamedFormula{"%util", utilisation, kBusySlots},
    NamedFormula{"throughput", level<Slot::kThroughput>, kThroughputSlots},
    NamedFormula{"latency", level<Slot::kLatency>, kLatencySlots},
    NamedFormula{"rxbyt", rate<Slot::kRxBytes, Slot::kRxByteRate>, kRxByteSlots},
    NamedFormula{"txbyt", rate<Slot::kTxBytes, Slot::kTxByteRate>, kTxByteSlots},
    NamedFormula{"rxpck", rate<Slot::kRxPackets, Slot::kRxPacketRate>, kRxPacketSlots},
    NamedFormula{"txpck", rate<Slot::kTxPackets, Slot::kTxPacketRate>, kTxPacketSlots},
    NamedFormula{"cwnd", level<Slot::kCwnd>, kCwndSlots},
    NamedFormula{"retransmits", nullptr, kRetransmitSlots},
};

}  // namespace

bool is_stalled(const CellValues& cell) {
  const double done = requests(cell);
  if (std::isnan(done) || done >= kLeastRequests) return false;
  if (!std::isnan(cell[Slot::kInFlight])) return cell[Slot::kInFlight] >= 1;
  return cell[Slot::kQueueMs] > kLeastQueue * 1000 * cell.seconds;
}

Formula formula_of(const MetricSpec& metric) {
  for (const NamedFormula& named : kFormulas) {
    if (named.name == metric.name) return named.formula;
  }
  return nullptr;
}

std::span<const Slot> slots_of(const MetricSpec& metric) {
  for (const NamedFormula& named : kFormulas) {
    if (named.name == metric.name) return named.slots;
  }
  return {};
}

}  // namespace laggard::analyse
