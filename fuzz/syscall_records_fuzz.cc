// Records of the kernel side of `record syscalls`, as no kernel writes them: each is an event that a table
// takes and gives back, or is counted as damaged. Each piece of the input is a byte n and the n bytes behind
// it.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "collect/syscalls/record_decoder.h"
#include "model/syscall_event.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::span<const std::uint8_t> rest(data, size);
  laggard::collect::RecordDecoder decoder;
  decoder.set_clock(std::chrono::seconds(1'700'000'000));
  laggard::EventTable table("h", std::string(laggard::kSyscallKind));
  laggard::SyscallAppender appender(table);
  while (!rest.empty()) {
    const std::size_t bytes = std::min<std::size_t>(rest[0], rest.size() - 1);
    std::vector<std::byte> record(bytes);
    std::memcpy(record.data(), rest.data() + 1, bytes);
    rest = rest.subspan(1 + bytes);
    const laggard::SyscallEvent* const event = decoder.decode(record);
    if (event == nullptr || !appender.append(*event)) continue;
    laggard::SyscallRows rows(table);
    const laggard::SyscallEvent told = rows.at(table.size() - 1);
    LAGGARD_CHECK(told.name == event->name && told.end == event->end);
    LAGGARD_CHECK(laggard::argument_places(told.arguments) == 0 || told.arguments == event->arguments);
  }
  return 0;
}
