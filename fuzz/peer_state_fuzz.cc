// States of the peer comparison come back from a database; damage must end in an error, not in a crash.
#include <cstdint>
#include <string_view>
#include <vector>

#include "analyse/peer/cwnd.h"
#include "analyse/peer/filter.h"
#include "analyse/peer/group_stream.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace laggard::analyse;  // NOLINT(google-build-using-namespace)
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (auto stream = GroupStream::restore(bytes)) {
    if (stream->save() != bytes) __builtin_trap();
  }
  if (auto filter = FaultFilter::restore(bytes)) {
    if (filter->save() != bytes) __builtin_trap();
  }
  if (auto stream = CwndStream::restore(bytes)) {
    if (stream->save() != bytes) __builtin_trap();
  }
  return 0;
}
