#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <string>
#include <system_error>

#include "base/file.h"
#include "base/text.h"
#include "collect/procfs/quota_meter.h"
#include "collect/samples/sample_source.h"

namespace laggard::collect {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kHighestFrequency = 10'000;

/// The kernel takes back more than this by leaving samples out.
std::uint64_t highest_frequency(const fs::path& root) {
  const auto text = read_file(root / "proc/sys/kernel/perf_event_max_sample_rate");
  const auto rate = text ? to_number<std::uint64_t>(trim(*text)) : std::nullopt;
  return std::min(rate.value_or(kHighestFrequency), kHighestFrequency);
}

Result<std::uint64_t> frequency_of(const EventSourceSetup& setup) {
  const std::string text = setup.option("frequency");
  const auto frequency = to_number<std::uint64_t>(text);
  const std::uint64_t most = highest_frequency(setup.root);
  if (frequency && *frequency >= 1 && *frequency <= most) return *frequency;
  return fail(
      ErrorCode::kBadUse, "--frequency",
      fmt::format("'{}' is no number of samples a second from 1 to {}, which this kernel takes", text, most));
}

/// By version 1 of control groups, or by version 2 where that has them.
Result<fs::path> cgroup_folder(const fs::path& root, const std::string& name) {
  const fs::path path(name);
  for (const fs::path& hierarchy :
       {fs::path("/"), root / "sys/fs/cgroup/perf_event", CgroupMounts::find(root).v2}) {
    if (hierarchy.empty() || (hierarchy == "/") != path.is_absolute()) continue;
    std::error_code none;
    if (fs::exists(hierarchy / path / "cgroup.procs", none)) return hierarchy / path;
  }
  return fail(ErrorCode::kNotFound, "--cgroup", "there is no control group " + name);
}

}  // namespace

std::span<const EventSourceOption> SampleSource::options() {
  static constexpr std::array<EventSourceOption, 6> kOptions{
      {{.name = "frequency", .help = "Samples of each processor a second", .type = "HZ", .initial = "99"},
       {.name = "pid",
        .help = "These processes and what they start; else all",
        .type = "N,...",
        .initial = "",
        .many = true},
       {.name = "cgroup",
        .help = "Processes of these control groups and of those below; else all",
        .type = "PATH,...",
        .initial = "",
        .many = true},
       {.name = "call-chains",
        .help = "Whole call stacks instead of functions: of programs that keep frame pointers",
        .type = "",
        .initial = "",
        .is_flag = true},
       {.name = "event",
        .help =
            "What makes samples: cpu-clock, a timer; cycles, the processor's counter, which sees code that "
            "has interrupts off",
        .type = "NAME",
        .initial = "cpu-clock"},
       {.name = "interval", .help = "Of one profile, 1s to 10m", .type = "TIME", .initial = "10s"}}};
  return kOptions;
}

Result<SamplingOptions> sampling_options(const EventSourceSetup& setup) {
  SamplingOptions options;
  const auto frequency = frequency_of(setup);
  if (!frequency) return tl::unexpected<Error>(frequency.error());
  options.frequency = *frequency;
  const std::string event = setup.option("event");
  if (event != "cpu-clock" && event != "cycles") {
    return fail(ErrorCode::kBadUse, "--event", fmt::format("'{}' is none of cpu-clock, cycles", event));
  }
  options.by_cycles = event == "cycles";
  options.has_chains = !setup.options_of("call-chains").empty();
  auto processes = chosen_processes(setup);
  if (!processes) return forward(processes);
  options.processes = std::move(*processes);
  for (const std::string& name : setup.options_of("cgroup")) {
    auto folder = cgroup_folder(setup.root, name);
    if (!folder) return forward(folder);
    options.cgroups.push_back(std::move(*folder));
  }
  if (options.processes.empty() || options.cgroups.empty()) return options;
  return fail(ErrorCode::kBadUse, "record samples", "takes either --pid or --cgroup");
}

}  // namespace laggard::collect
