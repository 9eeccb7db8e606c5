#pragma once

#include <array>

#include "derive/slots.h"
#include "model/metric.h"

namespace laggard::derive {

/// A CounterSum with slots in place of names.
class SlotSum {
 public:
  constexpr SlotSum() = default;
  constexpr SlotSum(DeviceKind kind, const CounterSum& sum);

  /// NaN when one of the terms is missing and the total too.
  [[nodiscard]] double of(const CellValues& cell) const;

 private:
  std::array<Slot, 2> terms_{kNoSlot, kNoSlot};
  Slot total_ = kNoSlot;
  Slot also_ = kNoSlot;
  bool single_ = true;
};

/// The formula of a metric, ready to be computed for one device and cell (docs/methods/metrics.md, T
/// Table 3.1).
///
/// kRatio and kWait are 0 when nothing was done. Where requests complete less often than once in two seconds
/// of interpolated counters (below 0.5 in a cell) they count as none: the quotient of two fragments is noise.
///
/// kWait: when nothing completed while requests were in flight it is a stall: the time waited so far in ms,
/// never 0 (T §5.7.1: a controller held I/O for 103 s), and missing as long as nobody knows of any: a request
/// in flight at the sample that ends the cell may have come just before it, as happens now and then on a disk
/// with a few requests a second.
class Formula {
 public:
  explicit Formula(const MetricSpec& metric);

  /// NaN when the counters that it needs are missing; zero is a value. Of kSenders and kPacketShare what one
  /// connection adds to its host's: its level, and `counted` a second. \param stalled_seconds  how long
  /// requests have waited without one completing, at least, this cell included.
  [[nodiscard]] double operator()(const CellValues& cell, double stalled_seconds) const;

  /// True when it is known that the connection sent nothing.
  [[nodiscard]] bool is_silent(const CellValues& connection) const { return connection[sent_] == 0; }
  [[nodiscard]] Slot packets_sent() const { return packets_sent_; }
  [[nodiscard]] Slot packets_received() const { return packets_received_; }

 private:
  FormulaShape shape_;
  SlotSum counted_;
  SlotSum per_;
  Slot gauge_;
  Slot sent_;
  Slot packets_sent_;
  Slot packets_received_;
};

/// True when no request completed in the cell although some were in flight for all of it: what kWait of disks
/// asks.
[[nodiscard]] bool is_stalled(const CellValues& cell);

}  // namespace laggard::derive
