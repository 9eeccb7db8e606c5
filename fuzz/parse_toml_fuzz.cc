// Any text is a table or an error with its line: nothing gets to the library that it would take apart by
// endless recursion.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "base/parse_toml.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto table = laggard::parse_toml({reinterpret_cast<const char*>(data), size}, "fuzz.toml");
  if (table) return 0;
  LAGGARD_CHECK(table.error().where.starts_with("fuzz.toml"));
  LAGGARD_CHECK(!table.error().what.empty());
  return 0;
}
