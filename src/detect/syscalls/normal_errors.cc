#include "detect/syscalls/normal_errors.h"

#include "detect/syscalls/call_errors.h"
#include "detect/syscalls/client_calls.h"
#include "model/syscall_event.h"

namespace laggard::detect {

void add_normal_errors(const EventTable& calls, const SeriesResolver& resolver,
                       std::set<std::string>& errors) {
  if (calls.kind() != kSyscallKind) return;
  if (resolver.endpoint(calls.host()).party != SeriesResolver::Party::kServer) return;
  const FailedCalls failed(calls);
  for (const std::uint32_t e : failed.events()) {
    const std::string_view error = failed.error(e);
    if (!is_answer(error) && !is_of_connection(error)) errors.emplace(error);
  }
}

}  // namespace laggard::detect
