// CSV comes from anywhere. Whatever it holds, reading it ends in rows or in one error, and every table that
// leaves is sorted by time. The first byte chooses the form, the second how the bytes arrive.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "collect/import/csv/reader.h"

namespace {

class OrderedSink final : public laggard::TableSink {
 public:
  laggard::Status append(const laggard::SampleTable& table) override {
    LAGGARD_CHECK(table.present_cells() > 0);
    LAGGARD_CHECK(std::is_sorted(table.times().begin(), table.times().end()));
    return {};
  }
  laggard::Status describe(const laggard::DeviceInfo& /*device*/) override { return {}; }
};

laggard::collect::CsvForm form_for(std::uint8_t choice) {
  laggard::collect::CsvForm form;
  if (choice % 2 == 0) return form;
  form.time = "t";
  if (choice % 8 > 3) form.times = {.format = "%d.%m.%Y %H:%M:%S", .zone = std::chrono::hours(1)};
  if (choice % 16 > 7) form.delimiter = ';';
  if (choice % 32 > 15) form.decimal = form.delimiter == ',' ? '.' : ',';
  form.component = "d";
  form.gauges = {"g"};
  if (choice % 4 == 1) {
    form.host = "h";
  } else {
    form.host_column = "h";
    form.counters = {"c"};
  }
  return form;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::size_t piece = std::size_t{data[1]} + 1;
  OrderedSink sink;
  laggard::collect::SampleCollector collector(sink, {.cells = 64, .rows_per_table = 7, .table_cells = 50});
  laggard::collect::CsvReader reader(form_for(data[0]), collector);
  laggard::collect::LineReader lines(
      [&](std::span<char> buffer) -> laggard::Result<std::size_t> {
        const std::size_t n = std::min({buffer.size(), text.size(), piece});
        text.copy(buffer.data(), n);
        text.remove_prefix(n);
        return n;
      },
      32);
  if (reader.read_header(lines)) static_cast<void>(reader.read_rows(lines, "input"));
  LAGGARD_CHECK(collector.flush_all().has_value());
  return 0;
}
