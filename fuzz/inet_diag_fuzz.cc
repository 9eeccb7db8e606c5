// What a netlink socket may hand us for a dump of connections: any bytes end in one of the four states.
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/error.h"
#include "collect/tcp/inet_diag.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace laggard::collect;
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  const auto check = [](const TcpSample& sample) {
    LAGGARD_CHECK(sample.present != 0 && sample.present < (std::uint32_t{1} << kTcpCounters));
    LAGGARD_CHECK(sample.local.text().size() < 64 && sample.peer.text().size() < 64);
  };
  const DumpPart part = parse_dump(bytes, 1, check);
  LAGGARD_CHECK(part.state != DumpState::kFailed || part.error > 0);
  if (const auto sample = parse_diag_message(bytes)) check(*sample);
  return 0;
}
