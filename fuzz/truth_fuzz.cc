// Whatever is read as the truth of a run must write and read back.
#include <cstdint>
#include <string_view>

#include "lab/cluster/truth.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto truth = laggard::lab::parse_truth(text, "fuzz");
  if (truth && !laggard::lab::parse_truth(laggard::lab::to_json(*truth), "again")) __builtin_trap();
  return 0;
}
