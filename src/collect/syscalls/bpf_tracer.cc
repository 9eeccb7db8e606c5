#include "collect/syscalls/syscall_tracer.h"

#ifdef LAGGARD_BPF

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <linux/btf.h>
#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/file.h"
#include "collect/bpf/bpf_loading.h"
#include "collect/syscalls/syscall_table.h"
#include "collect/syscalls/syscalls.skel.h"
#include "wire/syscall_record.h"

namespace laggard::collect {

namespace {

constexpr const char* kWho = "record syscalls";

struct DestroySkeleton {
  void operator()(syscalls_bpf* skeleton) const { syscalls_bpf__destroy(skeleton); }
};
struct FreeRing {
  void operator()(ring_buffer* ring) const { ring_buffer__free(ring); }
};

/// Whether the kernel that runs has this function for BPF programs.
bool kernel_has(const char* function) {
  const auto types = kernel_types();
  return types != nullptr && btf__find_by_name_kind(types.get(), function, BTF_KIND_FUNC) > 0;
}

/// After how many calls the user side is woken: before those without paths fill a quarter of the ring, and
/// not too often.
std::uint32_t wake_every(std::size_t ring_bytes) {
  constexpr std::size_t kMost = 8192;
  return static_cast<std::uint32_t>(
      std::min(kMost, std::bit_floor(ring_bytes / 4 / sizeof(wire::CallRecord))));
}

void set_up(syscalls_bpf& skeleton, const TracerOptions& options) {
  const TraceTargets& targets = options.targets;
  auto& settings = *skeleton.rodata;
  settings.wake_every = wake_every(options.ring_bytes);
  settings.running_after_ns = static_cast<std::uint64_t>(options.running_after.count());
  settings.held_process = targets.held;
  settings.has_casts = kernel_has("bpf_rdonly_cast") ? 1 : 0;
  for (const std::string& comm : targets.comms) {
    if (settings.comm_count == wire::kComms) break;
    // The kernel cuts names as long as this, too.
    auto& row = settings.comms[settings.comm_count++];
    const std::string_view name = std::string_view(comm).substr(0, wire::kCommBytes - 1);
    std::memcpy(row, name.data(), name.size());
  }
  for (unsigned number = 0; number < wire::kCallNumbers; ++number) {
    const SyscallSpec* spec = find_syscall(number);
    if (spec == nullptr) continue;
    settings.path_arguments[number] = spec->paths;
    settings.effects[number] = static_cast<std::uint8_t>(spec->effect);
  }
}

class BpfTracer final : public SyscallTracer {
 public:
  explicit BpfTracer(std::unique_ptr<syscalls_bpf, DestroySkeleton> skeleton)
      : skeleton_(std::move(skeleton)) {}

  /// \param processes  besides those that are chosen by their names
  [[nodiscard]] Status begin(std::span<const std::uint32_t> processes) {
    const int ring = bpf_map__fd(skeleton_->maps.ring);
    ring_.reset(ring_buffer__new(ring, &BpfTracer::take_record, this, nullptr));
    if (ring_ == nullptr) return bpf_refusal(kWho, errno);
    // By its edges: a ring is readable for as long as anything is in it, so that a reader would come for
    // every few records.
    epoll_event woken{.events = EPOLLIN | EPOLLET, .data = {}};
    if (!wakes_.valid() || ::epoll_ctl(wakes_.get(), EPOLL_CTL_ADD, ring, &woken) != 0)
      return fail_errno(errno, kWho, "cannot wait for records");
    if (const int error = syscalls_bpf__attach(skeleton_.get()); error != 0) return bpf_refusal(kWho, -error);
    return add(processes);
  }

  [[nodiscard]] Status add(std::span<const std::uint32_t> processes) override {
    auto& wanted = *skeleton_->bss;
    do {
      const std::span<const std::uint32_t> some =
          processes.first(std::min<std::size_t>(processes.size(), wire::kProcesses));
      std::ranges::copy(some, std::begin(wanted.processes));
      wanted.process_count = static_cast<std::uint32_t>(some.size());
      if (Status marked = mark(); !marked) return marked;
      processes = processes.subspan(some.size());
    } while (!processes.empty());
    return tell_open();
  }

  [[nodiscard]] int descriptor() const override { return wakes_.get(); }

  void drain(const Take& take) override {
    epoll_event woken{};
    static_cast<void>(::epoll_wait(wakes_.get(), &woken, 1, 0));  // What wakes from now on is told anew.
    take_ = &take;
    ring_buffer__consume(ring_.get());
    take_ = nullptr;
  }

  [[nodiscard]] Status tell_open() override { return iterate(*skeleton_->links.describe_open); }

  [[nodiscard]] Status tell_running() override { return iterate(*skeleton_->links.tell_running); }

  void stop() override {
    auto& links = skeleton_->links;
    for (bpf_link** link : {&links.on_enter, &links.on_exit, &links.on_fork, &links.on_exec,
                            &links.on_thread_exit, &links.on_signal}) {
      bpf_link__destroy(std::exchange(*link, nullptr));
    }
    static_cast<void>(iterate(*links.tell_unfinished));
  }

  [[nodiscard]] std::uint64_t live() const override {
    const volatile std::uint64_t& live = skeleton_->bss->live;
    return live;
  }

  [[nodiscard]] std::vector<std::uint64_t> lost() const override {
    std::vector<std::uint64_t> all;
    all.reserve(wire::kCpus);
    for (const volatile std::uint64_t& lost : skeleton_->bss->lost) all.push_back(std::uint64_t{lost});
    while (!all.empty() && all.back() == 0) all.pop_back();
    return all;
  }

 private:
  /// Threads that were made by threads not yet marked are found the next time.
  [[nodiscard]] Status mark() {
    constexpr int kMostRounds = 10;
    std::uint64_t before = 0;
    for (int round = 0; round < kMostRounds && (round == 0 || live() != before); ++round) {
      before = live();
      if (Status marked = iterate(*skeleton_->links.mark_wanted); !marked) return marked;
    }
    return {};
  }

  /// Runs an iterator's program once over everything: it writes nothing into the file that is read.
  [[nodiscard]] static Status iterate(bpf_link& link) {
    const Fd iterator{::bpf_iter_create(bpf_link__fd(&link))};
    if (!iterator.valid()) return bpf_refusal(kWho, errno);
    std::array<char, 64> nothing{};
    auto read = read_some(iterator.get(), nothing, kWho);
    return read ? Status() : Status(forward(read));
  }

  static int take_record(void* self, void* record, std::size_t bytes) {
    // What comes next lies in the cache of whoever made the calls.
    constexpr std::size_t kAhead = 1024;
    constexpr std::size_t kLine = 64;
    const auto* const later = static_cast<const std::byte*>(record) + kAhead;
    __builtin_prefetch(later);
    __builtin_prefetch(later + kLine);
    const Take& take = *static_cast<BpfTracer*>(self)->take_;
    return take({static_cast<const std::byte*>(record), bytes}) ? 0 : -ECANCELED;
  }

  std::unique_ptr<syscalls_bpf, DestroySkeleton> skeleton_;
  std::unique_ptr<ring_buffer, FreeRing> ring_;
  Fd wakes_{::epoll_create1(EPOLL_CLOEXEC)};
  const Take* take_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<SyscallTracer>> open_bpf_tracer(const TracerOptions& options) {
  keep_bpf_warnings();
  std::unique_ptr<syscalls_bpf, DestroySkeleton> skeleton(syscalls_bpf__open());
  if (skeleton == nullptr) return bpf_refusal(kWho, errno);
  set_up(*skeleton, options);
  bpf_map__set_max_entries(skeleton->maps.ring, static_cast<std::uint32_t>(options.ring_bytes));
  if (const int error = syscalls_bpf__load(skeleton.get()); error != 0) return bpf_refusal(kWho, -error);
  auto tracer = std::make_unique<BpfTracer>(std::move(skeleton));
  if (Status begun = tracer->begin(options.targets.processes); !begun) return forward(begun);
  return tracer;
}

}  // namespace laggard::collect

#else

namespace laggard::collect {

Result<std::unique_ptr<SyscallTracer>> open_bpf_tracer(const TracerOptions&) {
  return fail(
      ErrorCode::kUnavailable, "record syscalls",
      "this laggard was built without BPF; build it where libbpf-dev, bpftool and clang are installed");
}

}  // namespace laggard::collect

#endif
