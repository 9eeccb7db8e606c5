// States of the peer comparison come back from a database; damage must end in an error, not in a crash.
#include <cstdint>
#include <string>
#include <string_view>

#include "detect/peer/compare/filter.h"
#include "detect/peer/compare/group_stream.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

/// What could be restored is saved so that it comes back the same. Not as the same bytes as came in: a sample
/// that is damaged into another NaN, or into what no measurement can be, is missing from then on.
template <typename State>
void check(std::string_view bytes) {
  const auto state = State::restore(bytes);
  if (!state) return;
  const std::string saved = state->save();
  const auto again = State::restore(saved);
  if (!again || again->save() != saved) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check<laggard::detect::GroupStream>(bytes);
  check<laggard::detect::FaultFilter>(bytes);
  return 0;
}
