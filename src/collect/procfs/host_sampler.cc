#include "collect/procfs/host_sampler.h"

#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/text.h"

namespace laggard::collect {

namespace {

/// Of so many processors, and controllers of memory, at most the numbers are read.
constexpr std::size_t kMostUnits = 64;
constexpr std::uint64_t kUsualTickMs = 10;

std::optional<ProcFile> open_if_there(const std::filesystem::path& path) {
  Result<ProcFile> file = ProcFile::open(path);
  if (!file) return std::nullopt;
  return std::move(*file);
}

/// `UNIT0/NAME`, `UNIT1/NAME`, … below `folder`, as far as they are there.
std::vector<std::filesystem::path> files_of_units(const std::filesystem::path& folder,
                                                  const std::string& unit, const char* name) {
  std::vector<std::filesystem::path> files;
  for (std::size_t u = 0; u < kMostUnits; ++u) {
    std::filesystem::path file = folder / (unit + std::to_string(u)) / name;
    std::error_code error;
    if (std::filesystem::exists(file, error)) files.push_back(std::move(file));
  }
  return files;
}

std::optional<std::uint64_t> number_in(const std::filesystem::path& file) {
  const Result<std::string> text = read_file(file);
  return text ? to_number<std::uint64_t>(trim(*text)) : std::nullopt;
}

/// Nothing unless all can be read: a sum without one of its parts would look like a reset.
std::optional<std::uint64_t> sum_of(const std::vector<std::filesystem::path>& files) {
  if (files.empty()) return std::nullopt;
  std::uint64_t sum = 0;
  for (const auto& file : files) {
    const auto number = number_in(file);
    if (!number) return std::nullopt;
    sum += *number;
  }
  return sum;
}

}  // namespace

std::unique_ptr<HostSampler> HostSampler::open(const std::filesystem::path& root, std::string host,
                                               Notices& notices) {
  Result<ProcFile> stat = ProcFile::open(root / "proc/stat");
  if (!stat) return nullptr;
  return std::unique_ptr<HostSampler>(new HostSampler(root, std::move(host), std::move(*stat), notices));
}

HostSampler::HostSampler(const std::filesystem::path& root, std::string host, ProcFile stat, Notices& notices)
    : root_(root),
      notices_(&notices),
      batch_(std::move(host), DeviceKind::kHost, host_counters(), kRareHostCounters),
      stat_(std::move(stat)),
      vmstat_(open_if_there(root / "proc/vmstat")),
      meminfo_(open_if_there(root / "proc/meminfo")),
      pressure_cpu_(open_if_there(root / "proc/pressure/cpu")),
      pressure_io_(open_if_there(root / "proc/pressure/io")),
      pressure_memory_(open_if_there(root / "proc/pressure/memory")),
      clock_files_(files_of_units(root / "sys/devices/system/cpu", "cpu", "cpufreq/scaling_cur_freq")),
      throttle_files_(
          files_of_units(root / "sys/devices/system/cpu", "cpu", "thermal_throttle/core_throttle_count")),
      corrected_files_(files_of_units(root / "sys/devices/system/edac/mc", "mc", "ce_count")),
      uncorrected_files_(files_of_units(root / "sys/devices/system/edac/mc", "mc", "ue_count")) {
  const long ticks = ::sysconf(_SC_CLK_TCK);
  tick_ms_ = ticks > 0 && ticks <= 1000 ? static_cast<std::uint64_t>(1000 / ticks) : kUsualTickMs;
}

std::string_view HostSampler::text_of(std::optional<ProcFile>& file) {
  if (!file) return {};
  const Result<std::string_view> text = file->read();
  if (text) return *text;
  // PSI may be compiled in and switched off: then its files are there and cannot be read.
  notices_->once(file->path() + " is not recorded: " + text.error().message());
  return {};
}

void HostSampler::look_at_hardware() {
  constexpr std::uint64_t kKhzPerMhz = 1000;
  hardware_ = {};
  std::uint64_t khz = 0;
  std::uint64_t known = 0;
  for (const auto& file : clock_files_) {
    const auto rate = number_in(file);
    khz += rate.value_or(0);
    known += rate ? 1U : 0U;
  }
  if (known > 0) hardware_.set(HostCounter::kCpuMhz, khz / known / kKhzPerMhz);
  const auto set = [&](HostCounter counter, std::optional<std::uint64_t> value) {
    if (value) hardware_.set(counter, *value);
  };
  set(HostCounter::kThermalThrottles, sum_of(throttle_files_));
  set(HostCounter::kEccCorrected, sum_of(corrected_files_));
  set(HostCounter::kEccUncorrected, sum_of(uncorrected_files_));
}

void HostSampler::sample(Clock& clock) {
  if (clock.mono() >= look_at_) {
    look_at_ = clock.mono() + kLookEvery;
    look_at_hardware();
  }
  const WallTime time = sample_time(clock);
  HostSample now = hardware_;
  read_proc_stat(text_of(stat_), tick_ms_, now);
  read_vmstat(text_of(vmstat_), now);
  read_meminfo(text_of(meminfo_), now);
  const auto add = [&](HostCounter counter, std::optional<std::uint64_t> us) {
    if (us) now.set(counter, *us);
  };
  add(HostCounter::kPsiCpu, read_pressure(text_of(pressure_cpu_)).some_us);
  const Pressure io = read_pressure(text_of(pressure_io_));
  add(HostCounter::kPsiIo, io.some_us);
  add(HostCounter::kPsiIoFull, io.full_us);
  const Pressure memory = read_pressure(text_of(pressure_memory_));
  add(HostCounter::kPsiMemory, memory.some_us);
  add(HostCounter::kPsiMemoryFull, memory.full_us);
  present_ = now.present == 0 ? 0 : 1;
  if (present_ == 0) return;
  batch_.begin_row(time);
  if (!batch_.has(slot_)) slot_ = batch_.add(std::string(kHostDevice));
  std::ranges::copy(now.values, batch_.cells(slot_).begin());
  batch_.set_present(slot_, now.present);
}

}  // namespace laggard::collect
