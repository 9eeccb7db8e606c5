#pragma once

#include <span>

#include "analyse/metric/slots.h"
#include "model/metric.h"

namespace laggard::analyse {

/// One metric of one device in one cell, from what the device did in it (methods.md §2, T Table 3.1).
/// NaN when the counters that it needs are missing; zero is a value.
/// \param stalled_seconds  how long requests have waited without one completing, at least, this cell
/// included.
using Formula = double (*)(const CellValues& cell, double stalled_seconds);

/// The formula of a metric; null for those that are computed over several devices (retransmits).
///
/// await: time that requests waited / requests completed, in ms. 0 when idle. When nothing completed while
/// requests were in flight it is a stall: the time waited so far in ms, never 0 (T §5.7.1: a controller held
/// I/O for 103 s), and missing as long as nobody knows of any: a request in flight at the sample that ends
/// the cell may have come just before it, as happens now and then on a disk with a few requests a second.
/// Where requests complete less often than once in two seconds of interpolated counters (below 0.5 in a cell)
/// they count as none: the quotient of two crumbs is noise.
[[nodiscard]] Formula formula_of(const MetricSpec& metric);

/// True when no request completed in the cell although some were in flight for all of it.
[[nodiscard]] bool is_stalled(const CellValues& cell);

/// The counters that a metric is computed from.
[[nodiscard]] std::span<const Slot> slots_of(const MetricSpec& metric);

}  // namespace laggard::analyse
