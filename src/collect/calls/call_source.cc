#include "collect/calls/call_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/text.h"

namespace laggard::collect {

namespace {

namespace fs = std::filesystem;

/// Lines of /proc/PID/maps of memory that has code; none when the process is over, though its parent may not
/// have asked for it yet, or executes another program.
std::string code_of(const fs::path& root, pid_t process) {
  const auto maps = read_file(root / "proc" / std::to_string(process) / "maps");
  std::string code;
  if (!maps || maps->find(wire::kCallTableName) == std::string::npos) return code;
  std::string_view text = *maps;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    std::string_view rest = line;
    static_cast<void>(take_word(rest));
    if (take_word(rest).find('x') != std::string_view::npos) code.append(line).push_back('\n');
  }
  return code;
}

/// What it has forked and is there yet; none where the kernel does not tell (CONFIG_PROC_CHILDREN).
std::vector<pid_t> children_of(const fs::path& root, pid_t process) {
  std::vector<pid_t> children;
  std::error_code error;
  fs::directory_iterator thread(root / "proc" / std::to_string(process) / "task", error);
  for (; !error && thread != fs::directory_iterator(); thread.increment(error)) {
    const auto text = read_file(thread->path() / "children");
    if (!text) continue;
    std::string_view rest = *text;
    for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
      if (const auto child = to_number<pid_t>(word)) children.push_back(*child);
    }
  }
  return children;
}

/// What has come since `told`, which becomes what there is.
std::uint64_t more_than(std::uint64_t& told, std::uint64_t there) {
  const std::uint64_t more = there > told ? there - told : 0;
  told = std::max(told, there);
  return more;
}

/// The same in microseconds; what is less than one waits until there is more. What makes no sense is taken
/// for a long time.
std::uint64_t microseconds_more(std::uint64_t& told, std::uint64_t there, double per_microsecond) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 60;
  if (there <= told || per_microsecond <= 0) return 0;
  const auto more = static_cast<double>(std::min(there - told, kMost));
  const auto took = static_cast<std::uint64_t>(more / std::max(per_microsecond, 1.0));
  told += static_cast<std::uint64_t>(static_cast<double>(took) * std::max(per_microsecond, 1.0));
  return took;
}

}  // namespace

std::span<const EventSourceOption> CallSource::options() {
  static constexpr std::array<EventSourceOption, 2> kOptions{
      {{.name = "pid", .help = "These processes", .type = "N,...", .initial = "", .many = true},
       CallPeriods::kInterval}};
  return kOptions;
}

Result<std::unique_ptr<EventSource>> CallSource::open(const EventSourceSetup& setup) {
  const auto interval = CallPeriods::interval_of(setup);
  if (!interval) return tl::unexpected<Error>(interval.error());
  std::unique_ptr<CallSource> source(new CallSource(setup, *interval));
  const auto processes = chosen_processes(setup);
  if (!processes) return tl::unexpected<Error>(processes.error());
  for (const pid_t id : *processes) {
    auto memory = CallMemory::open(setup.root, id);
    if (!memory) return forward(memory);
    source->processes_.push_back({.id = id, .memory = std::move(*memory)});
  }
  if (source->processes_.empty())
    return fail(ErrorCode::kBadUse, "record calls", "needs --pid: the processes whose calls are recorded");
  return source;
}

/// Libraries come and go, and another one may have the addresses of one that went. When the process is gone
/// its code cannot be looked at, so that it is known before.
void CallSource::look_at_code(Process& process, MonoTime now) {
  std::string code = code_of(root_, process.id);
  process.is_gone = code.empty();
  if (process.is_gone || code == process.code) return;
  process.code = std::move(code);
  symbolizer_.look_again(static_cast<std::uint32_t>(process.id), now);
  for (auto& [address, function] : process.functions) function.word.clear();
}

/// Those that count calls: what they fork is of the same program until it executes another one. Their clock
/// is their parent's, so that their time is known from their begin on.
void CallSource::take_up_children() {
  for (std::size_t p = 0; p < processes_.size(); ++p) {
    for (const pid_t child : children_of(root_, processes_[p].id)) {
      if (std::ranges::find(processes_, child, &Process::id) != processes_.end()) continue;
      auto memory = CallMemory::open(root_, child);
      if (!memory || memory->clock() != processes_[p].memory.clock()) continue;
      if (processes_.size() >= kMostProcesses) {
        if (!has_refused_ && say_)
          say_(fmt::format("more than {} processes at a time: the others are not recorded", kMostProcesses));
        has_refused_ = true;
        return;
      }
      processes_.push_back(
          {.id = child, .memory = std::move(*memory), .first_ticks = processes_[p].first_ticks});
    }
  }
}

std::string CallSource::name(const Process& process, std::uint64_t function, MonoTime now) {
  const auto id = static_cast<std::uint32_t>(process.id);
  const CodePlace place = symbolizer_.of_process(id, function, now);
  return to_word(symbolizer_.processes().of(id, now).name, place);
}

Status CallSource::take(Process& process, MonoTime now, CallPeriods::Changes& changes,
                        CallMemory::Losses& lost) {
  std::unordered_map<std::uint64_t, CallMemory::Count> sums;
  const std::uint64_t ticks = process.memory.now();
  auto read = process.memory.read([&](const CallMemory::Count& count) {
    CallMemory::Count& sum = sums[count.function];
    sum.calls += count.calls;
    sum.ticks += count.ticks;
  });
  if (!read) return forward(read);
  const auto elapsed = std::chrono::duration<double, std::micro>(now - *first_).count();
  const bool is_first = process.first_ticks == 0;
  if (is_first) process.first_ticks = ticks;
  std::uint64_t others = read->others;
  const double per_microsecond = static_cast<double>(ticks - process.first_ticks) / std::max(elapsed, 1.0);
  for (const auto& [address, sum] : sums) {
    if (process.functions.size() >= kMostFunctions && !process.functions.contains(address)) {
      others += sum.calls;
      continue;
    }
    Function& function = process.functions[address];
    if (function.word.empty()) function.word = name(process, address, now);
    const std::uint64_t calls = more_than(function.calls, sum.calls);
    if (is_first) {
      function.ticks = sum.ticks;
      continue;
    }
    const std::uint64_t took = microseconds_more(function.ticks, sum.ticks, per_microsecond);
    if (calls == 0 && took == 0) continue;
    CallPeriods::Change& change = changes[function.word];
    change.calls = sum_of_counts(change.calls, calls);
    change.microseconds = sum_of_counts(change.microseconds, took);
  }
  lost.skipped += more_than(process.lost.skipped, read->skipped);
  lost.forgotten += more_than(process.lost.forgotten, read->forgotten);
  lost.others += more_than(process.lost.others, others);
  lost.threads += more_than(process.lost.threads, read->threads);
  return {};
}

void CallSource::tell(const CallPeriods::Changes& changes, const CallMemory::Losses& lost, WallTime now,
                      ObservationBatch& batch) {
  const auto period = periods_.end_period(changes, now, batch);
  if (!period) return;
  const auto lose = [&](ProfileTable& profile, std::uint64_t count, const char* reason) {
    if (count == 0) return;
    profile.add_loss({.from = period->from, .to = period->to, .count = count, .reason = reason});
  };
  ProfileTable& counts = batch.profiles.front();
  lose(counts, lost.others, "too many functions");
  lose(counts, lost.skipped, "in handlers of signals that came while a call was counted");
  lose(counts, lost.threads, "threads for which there was no room");
  lose(batch.profiles.back(), lost.forgotten, "too many calls under way");
}

Status CallSource::read(Clock& clock, ObservationBatch& batch, std::size_t most) {
  static_cast<void>(most);
  const MonoTime now = clock.mono();
  const WallTime wall = clock.wall();
  if (!periods_.is_due(wall)) return {};
  if (!first_) first_ = now;
  CallPeriods::Changes changes;
  CallMemory::Losses lost;
  take_up_children();
  for (Process& process : processes_) {
    look_at_code(process, now);
    if (Status taken = take(process, now, changes, lost); !taken) return taken;
    if (Status kept = process.memory.keep_counting(); !kept) return kept;
  }
  std::erase_if(processes_, [](const Process& process) { return process.is_gone; });
  tell(changes, lost, wall, batch);
  return {};
}

bool CallSource::has_ended() { return processes_.empty(); }

void CallSource::finish(Clock& clock, ObservationBatch& batch) {
  if (!first_) return;
  CallPeriods::Changes changes;
  CallMemory::Losses lost;
  const MonoTime now = clock.mono();
  take_up_children();
  for (Process& process : processes_) {
    static_cast<void>(take(process, now, changes, lost));
    process.memory.stop_counting();
  }
  tell(changes, lost, clock.wall(), batch);
  if (say_) say_(fmt::format("{} calls counted", with_separators(periods_.calls())));
}

}  // namespace laggard::collect
