#include "collect/procfs/daemon_sampler.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "collect/procfs/proc_tables.h"

namespace laggard::collect {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// A name in /proc has 15 characters at most.
constexpr std::array<std::string_view, 14> kUsual{
    "glusterfsd",   "ceph-osd",  "ceph-mds",     "mfschunkserver", "mfsmaster",
    "pvfs2-server", "mmfsd",     "ganesha.nfsd", "nfsd",           "beegfs-storage*",
    "beegfs-meta*", "orangefs*", "lizardfs*",    "daos_engine"};

enum Counter : std::uint8_t {
  kCpu,
  kRunWait,
  kMajorFaults,
  kRss,
  kProcesses,
  kThreads,
  kStopped,
  kThrottledUs,
  kThrottles,
  kCounters
};
constexpr std::array<std::string_view, kCounters> kDaemonCounters{"cpu_us",  "run_wait_us",  "major_faults",
                                                                  "rss_kb",  "processes",    "threads",
                                                                  "stopped", "throttled_us", "throttles"};
/// Of threads and processes whose files stay open: many systems allow 1024 in all.
constexpr std::size_t kMostFiles = 640;
constexpr Duration kLookAtAllEvery = 10min;
/// A quota may be set at any time; what a process is held for before it is seen is not counted.
constexpr Duration kLookAtQuotasEvery = 3s;

std::vector<TableCounter> daemon_counters() {
  std::vector<TableCounter> counters;
  counters.reserve(kCounters);
  for (const std::string_view name : kDaemonCounters) {
    counters.push_back({std::string(name), find_counter(DeviceKind::kDaemon, name)->form});
  }
  return counters;
}

std::string line_of(const fs::path& path) {
  const Result<std::string> text = read_file(path);
  return text ? std::string(trim(*text)) : std::string{};
}

fs::path network_of(const fs::path& process) {
  std::error_code error;
  fs::path network = fs::read_symlink(process / "ns/net", error);
  return error ? fs::path{} : network;
}

}  // namespace

std::span<const std::string_view> usual_daemons() { return kUsual; }

std::optional<ChosenCgroup> parse_chosen_cgroup(std::string_view text) {
  const std::size_t sign = text.find('=');
  const fs::path path = sign == std::string_view::npos ? text : text.substr(sign + 1);
  std::string name =
      sign == std::string_view::npos ? path.filename().string() : std::string(text.substr(0, sign));
  if (name.empty() || path.empty()) return std::nullopt;
  return ChosenCgroup{std::move(name), path};
}

std::unique_ptr<DaemonSampler> DaemonSampler::open(const fs::path& root, std::string host,
                                                   DaemonOptions options, Notices& notices) {
  return std::unique_ptr<DaemonSampler>(
      new DaemonSampler(root, std::move(host), std::move(options), notices));
}

DaemonSampler::DaemonSampler(const fs::path& root, std::string host, DaemonOptions options, Notices& notices)
    : proc_(root / "proc"),
      options_(std::move(options)),
      notices_(&notices),
      batch_(std::move(host), DeviceKind::kDaemon, daemon_counters()),
      mounts_(CgroupMounts::find(root)),
      own_network_(network_of(proc_ / "self")),
      spare_files_(kMostFiles) {
  constexpr long kUsPerSecond = 1'000'000;
  constexpr long kKilobyte = 1024;
  const long ticks = ::sysconf(_SC_CLK_TCK);
  const long page = ::sysconf(_SC_PAGESIZE);
  tick_us_ = static_cast<std::uint64_t>(kUsPerSecond / std::max(ticks, 1L));
  page_kb_ = static_cast<std::uint64_t>(std::max(page, kKilobyte) / kKilobyte);
}

/// Whether a process serves this host: those of other network namespaces serve others, which share the
/// machine. Only who may trace a process may ask.
bool DaemonSampler::is_ours(const fs::path& process) {
  const fs::path network = network_of(process);
  const bool ours = network.empty() || own_network_.empty() || network == own_network_;
  elsewhere_ = elsewhere_ || !ours;
  return ours;
}

void DaemonSampler::look_at_process(pid_t pid) {
  const fs::path process = proc_ / std::to_string(pid);
  const std::string name = line_of(process / "comm");
  const auto matches = [&](std::string_view glob) { return glob_match(glob, name); };
  const bool wanted = options_.globs.empty() ? std::ranges::any_of(kUsual, matches)
                                             : std::ranges::any_of(options_.globs, matches);
  // BeeGFS adds the name of the thread: `beegfs-meta/Main`.
  const std::string daemon = name.substr(0, name.find('/'));
  if (wanted && !daemon.empty() && is_ours(process)) take_in(daemon, pid);
}

void DaemonSampler::take_in(const std::string& daemon, pid_t pid) {
  std::vector<ProcessMeter>& processes = daemons_[daemon].processes;
  if (std::ranges::find(processes, pid, &ProcessMeter::pid) != processes.end()) return;
  if (spare_files_ == 0) {
    notices_->once("daemons have more processes than can be followed: those of " + daemon +
                   " are recorded in part; choose with --daemon or --cgroup");
    return;
  }
  std::optional<ProcessMeter> meter = ProcessMeter::open(proc_, pid);
  if (!meter) return;
  --spare_files_;
  processes.push_back(std::move(*meter));
}

void DaemonSampler::look_for_processes() {
  std::set<pid_t> present;
  std::error_code error;
  fs::directory_iterator entry(proc_, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const auto pid = to_number<pid_t>(entry->path().filename().string());
    if (!pid) continue;
    present.insert(*pid);
    if (!seen_.contains(*pid)) look_at_process(*pid);
  }
  seen_ = std::move(present);
}

void DaemonSampler::look_into_cgroups() {
  for (const ChosenCgroup& chosen : options_.cgroups) {
    bool found = false;
    for (const fs::path& mount : {fs::path("/"), mounts_.cpu_v1, mounts_.v2}) {
      // As it is, or below one of the hierarchies.
      if (mount.empty() || (mount == "/") != chosen.path.is_absolute()) continue;
      const Result<std::string> text = read_file(mount / chosen.path / "cgroup.procs");
      if (!text) continue;
      found = true;
      for (const std::string_view line : split(*text, '\n')) {
        if (const auto pid = to_number<pid_t>(trim(line))) take_in(chosen.name, *pid);
      }
    }
    if (!found) notices_->once("there is no control group " + chosen.path.string() + " to record");
  }
}

void DaemonSampler::look_at_quotas() {
  for (auto& [name, daemon] : daemons_) {
    std::vector<fs::path> folders;
    for (const ProcessMeter& process : daemon.processes) {
      const Result<std::string> text = read_file(proc_ / std::to_string(process.pid()) / "cgroup");
      if (!text) continue;
      for (fs::path& folder : quota_folders(mounts_, *text)) folders.push_back(std::move(folder));
    }
    daemon.quotas.set_folders(folders);
  }
}

void DaemonSampler::say_what_is_missing() {
  for (const std::string& glob : options_.globs) {
    const bool found =
        std::ranges::any_of(daemons_, [&](const auto& daemon) { return glob_match(glob, daemon.first); });
    if (!found) notices_->once("no process is called " + glob + " now; it is recorded when there is one");
  }
  if (elsewhere_ && daemons_.empty()) {
    notices_->once(
        "there are daemons of file systems in other network namespaces only, which are not recorded; choose "
        "with --cgroup");
  }
}

void DaemonSampler::record(const std::string& name, Daemon& daemon) {
  std::array<std::uint64_t, kCounters> values{};
  daemon.totals.knows_run_delay = true;
  std::erase_if(daemon.processes, [&](ProcessMeter& process) {
    const std::size_t had = process.open_files();
    const auto now = process.sample(daemon.totals, spare_files_);
    if (!now) {
      spare_files_ += had;
      return true;
    }
    values[kRss] += now->rss_pages * page_kb_;
    values[kThreads] += now->threads;
    values[kStopped] += now->is_stopped() ? 1U : 0U;
    return false;
  });
  daemon.quotas.sample();
  if (daemon.processes.empty()) return;
  constexpr std::uint64_t kNsPerUs = 1000;
  values[kProcesses] = daemon.processes.size();
  values[kCpu] = daemon.totals.cpu_ticks * tick_us_;
  values[kRunWait] = daemon.totals.run_delay_ns / kNsPerUs;
  values[kMajorFaults] = daemon.totals.major_faults;
  values[kThrottledUs] = daemon.quotas.totals().us;
  values[kThrottles] = daemon.quotas.totals().periods;
  std::uint32_t present = (std::uint32_t{1} << kCounters) - 1;
  if (!daemon.totals.knows_run_delay) present &= ~(std::uint32_t{1} << kRunWait);
  if (!daemon.quotas.knows()) {
    present &= ~(std::uint32_t{1} << kThrottledUs | std::uint32_t{1} << kThrottles);
  }
  if (!batch_.has(daemon.slot)) daemon.slot = batch_.add(name);
  std::ranges::copy(values, batch_.cells(daemon.slot).begin());
  batch_.set_present(daemon.slot, present);
  ++present_;
}

void DaemonSampler::sample(Clock& clock) {
  const MonoTime now = clock.mono();
  if (now >= look_at_) {
    look_at_ = now + kLookEvery;
    if (now >= look_at_all_) {
      look_at_all_ = now + kLookAtAllEvery;
      seen_.clear();
    }
    look_for_processes();
    look_into_cgroups();
    look_at_quotas_ = now;
    say_what_is_missing();
  }
  if (now >= look_at_quotas_) {
    look_at_quotas_ = now + kLookAtQuotasEvery;
    look_at_quotas();
  }
  present_ = 0;
  if (daemons_.empty()) return;
  batch_.begin_row(sample_time(clock));
  for (auto& [name, daemon] : daemons_) record(name, daemon);
  std::erase_if(daemons_, [](const auto& entry) { return entry.second.processes.empty(); });
}

}  // namespace laggard::collect
