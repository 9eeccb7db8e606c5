#include "analyse/metric/formula.h"

#include <array>
#include <cmath>
#include <limits>

namespace laggard::analyse {

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
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

struct NamedFormula {
  std::string_view name;
  Formula formula;
};

constexpr std::array kFormulas{
    NamedFormula{"rd_sec", rate<Slot::kReadSectors, Slot::kReadSectorRate>},
    NamedFormula{"wr_sec", rate<Slot::kWriteSectors, Slot::kWriteSectorRate>},
    NamedFormula{"await", await_ms},
    NamedFormula{"tps", request_rate},
    NamedFormula{"avgrq-sz", request_size},
    NamedFormula{"avgqu-sz", queue_length},
    NamedFormula{"%util", utilisation},
    NamedFormula{"throughput", level<Slot::kThroughput>},
    NamedFormula{"latency", level<Slot::kLatency>},
    NamedFormula{"rxbyt", rate<Slot::kRxBytes, Slot::kRxByteRate>},
    NamedFormula{"txbyt", rate<Slot::kTxBytes, Slot::kTxByteRate>},
    NamedFormula{"rxpck", rate<Slot::kRxPackets, Slot::kRxPacketRate>},
    NamedFormula{"txpck", rate<Slot::kTxPackets, Slot::kTxPacketRate>},
    NamedFormula{"cwnd", level<Slot::kCwnd>},
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

}  // namespace laggard::analyse
