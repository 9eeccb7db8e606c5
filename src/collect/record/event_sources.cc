#include "collect/record/event_sources.h"

#include <fmt/format.h>

#include <vector>

#include "base/text.h"
#include "collect/calls/call_source.h"
#include "collect/kernel/kernel_source.h"
#include "collect/logs/log_source.h"
#include "collect/pings/ping_source.h"
#include "collect/samples/sample_source.h"
#include "collect/syscalls/syscall_source.h"

namespace laggard::collect {

Result<std::vector<pid_t>> chosen_processes(const EventSourceSetup& setup) {
  std::vector<pid_t> processes;
  for (const std::string& text : setup.options_of("pid")) {
    const auto process = to_number<pid_t>(text);
    if (!process || *process <= 0)
      return fail(ErrorCode::kBadUse, "--pid", fmt::format("'{}' is no number of a process", text));
    if (!std::filesystem::exists(setup.root / "proc" / text))
      return fail(ErrorCode::kNotFound, "--pid", fmt::format("there is no process {}", text));
    processes.push_back(*process);
  }
  return processes;
}

std::span<const EventSourceSpec> event_sources() {
  static const std::vector<EventSourceSpec> table{
      {"pings", "Probe storage targets by small requests and record how long they take", &PingSource::open,
       "", PingSource::options(), "--target ost1=/mnt/ost1/pings,ost2=/mnt/ost2/pings"},
      {"logs", "Record the lines of systemd's journal, or of log files, as they are written",
       &LogSource::open, "The journal's folder; else this machine's journal", LogSource::options(),
       "--file /var/log/messages"},
      {"syscalls",
       "Record the system calls of chosen processes and of their children: how many and how long a second, "
       "and "
       "those that failed or hang",
       &SyscallSource::open, "", SyscallSource::options(), "--pid 4711", true},
      {"samples", "Sample the functions that processors run, of all programs and of the kernel",
       &SampleSource::open, "", SampleSource::options(), "--frequency 99 --duration 1h", false,
       ObservationShape::kProfiles},
      {"calls",
       "Record how often functions of processes that are linked with liblaggard-calls are called, and how "
       "long they take",
       &CallSource::open, "", CallSource::options(), "--pid 4711", false, ObservationShape::kProfiles},
      {"kernel", "Record how often functions of the kernel are called, and how long they take",
       &KernelSource::open, "", KernelSource::options(), "--function vfs_fsync_range --duration 1h", false,
       ObservationShape::kProfiles},
  };
  return table;
}

}  // namespace laggard::collect
