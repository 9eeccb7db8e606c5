// Tables of probes come from anywhere: any header is refused or read, and any line ends as a probe with a
// time, names and an outcome, or as one error.
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "collect/import/pings/probe_rows.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto line = [&] {
    const std::string_view next = text.substr(0, text.find('\n'));
    text.remove_prefix(next.size() < text.size() ? next.size() + 1 : next.size());
    return next;
  };
  laggard::Result<laggard::collect::ProbeRows> rows =
      laggard::collect::ProbeRows::under(line(), {.client = "c"});
  if (!rows) return 0;
  while (!text.empty()) {
    const auto row = rows->read(line());
    if (!row || !*row) continue;
    LAGGARD_CHECK(!(*row)->client.empty() && !(*row)->target.empty());
    LAGGARD_CHECK(!(*row)->outcome.empty() && !(*row)->operation.empty());
    LAGGARD_CHECK(!(*row)->latency || (*row)->latency->count() >= 0);
  }
  return 0;
}
