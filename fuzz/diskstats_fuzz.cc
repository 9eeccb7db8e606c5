// /proc/diskstats: any bytes give lines that lie inside the input and counters that are what they say.
#include <array>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "base/text.h"
#include "collect/procfs/proc_tables.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace laggard::collect;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  while (!text.empty()) {
    const std::size_t before = text.size();
    const auto line = split_disk_line(laggard::take_line(text));
    LAGGARD_CHECK(text.size() < before);
    if (!line) continue;
    LAGGARD_CHECK(!line->name.empty() && line->name.find('\n') == std::string_view::npos);
    std::array<std::uint64_t, kDiskCounters> values{};
    const std::uint32_t mask = read_disk_counters(line->counters, values);
    LAGGARD_CHECK(mask < (std::uint32_t{1} << kDiskCounters));
    for (std::size_t c = 0; c < values.size(); ++c)
      LAGGARD_CHECK((mask >> c & 1U) != 0 || mask == 0 || values[c] == 0);
  }
  return 0;
}
