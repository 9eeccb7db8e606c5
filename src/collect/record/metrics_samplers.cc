#include "collect/record/metrics_samplers.h"

#include <net/if.h>

#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "collect/procfs/host_sampler.h"
#include "collect/procfs/job_sampler.h"
#include "collect/procfs/own_links.h"
#include "collect/procfs/target_sampler.h"
#include "collect/tcp/tcp_sampler.h"

namespace laggard::collect {

namespace {

constexpr const char* kBootId = "proc/sys/kernel/random/boot_id";

/// One line of a file of /proc; empty when it cannot be read.
std::string line_of(const std::filesystem::path& path) {
  const Result<std::string> text = read_file(path);
  return text ? std::string(trim(*text)) : std::string{};
}

Status add_connections(const MetricsOptions& options, const std::string& host, bool this_machine,
                       Notices& notices, std::vector<std::unique_ptr<Sampler>>& samplers) {
  if (!options.tcp) return {};
  const bool chosen = !options.sockets.ports.empty() || !options.sockets.peers.empty();
  if (!this_machine) {
    const std::string where = options.root.string();
    const std::string what = "is not the machine that we run on, so its connections cannot be listed";
    if (chosen) return fail(ErrorCode::kBadUse, where, what);
    notices.once(where + ": " + what);
    return {};
  }
  auto source = DiagSocket::open(options.sockets);
  if (!source && chosen) return forward(source);
  if (!source) {
    notices.once("connections are not recorded: " + source.error().message());
    return {};
  }
  samplers.push_back(std::make_unique<TcpSampler>(std::move(*source), host, TcpOptions{}, notices));
  return {};
}

/// Addresses and links of the network namespace that we run in.
void ask_own_kernel(NetOptions& net, Notices& notices) {
  net.addresses = local_addresses;
  net.index = [](const std::string& name) { return ::if_nametoindex(name.c_str()); };
  Result<OwnLinks> links = OwnLinks::open();
  if (!links) {
    notices.once("links are taken from /sys: " + links.error().message());
    return;
  }
  net.link = [own = std::make_shared<OwnLinks>(std::move(*links))](const std::string& name) {
    return own->read(name);
  };
}

/// Where there is nothing of the kind, as below a root without processes, there is nothing to say.
void add_machine(MetricsOptions& options, const std::string& host, Notices& notices,
                 std::vector<std::unique_ptr<Sampler>>& samplers) {
  if (!options.machine) return;
  if (auto machine = HostSampler::open(options.root, host, notices)) samplers.push_back(std::move(machine));
  samplers.push_back(DaemonSampler::open(options.root, host, std::move(options.daemons), notices));
}

}  // namespace

Result<MetricsSamplers> open_metrics(MetricsOptions options, Notices& notices) {
  MetricsSamplers opened;
  opened.host = options.host.empty() ? line_of(options.root / "proc/sys/kernel/hostname") : options.host;
  if (opened.host.empty()) {
    return fail(ErrorCode::kBadUse, (options.root / "proc/sys/kernel/hostname").string(),
                "does not tell the name of the host; give one with --host");
  }
  opened.boot = line_of(options.root / kBootId);
  const bool this_machine =
      options.root == "/" ||
      (!opened.boot.empty() && opened.boot == line_of(std::filesystem::path("/") / kBootId));

  const std::vector<std::string> disk_globs = options.disks.globs;
  auto disks = DiskSampler::open(options.root, opened.host, std::move(options.disks), notices);
  if (disks) {
    opened.samplers.push_back(std::move(*disks));
  } else {
    notices.once("disks are not recorded: " + disks.error().message());
  }
  if (auto targets = TargetSampler::open(options.root, opened.host, disk_globs, notices)) {
    opened.samplers.push_back(std::move(targets));
  }
  if (auto jobs = JobSampler::open(options.root, opened.host, notices)) {
    opened.samplers.push_back(std::move(jobs));
  }
  NetOptions net{std::move(options.net_globs), {}, {}, {}};
  if (this_machine) ask_own_kernel(net, notices);
  auto interfaces = NetSampler::open(options.root, opened.host, std::move(net), notices);
  if (interfaces) {
    opened.samplers.push_back(std::move(*interfaces));
  } else {
    notices.once("network interfaces are not recorded: " + interfaces.error().message());
  }
  if (!disks && !interfaces) {
    return fail(ErrorCode::kNotFound, options.root.string(),
                "has neither proc/diskstats nor proc/net/dev to record");
  }
  if (Status added = add_connections(options, opened.host, this_machine, notices, opened.samplers); !added) {
    return forward(added);
  }
  add_machine(options, opened.host, notices, opened.samplers);
  return opened;
}

}  // namespace laggard::collect
