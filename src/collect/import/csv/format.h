#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "collect/import/csv/import.h"
#include "model/counter.h"
#include "model/sample_table.h"

namespace laggard::collect {

/// Which field of a line holds what, from the form and the header line.
struct CsvLayout {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  struct Value {
    std::size_t field;
    TableCounter counter;
    std::string device{};  ///< Empty: that which the line names.
    double scale = 1;      ///< To the counter's unit.
  };

  bool wide = false;
  std::size_t fields = 0;  ///< Number of fields on every line.
  std::size_t time = kNone;
  std::size_t host = kNone;
  std::size_t kind = kNone;
  std::size_t device = kNone;
  std::size_t counter = kNone;  ///< Long form only, as is `value`.
  std::size_t value = kNone;
  std::vector<Value> values;           ///< Wide form only.
  std::vector<std::string> ignored;    ///< Columns of a wide file that the form does not name.
  std::vector<std::string> unknown{};  ///< Gauges that no metric is made of.
  bool canonical = false;              ///< Long form with its columns in the order of the documentation.
};

/// \param header  the fields of the first line.
[[nodiscard]] Result<CsvLayout> make_layout(const CsvForm& form, const std::vector<std::string_view>& header);

/// The counter that a long-form line means: its form is the catalogue's; a name that is not in the catalogue
/// is a computed rate.
[[nodiscard]] TableCounter counter_named(DeviceKind kind, std::string_view name);

/// Splits one line into fields as in RFC 4180: separated by commas (`delimiter`); a field in double quotes
/// may hold them, and a quote written twice. A quoted field must end on its line. Blanks around a field do
/// not count.
///
/// `fields` point into `line` or into `scratch`. False when a quote is not closed or something follows it.
[[nodiscard]] bool split_fields(std::string_view line, std::vector<std::string_view>& fields,
                                std::string& scratch, char delimiter = ',');

enum class ValueKind : std::uint8_t {
  kValue,
  kMissing,     ///< Empty, NaN, NA, N/A, null (any case).
  kNotANumber,  ///< Not a finite number.
  kNegative,    ///< Below zero where the counter cannot be.
  kFraction,    ///< Not whole where the counter is.
  kTooLarge,    ///< A counter beyond 64 bits.
};

struct FieldValue {
  ValueKind kind = ValueKind::kMissing;
  std::uint64_t bits = 0;  ///< As SampleTable stores it.
};

/// Reads one value. Counters and levels may be written as 12, 12.0 or 1.2e1, as long as they are whole;
/// beyond 2^53 only as plain digits, because the other forms are not exact there.
[[nodiscard]] FieldValue parse_value(std::string_view text, CounterForm form);

/// The same of a field in another unit, with another decimal sign: `scale` times the number. A scaled counter
/// is rounded.
[[nodiscard]] FieldValue parse_scaled(std::string_view text, CounterForm form, double scale, char decimal);

}  // namespace laggard::collect
