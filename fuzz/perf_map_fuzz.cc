// What processes write of themselves for profilers, and what the kernel shows of them: lines of three kinds.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "collect/samples/kernel_symbols.h"
#include "collect/samples/perf_map.h"
#include "collect/samples/process_maps.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace laggard::collect;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const SymbolTable table = parse_perf_map(text);
  const ProcessMaps maps = ProcessMaps::parse(text);
  const KernelSymbols kernel = KernelSymbols::parse(text);
  for (std::uint64_t address = 1; address != 0; address *= 2) {
    const auto symbol = table.find(address);
    LAGGARD_CHECK(!symbol || !symbol->name.empty());
    const Mapping* mapping = maps.find(address);
    LAGGARD_CHECK(mapping == nullptr || (mapping->start <= address && address < mapping->end));
    const auto function = kernel.find(address);
    LAGGARD_CHECK(!function || !function->binary.empty());
  }
  return 0;
}
