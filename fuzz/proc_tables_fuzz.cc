// What the kernel's tables of hosts, processes and control groups may hold: nothing is read that is not there.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "collect/procfs/host_tables.h"
#include "collect/procfs/process_tables.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace laggard::collect;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  HostSample sample;
  read_proc_stat(text, 10, sample);
  read_vmstat(text, sample);
  read_meminfo(text, sample);
  LAGGARD_CHECK(sample.present < (std::uint32_t{1} << kHostCounters));
  const Pressure pressure = read_pressure(text);
  LAGGARD_CHECK(!pressure.some_us || text.find("total=") != std::string_view::npos);
  if (const auto stat = parse_process_stat(text)) LAGGARD_CHECK(text.find(')') != std::string_view::npos);
  if (parse_throttling(text)) LAGGARD_CHECK(text.find("nr_throttled") != std::string_view::npos);
  const CgroupPaths paths = parse_cgroup_paths(text);
  LAGGARD_CHECK(paths.v2.size() <= size && paths.cpu_v1.size() <= size);
  static_cast<void>(parse_run_delay(text));
  return 0;
}
