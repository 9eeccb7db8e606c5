// Whatever is read as a thresholds file must write and read back as the same thresholds.
#include <cstdint>
#include <string_view>

#include "detect/peer/compare/thresholds.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The count of names in a set grows much faster than its text; the bound of a file is tested elsewhere.
  constexpr std::size_t kMostBytes = 4096;
  if (size > kMostBytes) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto read = laggard::detect::read_thresholds(text, "fuzz");
  if (!read) return 0;
  const auto written = laggard::detect::write_thresholds(*read);
  if (!written || !laggard::detect::read_thresholds(*written, "again")) __builtin_trap();
  return 0;
}
