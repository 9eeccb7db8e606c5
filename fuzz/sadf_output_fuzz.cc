// sadf may crash or lie, so its output is read as if it came from anywhere: with an even first byte as that
// of `sadf -r`, with an odd one as that of `sadf -H`.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "base/text.h"
#include "collect/import/sysstat/sadf.h"
#include "collect/import/sysstat/sadf_raw.h"

namespace {

class NullSink final : public laggard::TableSink {
 public:
  laggard::Status append(const laggard::SampleTable& table) override {
    LAGGARD_CHECK(table.present_cells() > 0);
    return {};
  }
  laggard::Status describe(const laggard::DeviceInfo& /*device*/) override { return {}; }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 1) {
    const laggard::collect::SadfHeader header = laggard::collect::parse_sadf_header(text);
    LAGGARD_CHECK(header.host.empty() || header.readable);
    return 0;
  }
  NullSink sink;
  laggard::collect::SampleCollector collector(sink);
  laggard::collect::SadfRawReader reader("h", {}, collector);
  bool fine = true;
  for (const std::string_view line : laggard::split(text, '\n')) {
    fine = reader.read(line).has_value();
    if (!fine) break;
  }
  if (fine) static_cast<void>(reader.finish());
  LAGGARD_CHECK(collector.flush_all().has_value());
  return 0;
}
