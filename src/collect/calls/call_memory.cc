#include "collect/calls/call_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/text.h"

namespace laggard::collect {

namespace {

namespace fs = std::filesystem;
using wire::CallEntry;
using wire::CallFrame;
using wire::CallTable;
using wire::CallThread;

/// Where that memory is mapped, as /proc/PID/map_files calls it.
std::optional<std::string> range_of(std::string_view maps) {
  const std::string name = fmt::format("/memfd:{} ", wire::kCallTableName);
  while (!maps.empty()) {
    std::string_view line = take_line(maps);
    if (line.find(name) == std::string_view::npos) continue;
    return std::string(take_word(line));
  }
  return std::nullopt;
}

/// What precedes a thread's entries.
struct ThreadHead {
  std::uint32_t taken;
  std::uint32_t generation;
  std::uint64_t since;
  std::uint64_t depth;
  std::uint64_t skipped;
  std::uint64_t forgotten;
  std::uint64_t used;
};
static_assert(offsetof(ThreadHead, used) == offsetof(CallThread, used));
static_assert(sizeof(ThreadHead) <= offsetof(CallThread, entries));

constexpr std::size_t kWordsOfEntry = sizeof(CallEntry) / sizeof(std::uint64_t);

}  // namespace

Result<CallMemory> CallMemory::open(const fs::path& root, pid_t process) {
  const fs::path folder = root / "proc" / std::to_string(process);
  const std::string where = fmt::format("process {}", process);
  const auto maps = read_file(folder / "maps");
  if (!maps)
    return fail(ErrorCode::kUnavailable, where, "its memory must not be looked at; be its user or root");
  const auto range = range_of(*maps);
  if (!range) {
    return fail(ErrorCode::kNotFound, where,
                "counts no calls: it was not linked with liblaggard-calls, nor started with "
                "LD_PRELOAD=liblaggard-calls.so");
  }
  const fs::path path = folder / "map_files" / *range;
  Fd file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOCTTY));
  if (!file.valid()) {
    return fail(ErrorCode::kUnavailable, where,
                "the calls that it counts cannot be read: that needs root, or the capability "
                "CAP_CHECKPOINT_RESTORE");
  }
  CallMemory memory(std::move(file), where);
  if (Status sound = memory.check(); !sound) return forward(sound);
  return memory;
}

Status CallMemory::check() {
  CallTable table{};
  if (Status read = read_at(0, &table, sizeof table); !read) return read;
  if (table.magic != wire::kCallTableMagic || table.version != wire::kCallTableVersion) {
    return fail(
        ErrorCode::kBadInput, where_,
        fmt::format("counts calls as version {} of liblaggard-calls does; this laggard knows version {}",
                    table.version, wire::kCallTableVersion));
  }
  // Whatever a process calls its memory, we write into no file that has a place on a disk: those have no
  // seals.
  const int seals = ::fcntl(file_.get(), F_GET_SEALS);
  struct stat status {};
  const bool is_known = seals >= 0 && (seals & F_SEAL_SHRINK) != 0 && ::fstat(file_.get(), &status) == 0;
  const std::uint64_t bytes = sizeof(CallTable) + std::uint64_t{table.threads} * sizeof(CallThread);
  const bool has_clock =
      table.clock == wire::CallClock::kMonotonicNs || table.clock == wire::CallClock::kTimeStamps;
  if (!is_known || !has_clock || table.threads > CallTable::kMostThreads ||
      static_cast<std::uint64_t>(status.st_size) < bytes) {
    return fail(ErrorCode::kBadInput, where_, "the memory in which it counts calls makes no sense");
  }
  clock_ = table.clock;
  threads_ = table.threads;
  return {};
}

Status CallMemory::read_at(std::uint64_t offset, void* to, std::size_t bytes) const {
  const ssize_t got = ::pread(file_.get(), to, bytes, static_cast<off_t>(offset));
  if (got == static_cast<ssize_t>(bytes)) return {};
  return fail(ErrorCode::kTemporary, where_, "the calls that it counted cannot be read");
}

Status CallMemory::write_at(std::uint64_t offset, const void* from, std::size_t bytes) const {
  const ssize_t done = ::pwrite(file_.get(), from, bytes, static_cast<off_t>(offset));
  if (done == static_cast<ssize_t>(bytes)) return {};
  return fail(ErrorCode::kTemporary, where_, "counting cannot be switched on");
}

Result<std::uint64_t> CallMemory::until() const {
  std::uint64_t there = 0;
  if (Status read = read_at(offsetof(CallTable, until), &there, sizeof there); !read) return forward(read);
  return there;
}

Status CallMemory::keep_counting() {
  // Of a clock whose rate is not known yet: no processor counts faster than 5 GHz or slower than 1.
  constexpr std::uint64_t kLease = 25'000'000'000;
  auto there = until();
  if (!there) return forward(there);
  if (*there == CallTable::kAlways) return {};
  said_until_ = now() + kLease;
  if (*there == 0) {  // Stacks from before are out of date.
    std::uint32_t generation = 0;
    constexpr std::size_t kAt = offsetof(CallTable, generation);
    if (Status read = read_at(kAt, &generation, sizeof generation); !read) return read;
    ++generation;
    if (Status written = write_at(kAt, &generation, sizeof generation); !written) return written;
  }
  return write_at(offsetof(CallTable, until), &said_until_, sizeof said_until_);
}

void CallMemory::stop_counting() {
  const auto there = until();
  if (!there || said_until_ == 0 || *there != said_until_) return;
  constexpr std::uint64_t kNever = 0;
  static_cast<void>(write_at(offsetof(CallTable, until), &kNever, sizeof kNever));
}

Status CallMemory::read_thread(std::uint64_t at, Losses& losses,
                               const std::function<void(const Count&)>& each) {
  ThreadHead head{};
  if (Status read = read_at(at, &head, sizeof head); !read) return read;
  losses.skipped += head.skipped;
  losses.forgotten += head.forgotten;
  if (head.used == 0) return {};
  numbers_.resize(CallThread::kEntries * kWordsOfEntry);
  if (Status read = read_at(at + offsetof(CallThread, entries), numbers_.data(),
                            numbers_.size() * sizeof(std::uint64_t));
      !read)
    return read;
  losses.others += numbers_[CallThread::kOthers * kWordsOfEntry + 1];
  // The call under way that is timed has its time when it ends; until then we say how long it has been. Both
  // are read one after the other: who reads takes the larger of two sums.
  std::uint64_t running = CallFrame::kUntimed;
  const bool runs = head.taken != 0 && head.depth <= CallThread::kDepth;
  for (std::uint64_t depth = runs ? head.depth : 0; depth > 0 && running >= CallFrame::kUntimed; --depth) {
    std::uint64_t frame[sizeof(CallFrame) / sizeof(std::uint64_t)] = {};
    const std::uint64_t top = at + offsetof(CallThread, frames) + (depth - 1) * sizeof(CallFrame);
    if (Status read = read_at(top, frame, sizeof frame); !read) return read;
    running = frame[offsetof(CallFrame, entry) / sizeof(std::uint64_t)];
  }
  const std::uint64_t now_ticks = now();
  for (std::size_t i = 0; i < CallThread::kEntries; ++i) {
    const std::uint64_t* entry = &numbers_[i * kWordsOfEntry];
    if (entry[0] == 0) continue;
    const std::uint64_t open = i == running && now_ticks > head.since ? now_ticks - head.since : 0;
    each({.function = entry[0], .calls = entry[1], .ticks = entry[2] + open});
  }
  return {};
}

Result<CallMemory::Losses> CallMemory::read(const std::function<void(const Count&)>& each) {
  CallTable table{};
  if (Status read = read_at(0, &table, sizeof table); !read) return forward(read);
  Losses losses;
  losses.threads = table.threads_refused;
  const std::uint32_t used = std::min<std::uint32_t>(table.threads_used, threads_);
  for (std::uint32_t i = 0; i < used; ++i) {
    const std::uint64_t at = sizeof(CallTable) + std::uint64_t{i} * sizeof(CallThread);
    if (Status read = read_thread(at, losses, each); !read) return forward(read);
  }
  return losses;
}

}  // namespace laggard::collect
