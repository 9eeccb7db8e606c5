// /proc/net/dev: any bytes give lines that lie inside the input and counters that are what they say.
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
    const auto line = split_net_line(laggard::take_line(text));
    if (!line) continue;
    LAGGARD_CHECK(!line->name.empty() && line->name.find('\n') == std::string_view::npos);
    std::array<std::uint64_t, kNetCounters> values{};
    const std::uint32_t mask = read_net_counters(line->counters, values);
    for (std::size_t c = 0; c < values.size(); ++c) LAGGARD_CHECK((mask >> c & 1U) != 0 || values[c] == 0);
  }
  return 0;
}
