#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "model/counter.h"
#include "model/sample_table.h"

namespace laggard::collect {

/// What the user said of a column of values: `COLUMN`, or `COLUMN=[DEVICE/]COUNTER[:UNIT]` where the column
/// is called otherwise than what it holds.
struct CsvColumn {
  std::string name;      ///< In the file. With a device `*`, a pattern whose `*` is the device's name.
  TableCounter counter;  ///< What it holds.
  std::string device;    ///< Of which device; empty: of that which the line names.
  double scale = 1;      ///< From the column's unit to the counter's.
  bool is_known = true;  ///< Of gauges: some metric may be made of it.

  [[nodiscard]] bool is_pattern() const { return device == "*"; }
  /// The device whose column this is, when the pattern matches; else empty.
  [[nodiscard]] std::string_view device_in(std::string_view column) const;
};

/// \param cumulative  given by --counter, else by --gauge. Fails when the counter is not in the catalogue, is
/// of the other kind, or the unit is none of its units.
[[nodiscard]] Result<CsvColumn> parse_column(std::string_view text, bool cumulative, DeviceKind kind);

/// From one unit to the other: the factor; fails with the units that there are.
[[nodiscard]] Result<double> unit_factor(std::string_view from, std::string_view to);

}  // namespace laggard::collect
