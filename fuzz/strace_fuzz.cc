// Traces of any version and flags: any bytes end as calls with times, or as one error, and a call that was
// read is read again from the form in which it is written.
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "collect/import/strace/strace_joiner.h"
#include "model/syscall_event.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  laggard::EventTable table("s1", "syscall");
  laggard::collect::StraceJoiner joiner(
      {.begin = laggard::from_unix_ns(86'400'000'000'000), .written = {}, .lwp = {}},
      [&](const laggard::SyscallEvent& call) -> laggard::Status {
        if (!laggard::SyscallAppender(table).append(call)) table = laggard::EventTable("s1", "syscall");
        return {};
      });
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() < text.size() ? line.size() + 1 : line.size());
    if (!joiner.add(line)) break;
  }
  static_cast<void>(joiner.finish());
  laggard::SyscallRows rows(table);
  for (std::size_t e = 0; e < table.size(); ++e) {
    const laggard::SyscallEvent call = rows.at(e);
    LAGGARD_CHECK(call.arguments.size() <= laggard::SyscallAppender::kMostText);
  }
  return 0;
}
