#include "derive/formula.h"

#include <cmath>

namespace laggard::derive {

namespace {

constexpr double kLeastRequests = 0.5;
/// sysstat keeps no in_flight; the integral of the queue tells the same: this much of a request all the time.
constexpr double kLeastQueue = 0.5;
constexpr double kMsPerSecond = 1000;

constexpr Slot slot_or_none(DeviceKind kind, std::string_view counter) {
  return slot_of(kind, counter).value_or(kNoSlot);
}

double known_or_zero(double x) { return std::isnan(x) ? 0 : x; }

/// What tells a stall of a disk; of all metrics that ask, the same.
struct StallSlots {
  SlotSum done;
  Slot in_flight = kNoSlot;
  Slot queue_ms = kNoSlot;
};

constexpr StallSlots stall_slots(DeviceKind kind) {
  for (const MetricSpec& metric : metric_rows::kMetrics) {
    if (metric.kind != kind || metric.formula.shape != FormulaShape::kWait) continue;
    const FormulaSpec::Stall& stall = metric.formula.stall;
    return {SlotSum(kind, metric.formula.per), slot_or_none(kind, stall.in_flight),
            slot_or_none(kind, stall.queue_ms)};
  }
  return {};
}

}  // namespace

constexpr SlotSum::SlotSum(DeviceKind kind, const CounterSum& sum)
    : terms_{slot_or_none(kind, sum.terms[0]), slot_or_none(kind, sum.terms[1])},
      total_(slot_or_none(kind, sum.total)),
      also_(slot_or_none(kind, sum.also)),
      single_(sum.terms[1].empty()) {}

double SlotSum::of(const CellValues& cell) const {
  if (!std::isnan(cell[total_])) return cell[total_];
  const double sum = single_ ? cell[terms_[0]] : cell[terms_[0]] + cell[terms_[1]];
  return sum + known_or_zero(cell[also_]);
}

Formula::Formula(const MetricSpec& metric)
    : shape_(metric.formula.shape),
      by_use_(shape_ == FormulaShape::kUsers || shape_ == FormulaShape::kUsersShare),
      divisor_(metric.formula.divisor),
      counted_(metric.kind, metric.formula.counted),
      per_(metric.kind, metric.formula.per),
      computed_(slot_or_none(metric.kind, metric.formula.computed_rate)),
      sent_(slot_or_none(metric.kind, metric.formula.sent)),
      packets_sent_(slot_or_none(DeviceKind::kNet, metric.formula.packets.sent)),
      packets_received_(slot_or_none(DeviceKind::kNet, metric.formula.packets.received)) {}

double Formula::operator()(const CellValues& cell, double stalled_seconds) const {
  const double counted = counted_.of(cell);
  switch (shape_) {
    case FormulaShape::kRate:
    case FormulaShape::kPacketShare:
      return std::isnan(counted) ? cell[computed_] : counted / cell.seconds;
    case FormulaShape::kRatio:
    case FormulaShape::kWait: {
      const double done = per_.of(cell);
      if (std::isnan(done) || std::isnan(counted)) return cell[computed_];
      if (done >= kLeastRequests) return counted / (divisor_ * done);
      if (shape_ == FormulaShape::kRatio || !is_stalled(cell)) return 0;
      return stalled_seconds > 0 ? kMsPerSecond * stalled_seconds : kMissing;
    }
    case FormulaShape::kMeanCount:
      return counted / (kMsPerSecond * cell.seconds);
    case FormulaShape::kBusyShare:
    case FormulaShape::kUsersShare:
      return 100 * counted / (divisor_ * cell.seconds);
    case FormulaShape::kGauge:
    case FormulaShape::kSenders:
    case FormulaShape::kUsers:
    case FormulaShape::kTotal:
      return counted / divisor_;
  }
  return kMissing;
}

double Formula::weight(const CellValues& connection) const {
  if (shape_ != FormulaShape::kRatio) return 1;
  const double done = per_.of(connection);
  return done >= kLeastRequests ? done : 0;
}

bool is_stalled(const CellValues& cell) {
  static constexpr StallSlots kDisk = stall_slots(DeviceKind::kDisk);
  const double done = kDisk.done.of(cell);
  if (std::isnan(done) || done >= kLeastRequests) return false;
  if (!std::isnan(cell[kDisk.in_flight])) return cell[kDisk.in_flight] >= 1;
  return cell[kDisk.queue_ms] > kLeastQueue * kMsPerSecond * cell.seconds;
}

}  // namespace laggard::derive
