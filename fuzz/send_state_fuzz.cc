// What the sender reads that others wrote: its positions, and how long a server asks to wait.
#include <cstdint>
#include <string_view>

#include "base/time.h"
#include "send/position.h"
#include "send/remote_write_client.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto positions = laggard::send::parse_positions(text, "fuzz");
  // No entry of a stream is shorter than its field names.
  if (positions && positions->acknowledged.size() * 30 > size) __builtin_trap();
  const auto wait = laggard::send::parse_retry_after(text, laggard::from_unix_ns(1'790'000'000'000'000'000));
  if (wait && *wait < laggard::Duration::zero()) __builtin_trap();
  return 0;
}
