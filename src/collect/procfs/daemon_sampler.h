#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collect/procfs/process_meter.h"
#include "collect/procfs/quota_meter.h"
#include "collect/record/sampler.h"

namespace laggard::collect {

/// The daemons of file systems that are recorded unless others are chosen, as /proc/PID/comm has them.
[[nodiscard]] std::span<const std::string_view> usual_daemons();

/// A control group whose processes are taken for one daemon.
struct ChosenCgroup {
  std::string name;  ///< Of the device.
  std::filesystem::path path;
};
/// `NAME=PATH` or PATH, whose last part is the name then. Nothing when there is no name.
[[nodiscard]] std::optional<ChosenCgroup> parse_chosen_cgroup(std::string_view text);

struct DaemonOptions {
  std::vector<std::string> globs;  ///< Of names of processes; empty: usual_daemons().
  std::vector<ChosenCgroup> cgroups;
};

/// Samples daemons (docs/formats/daemons.md): each name is a device, and so is each chosen control group.
///
/// Containers and network namespaces of one machine share its /proc. A process counts when it is in the
/// recorder's own network namespace, or when nobody can tell; those of a chosen control group always do.
class DaemonSampler final : public Sampler {
 public:
  [[nodiscard]] static std::unique_ptr<DaemonSampler> open(const std::filesystem::path& root,
                                                           std::string host, DaemonOptions options,
                                                           Notices& notices);

  void sample(Clock& clock) override;
  [[nodiscard]] Batch& batch() override { return batch_; }
  [[nodiscard]] std::vector<DeviceInfo> take_facts() override { return {}; }
  [[nodiscard]] std::size_t devices() const override { return present_; }

 private:
  struct Daemon {
    std::vector<ProcessMeter> processes;
    DaemonTotals totals;
    QuotaMeter quotas;
    Slot slot;
  };

  DaemonSampler(const std::filesystem::path& root, std::string host, DaemonOptions options, Notices& notices);
  void look_for_processes();
  void look_at_process(pid_t pid);
  void look_into_cgroups();
  void take_in(const std::string& daemon, pid_t pid);
  void look_at_quotas();
  [[nodiscard]] bool is_ours(const std::filesystem::path& process);
  void record(const std::string& name, Daemon& daemon);
  void say_what_is_missing();

  std::filesystem::path proc_;
  DaemonOptions options_;
  Notices* notices_;
  Batch batch_;
  CgroupMounts mounts_;
  std::filesystem::path own_network_;  ///< What /proc/self/ns/net points to; empty when unknown.
  std::uint64_t tick_us_;
  std::uint64_t page_kb_;
  std::map<std::string, Daemon> daemons_;
  std::set<pid_t> seen_;  ///< Processes that were looked at, wanted or not.
  MonoTime look_at_;
  MonoTime look_at_all_;  ///< When to forget `seen_`: a PID may mean another process by then.
  MonoTime look_at_quotas_;
  std::size_t spare_files_;
  std::size_t present_ = 0;
  bool elsewhere_ = false;  ///< There are daemons, in other network namespaces.
};

}  // namespace laggard::collect
