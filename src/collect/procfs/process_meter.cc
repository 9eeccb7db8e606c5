#include "collect/procfs/process_meter.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>
#include <system_error>
#include <utility>

#include "base/text.h"

namespace laggard::collect {

namespace {

Fd open_file(const std::filesystem::path& path) { return Fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC)}; }

/// The text of a short file that stays open; empty when what it told of is gone.
std::string_view read_again(const Fd& file, std::span<char> buffer) {
  const ssize_t n = ::pread(file.get(), buffer.data(), buffer.size(), 0);
  return n <= 0 ? std::string_view{} : std::string_view(buffer.data(), static_cast<std::size_t>(n));
}

using Line = std::array<char, 1024>;

}  // namespace

ProcessMeter::ProcessMeter(std::filesystem::path folder, pid_t pid, Fd stat)
    : folder_(std::move(folder)), pid_(pid), stat_(std::move(stat)) {}

std::optional<ProcessMeter> ProcessMeter::open(const std::filesystem::path& proc, pid_t pid) {
  std::filesystem::path folder = proc / std::to_string(pid);
  Fd stat = open_file(folder / "stat");
  if (!stat.valid()) return std::nullopt;
  return ProcessMeter(std::move(folder), pid, std::move(stat));
}

void ProcessMeter::list_threads(std::size_t& spare) {
  std::vector<Thread> before = std::move(threads_);
  threads_.clear();
  spare += before.size();
  all_listed_ = true;
  std::error_code error;
  std::filesystem::directory_iterator entry(folder_ / "task", error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const auto tid = to_number<pid_t>(entry->path().filename().string());
    if (!tid) continue;
    const auto known = std::ranges::find(before, *tid, &Thread::tid);
    if (known != before.end()) {
      threads_.push_back(std::move(*known));
      spare -= std::min<std::size_t>(spare, 1);
      continue;
    }
    Fd file = spare > 0 ? open_file(entry->path() / "schedstat") : Fd{};
    all_listed_ = all_listed_ && file.valid();
    if (!file.valid()) continue;
    --spare;
    Thread& fresh = threads_.emplace_back(Thread{*tid, std::move(file), 0});
    // Of threads that were there before us, only what they wait from now on.
    Line line{};
    if (!listed_) fresh.delay_ns = parse_run_delay(read_again(fresh.schedstat, line)).value_or(0);
  }
  listed_ = true;
}

bool ProcessMeter::read_threads(DaemonTotals& totals) {
  bool all = true;
  for (Thread& thread : threads_) {
    Line line{};
    const auto delay = parse_run_delay(read_again(thread.schedstat, line));
    if (delay && *delay >= thread.delay_ns) totals.run_delay_ns += *delay - thread.delay_ns;
    if (delay) thread.delay_ns = *delay;
    if (!delay) thread.tid = 0;
    all = all && delay;
  }
  return all;
}

std::optional<ProcessStat> ProcessMeter::sample(DaemonTotals& totals, std::size_t& spare) {
  Line line{};
  const std::optional<ProcessStat> now = parse_process_stat(read_again(stat_, line));
  if (!now || now->has_ended()) return std::nullopt;
  if (last_ && last_->start_ticks != now->start_ticks) return std::nullopt;
  if (last_) {
    totals.cpu_ticks += now->cpu_ticks - std::min(now->cpu_ticks, last_->cpu_ticks);
    totals.major_faults += now->major_faults - std::min(now->major_faults, last_->major_faults);
  }
  last_ = now;
  const bool all_live = read_threads(totals);
  if (!all_live || now->threads != threads_.size()) list_threads(spare);
  totals.knows_run_delay = totals.knows_run_delay && all_listed_;
  return now;
}

}  // namespace laggard::collect
