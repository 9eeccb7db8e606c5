#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/counter.h"
#include "model/sample_table.h"

namespace laggard::collect {

/// How a wide file is to be read; all empty for the long form.
struct CsvForm {
  std::string time;                   ///< Column of the time.
  std::string component;              ///< Column of the device.
  std::string host_column;            ///< Column of the host, or
  std::string host;                   ///< the one host of the file.
  std::vector<std::string> gauges;    ///< Columns of momentary values and rates.
  std::vector<std::string> counters;  ///< Columns of counters that only grow.
  DeviceKind kind = DeviceKind::kDisk;

  [[nodiscard]] bool wide() const {
    return !time.empty() || !component.empty() || !host_column.empty() || !host.empty() || !gauges.empty() ||
           !counters.empty();
  }
  /// Says what a wide form lacks.
  [[nodiscard]] Status check() const;
};

/// Which field of a line is what, from the form and the header line.
struct CsvLayout {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  struct Value {
    std::size_t field;
    TableCounter counter;
  };

  bool wide = false;
  std::size_t fields = 0;  ///< On every line.
  std::size_t time = kNone;
  std::size_t host = kNone;
  std::size_t kind = kNone;
  std::size_t device = kNone;
  std::size_t counter = kNone;  ///< Long form only, as is `value`.
  std::size_t value = kNone;
  std::vector<Value> values;         ///< Wide form only.
  std::vector<std::string> ignored;  ///< Columns of a wide file that nobody named.
  bool canonical = false;            ///< Long form with its columns in the order of the documentation.
};

/// \param header  the fields of the first line.
[[nodiscard]] Result<CsvLayout> make_layout(const CsvForm& form, const std::vector<std::string_view>& header);

/// The counter that a long-form line means: the form is the catalogue's; a name that it does not have is a
/// gauge.
[[nodiscard]] TableCounter counter_named(DeviceKind kind, std::string_view name);

}  // namespace laggard::collect
