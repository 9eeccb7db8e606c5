#include "collect/samples/perf_events.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <string>
#include <system_error>
#include <utility>

#include "base/text.h"

namespace laggard::collect {

namespace {

namespace fs = std::filesystem;

constexpr const char* kWhere = "record samples";
constexpr std::uint64_t kSecondNs = 1'000'000'000;

/// What one event is of: a thread, a control group or, with -1, all threads.
struct Subject {
  int id = -1;
  unsigned long flags = 0;
};

/// Some seconds of samples, as binaries are read meanwhile; and no more than anybody may lock.
std::size_t ring_bytes(const SamplingOptions& options) {
  constexpr std::size_t kFlat = std::size_t{256} << 10;
  constexpr std::size_t kWithChains = std::size_t{512} << 10;
  return options.has_chains ? kWithChains : kFlat;
}

perf_event_attr attributes_of(const SamplingOptions& options) {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = options.by_cycles ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
  attr.config =
      options.by_cycles ? std::uint64_t{PERF_COUNT_HW_CPU_CYCLES} : std::uint64_t{PERF_COUNT_SW_CPU_CLOCK};
  attr.freq = options.by_cycles ? 1 : 0;
  if (options.by_cycles) {
    attr.sample_freq = options.frequency;
  } else {
    attr.sample_period = kSecondNs / options.frequency;
  }
  attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
  if (options.has_chains) {
    attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
    attr.sample_max_stack = PerfEvents::kDeepest;
  }
  attr.inherit = options.processes.empty() ? 0 : 1;
  attr.exclude_hv = 1;
  attr.exclude_guest = 1;
  attr.sample_id_all = 1;
  attr.mmap = 1;
  attr.mmap2 = 1;
  attr.comm = 1;
  attr.comm_exec = 1;
  attr.task = 1;
  attr.ksymbol = 1;
  attr.watermark = 1;
  attr.wakeup_watermark = static_cast<std::uint32_t>(ring_bytes(options) / 2);
  attr.use_clockid = 1;
  attr.clockid = CLOCK_MONOTONIC;
  return attr;
}

int open_event(perf_event_attr& attr, const Subject& subject, int processor) {
  return static_cast<int>(
      ::syscall(SYS_perf_event_open, &attr, subject.id, processor, -1, subject.flags | PERF_FLAG_FD_CLOEXEC));
}

tl::unexpected<Error> refusal(int error, const SamplingOptions& options) {
  if (error == EACCES || error == EPERM) {
    return fail(ErrorCode::kNoPermission, kWhere,
                options.processes.empty()
                    ? "needs the capability CAP_PERFMON (run it as root, or `setcap "
                      "cap_perfmon,cap_syslog,cap_sys_ptrace+ep laggard`)"
                    : "may not sample this process: needs the capability CAP_PERFMON, or a smaller "
                      "kernel.perf_event_paranoid");
  }
  if (options.by_cycles && (error == ENOENT || error == EOPNOTSUPP || error == ENODEV)) {
    return fail(ErrorCode::kUnavailable, "--event",
                "this machine has no counter of cycles, as few virtual machines have; use cpu-clock");
  }
  if (error == EMFILE) {
    return fail(ErrorCode::kTemporary, kWhere,
                "needs more open files, one for each thread and processor: raise the limit (`ulimit -n`)");
  }
  if ((error == EBADF || error == ENOENT) && !options.by_cycles && !options.cgroups.empty()) {
    return fail(
        ErrorCode::kBadUse, "--cgroup",
        "names a group that samples cannot be had of: take one of the hierarchy perf_event, or of version 2");
  }
  if (error == ENOSYS)
    return fail(ErrorCode::kUnavailable, kWhere, "this kernel was built without perf_event_open");
  return fail_errno(error, kWhere, "cannot sample");
}

/// `0-3,8`
std::vector<int> parse_processors(std::string_view text) {
  constexpr int kMost = 8192;
  std::vector<int> all;
  for (const std::string_view part : split(trim(text), ',')) {
    const std::size_t dash = part.find('-');
    const auto first = to_number<int>(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : to_number<int>(part.substr(dash + 1));
    if (!first || !last || *first < 0) continue;
    for (int n = *first; n <= std::min(*last, kMost); ++n) all.push_back(n);
  }
  return all;
}

/// Those of a process; threads that it starts meanwhile are inherited from these.
std::vector<pid_t> threads_of(const fs::path& root, pid_t process) {
  std::vector<pid_t> threads;
  std::error_code error;
  fs::directory_iterator at(root / "proc" / std::to_string(process) / "task", error);
  for (const fs::directory_iterator end; !error && at != end; at.increment(error)) {
    if (const auto thread = to_number<pid_t>(at->path().filename().string())) threads.push_back(*thread);
  }
  return threads;
}

/// Opens events of one setup, and keeps what it found out about the kernel.
class EventOpener {
 public:
  EventOpener(const SamplingOptions& options, std::vector<int> processors)
      : options_(options), processors_(std::move(processors)), attr_(attributes_of(options)) {}

  /// One for each processor; of a thread that has ended none.
  [[nodiscard]] Status open_all(const Subject& subject, std::vector<Fd>& events,
                                std::vector<std::pair<int, int>>& by_processor) {
    for (const int processor : processors_) {
      const int fd = open_with_less(subject, processor);
      if (fd >= 0) {
        events.emplace_back(fd);
        by_processor.emplace_back(processor, fd);
      } else if (errno != ENODEV &&
                 (errno != ESRCH || options_.processes.empty())) {  // ENODEV: switched off.
        return refusal(errno, options_);
      }
    }
    return {};
  }

  [[nodiscard]] bool user_only() const { return attr_.exclude_kernel != 0; }

 private:
  /// Without what an older kernel does not know, and without the kernel where we may not see it.
  int open_with_less(const Subject& subject, int processor) {
    for (;;) {
      const int fd = open_event(attr_, subject, processor);
      if (fd >= 0) return fd;
      if (errno == EINVAL && attr_.ksymbol != 0) {
        attr_.ksymbol = 0;
      } else if ((errno == EACCES || errno == EPERM) && attr_.exclude_kernel == 0) {
        attr_.exclude_kernel = 1;
      } else {
        return -1;
      }
    }
  }

  const SamplingOptions& options_;
  std::vector<int> processors_;
  perf_event_attr attr_;
};

/// Of a process each thread: what an event is of is one thread and what that will start.
Result<std::vector<Subject>> subjects_of(const SamplingOptions& options, const fs::path& root,
                                         std::vector<Fd>& folders) {
  std::vector<Subject> subjects;
  for (const fs::path& cgroup : options.cgroups) {
    Fd folder(::open(cgroup.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder.valid()) return fail_errno(errno, cgroup.string(), "cannot be opened");
    subjects.push_back({.id = folder.get(), .flags = PERF_FLAG_PID_CGROUP});
    folders.push_back(std::move(folder));
  }
  for (const pid_t process : options.processes) {
    for (const pid_t thread : threads_of(root, process)) subjects.push_back({.id = thread});
  }
  if (subjects.empty() && options.processes.empty()) subjects.push_back({});
  return subjects;
}

}  // namespace

Result<PerfEvents> PerfEvents::open(const SamplingOptions& options, const fs::path& root) {
  const auto online = read_file(root / "sys/devices/system/cpu/online");
  if (!online) return tl::unexpected<Error>(online.error());
  EventOpener opener(options, parse_processors(*online));
  std::vector<Fd> folders;
  auto subjects = subjects_of(options, root, folders);
  if (!subjects) return forward(subjects);
  PerfEvents all;
  std::vector<std::pair<int, int>> by_processor;
  for (const Subject& subject : *subjects) {
    if (Status opened = opener.open_all(subject, all.events_, by_processor); !opened) return forward(opened);
  }
  if (all.events_.empty()) return fail(ErrorCode::kNotFound, kWhere, "what was to be sampled has ended");
  all.user_only_ = opener.user_only();
  Status ready = all.map_rings(std::move(by_processor), ring_bytes(options));
  if (ready && options.processes.empty()) ready = all.watch_rings();
  if (!ready) return forward(ready);
  return all;
}

/// The first event on each processor has the ring, the others write into it.
Status PerfEvents::map_rings(std::vector<std::pair<int, int>> by_processor, std::size_t bytes) {
  std::ranges::stable_sort(by_processor, {}, &std::pair<int, int>::first);
  int processor = -1;
  for (const auto& [its_processor, fd] : by_processor) {
    if (its_processor == processor) {
      if (::ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring_owners_.back()) == 0) continue;
      return fail_errno(errno, kWhere, "cannot sample several things into one ring");
    }
    processor = its_processor;
    auto ring = PerfRing::map(fd, bytes);
    if (!ring) return forward(ring);
    rings_.push_back(std::move(*ring));
    ring_owners_.push_back(fd);
  }
  return {};
}

Status PerfEvents::watch_rings() {
  half_full_ = Fd(::epoll_create1(EPOLL_CLOEXEC));
  if (!half_full_.valid()) return fail_errno(errno, kWhere, "cannot wait for samples");
  for (const int fd : ring_owners_) {
    epoll_event event{};
    event.events = EPOLLIN;
    if (::epoll_ctl(half_full_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
      return fail_errno(errno, kWhere, "cannot wait for samples");
    }
  }
  return {};
}

std::size_t PerfEvents::drain(std::vector<std::uint64_t>& words) {
  std::size_t damaged = 0;
  for (PerfRing& ring : rings_) damaged += ring.drain(words) ? 0U : 1U;
  return damaged;
}

}  // namespace laggard::collect
