#include "collect/procfs/host_tables.h"

#include <span>
#include <string>

#include "base/text.h"

namespace laggard::collect {

namespace {

/// In the order of HostCounter.
constexpr std::array<std::string_view, kHostCounters> kHostNames{
    "cpu_user_ms",        "cpu_system_ms", "cpu_irq_ms",        "cpu_idle_ms",
    "cpu_iowait_ms",      "cpu_steal_ms",  "procs_running",     "procs_blocked",
    "psi_cpu_us",         "psi_io_us",     "psi_io_full_us",    "psi_memory_us",
    "psi_memory_full_us", "swap_in",       "swap_out",          "major_faults",
    "mem_available_kb",   "cpu_mhz",       "thermal_throttles", "ecc_corrected",
    "ecc_uncorrected"};

/// The columns of the line `cpu` of /proc/stat. Guests' time is within user and nice.
enum CpuColumn : std::uint8_t { kUser, kNice, kSystem, kIdle, kIowait, kIrq, kSoftirq, kSteal, kCpuColumns };

struct Named {
  std::string_view name;  ///< With what divides it from its number.
  HostCounter counter;
};

/// Takes the numbers of lines that begin with one of the names, which are looked for one by one: of the 170
/// lines of /proc/vmstat three are wanted.
void read_named(std::string_view text, std::span<const Named> names, HostSample& sample) {
  for (const Named& named : names) {
    std::size_t at = text.find(named.name);
    while (at != std::string_view::npos && at > 0 && text[at - 1] != '\n') at = text.find(named.name, at + 1);
    if (at == std::string_view::npos) continue;
    std::string_view rest = text.substr(at + named.name.size());
    std::string_view line = take_line(rest);
    if (const auto number = to_number<std::uint64_t>(take_word(line))) sample.set(named.counter, *number);
  }
}

void read_cpu_line(std::string_view columns, std::uint64_t tick_ms, HostSample& sample) {
  std::array<std::uint64_t, kCpuColumns> ticks{};
  const std::uint32_t found = read_numbers(columns, ticks);
  const auto set = [&](HostCounter counter, std::initializer_list<CpuColumn> sum) {
    std::uint64_t total = 0;
    for (const CpuColumn column : sum) {
      if ((found >> static_cast<unsigned>(column) & 1U) == 0) return;
      total += ticks[column];
    }
    sample.set(counter, total * tick_ms);
  };
  set(HostCounter::kCpuUser, {kUser, kNice});
  set(HostCounter::kCpuSystem, {kSystem});
  set(HostCounter::kCpuIrq, {kIrq, kSoftirq});
  set(HostCounter::kCpuIdle, {kIdle});
  set(HostCounter::kCpuIowait, {kIowait});
  set(HostCounter::kCpuSteal, {kSteal});
}

}  // namespace

std::vector<TableCounter> host_counters() {
  std::vector<TableCounter> counters;
  counters.reserve(kHostCounters);
  for (const std::string_view name : kHostNames) {
    counters.push_back({std::string(name), find_counter(DeviceKind::kHost, name)->form});
  }
  return counters;
}

void read_proc_stat(std::string_view text, std::uint64_t tick_ms, HostSample& sample) {
  constexpr std::string_view kCpu = "cpu ";
  constexpr std::array kRest{Named{"procs_running ", HostCounter::kRunning},
                             Named{"procs_blocked ", HostCounter::kBlocked}};
  if (text.starts_with(kCpu)) {
    std::string_view line = take_line(text);
    line.remove_prefix(kCpu.size());
    read_cpu_line(line, tick_ms, sample);
  }
  // What follows the lines of the processors is one line of interrupts as long as all else.
  const std::size_t rest = text.find("\nprocs_running ");
  if (rest != std::string_view::npos) read_named(text.substr(rest + 1), kRest, sample);
}

void read_vmstat(std::string_view text, HostSample& sample) {
  constexpr std::array kNamed{Named{"pswpin ", HostCounter::kSwapIn},
                              Named{"pswpout ", HostCounter::kSwapOut},
                              Named{"pgmajfault ", HostCounter::kMajorFaults}};
  read_named(text, kNamed, sample);
}

void read_meminfo(std::string_view text, HostSample& sample) {
  constexpr std::array kNamed{Named{"MemAvailable:", HostCounter::kMemAvailable}};
  read_named(text, kNamed, sample);
}

Pressure read_pressure(std::string_view text) {
  constexpr std::string_view kTotal = "total=";
  Pressure pressure;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    const std::string_view who = take_word(line);
    const std::size_t total = line.find(kTotal);
    if (total == std::string_view::npos) continue;
    line.remove_prefix(total + kTotal.size());
    const auto us = to_number<std::uint64_t>(take_word(line));
    if (who == "some") pressure.some_us = us;
    if (who == "full") pressure.full_us = us;
  }
  return pressure;
}

}  // namespace laggard::collect
