// Binaries are written by whoever runs on the machine: any bytes give names or none, and a look-up anywhere
// in them ends.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "collect/samples/binary_symbols.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace laggard::collect;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto symbols = BinarySymbols::load(ElfBytes::of_memory(bytes), "/nonexistent", "fuzz");
  if (!symbols) return 0;
  constexpr std::size_t kLookUps = 64;
  for (std::size_t i = 0; i <= kLookUps; ++i) {
    const auto found = symbols->find(size * i / kLookUps);
    LAGGARD_CHECK(!found || (!found->name.empty() && found->name.size() <= size));
  }
  return 0;
}
