#include "lab/bench/processes.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "base/text.h"
#include "lab/bench/machine.h"

namespace laggard::lab::bench {

namespace {

using namespace std::chrono_literals;

/// PostMark is restarted with another seed and in a new folder when it has finished.
constexpr std::size_t kPostmarkStreams = 4;

std::string file_of(const Layout& layout, std::size_t client, std::string_view kind, std::size_t stream) {
  return (layout.mount(client) / fmt::format("{}{}.{}", kind, client, stream)).native();
}

/// F §8.1: zeros into a file of the client's own.
Command dd_write(const std::string& file) {
  return repeat(fmt::format("dd if=/dev/zero of={} bs=4M count={} oflag=direct conv=notrunc status=none",
                            file, kWriteFileMegabytes / 4));
}

Command dd_read(const std::string& file) {
  return repeat(fmt::format("dd if={} of=/dev/null bs=1M iflag=direct status=none", file));
}

/// IOzone's write/rewrite and read/reread (F §8.1) as fio does them: passes over one file, the first of which
/// creates it, with an fsync after each.
Command iozone(const std::string& file, bool write) {
  const std::size_t megabytes = write ? kWriteFileMegabytes : kReadFileMegabytes;
  std::vector<std::string> argv{"fio",
                                "--name=iozone",
                                "--filename=" + file,
                                fmt::format("--size={}M", megabytes),
                                "--direct=1",
                                "--ioengine=psync",
                                "--fallocate=none",
                                "--time_based",
                                "--runtime=1000000",
                                "--eta=never",
                                "--allow_file_create=1"};
  if (write) {
    argv.insert(argv.end(),
                {"--rw=write", "--bs=4M", fmt::format("--fsync={}", megabytes / 4), "--overwrite=0"});
  } else {
    argv.insert(argv.end(), {"--rw=read", "--bs=2M"});
  }
  return {std::move(argv), {}};
}

}  // namespace

Command small_files(const Layout& layout, std::size_t client, std::string_view kind, std::size_t stream) {
  // PostMark reads its settings from standard input; a counter makes folder and seed differ every time.
  const std::string folder = file_of(layout, client, kind, stream);
  return {{"sh", "-c",
           fmt::format("n=0; while n=$((n+1)) && mkdir -p {0}.$n && printf '%s\\n' 'set location {0}.'$n "
                       "'set number 200' 'set transactions 20000' 'set size 500 10000' 'set buffering false' "
                       "\"set seed $(({1}+n))\" run quit | postmark; do :; done",
                       folder, 1000 * client + 100 * stream)},
          {}};
}

std::vector<Command> workload_programs(const Layout& layout, Workload workload, std::size_t client) {
  if (workload == Workload::kIdle) return {};
  if (workload == Workload::kMixed) {
    return {dd_read(file_of(layout, client, "read", 1)), dd_write(file_of(layout, client, "write", 1)),
            small_files(layout, client, "postmark", 1)};
  }
  std::vector<Command> programs;
  const std::size_t streams = workload == Workload::kPostmark ? kPostmarkStreams : kStreams;
  for (std::size_t stream = 1; stream <= streams; ++stream) {
    switch (workload) {
      case Workload::kDdWrite:
        programs.push_back(dd_write(file_of(layout, client, "write", stream)));
        break;
      case Workload::kDdRead:
        programs.push_back(dd_read(file_of(layout, client, "read", stream)));
        break;
      case Workload::kIozoneWrite:
        programs.push_back(iozone(file_of(layout, client, "write", stream), true));
        break;
      case Workload::kIozoneRead:
        programs.push_back(iozone(file_of(layout, client, "read", stream), false));
        break;
      case Workload::kPostmark:
        programs.push_back(small_files(layout, client, "postmark", stream));
        break;
      case Workload::kMixed:
      case Workload::kIdle:
        break;  // They are not the same in every stream.
    }
  }
  return programs;
}

namespace {

/// How many files each client reads.
std::size_t read_streams(Workload workload) {
  if (workload == Workload::kMixed) return 1;
  return workload == Workload::kDdRead || workload == Workload::kIozoneRead ? kStreams : 0;
}

}  // namespace

Status prepare_files(Site& site, Workload workload) {
  const std::size_t streams = read_streams(workload);
  const Layout& layout = site.layout();
  // One writer per client at a time: more would not be faster.
  for (std::size_t stream = 1; stream <= streams; ++stream) {
    std::vector<int> writers;
    for (std::size_t i = 1; i <= layout.clients; ++i) {
      const std::string file = file_of(layout, i, "read", stream);
      const Result<int> writer =
          site.start(layout.client(i),
                     {{"dd", "if=/dev/zero", "of=" + file, "bs=16M",
                       fmt::format("count={}", kReadFileMegabytes / 16), "oflag=direct", "status=none"},
                      {}},
                     "prepare-" + layout.client(i));
      if (!writer) return tl::unexpected<Error>(writer.error());
      writers.push_back(*writer);
    }
    for (const int writer : writers) {
      while (site.machine().running(writer)) {
        site.machine().clock().sleep_until(site.machine().clock().mono() + 50ms);
      }
    }
  }
  return {};
}

RunningWorkload::RunningWorkload(Site& site) : programs_(site, {.signal = SIGKILL, .patience = {}}) {}

Result<RunningWorkload> RunningWorkload::start(Site& site, Workload workload) {
  RunningWorkload running(site);
  for (std::size_t i = 1; i <= site.layout().clients; ++i) {
    const std::string name = site.layout().client(i);
    for (const Command& program : workload_programs(site.layout(), workload, i)) {
      Status started = running.programs_.start(name, urgent(program), "workload-" + name);
      if (!started) return forward(started);
    }
  }
  return running;
}

namespace {
using namespace std::chrono_literals;
/// Clients have no storage; the machine's disks are not theirs.
constexpr const char* kNoDisk = "none";
}  // namespace

Command record_command(const Recorders::Options& options, const std::string& host, const std::string& disk) {
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(options.interval);
  return {{options.program, "record", "metrics", "--out", options.out, "--host", host, "--disk", disk,
           "--net", "eth0", "--interval", fmt::format("{}ms", milliseconds.count())},
          {}};
}

Recorders::Recorders(Site& site)
    : site_(&site),
      metrics_(site, {.signal = SIGTERM, .patience = 20s}),
      sadc_(site, {.signal = SIGINT, .patience = 2s}) {}

Result<Recorders> Recorders::start(Site& site, const Options& options) {
  const Layout& layout = site.layout();
  Recorders recorders(site);
  const auto record = [&](const std::string& host, const std::string& disk) {
    return recorders.metrics_.start(host, urgent(record_command(options, host, disk)), "record-" + host);
  };
  for (std::size_t i = 1; i <= layout.servers; ++i) {
    const std::string host = layout.server(i);
    if (Status started = record(host, options.loops.at(i - 1)); !started) return forward(started);
    if (!options.sadc) continue;
    const std::filesystem::path file = options.out / (host + ".sa");
    Status started =
        recorders.sadc_.start(host, {{kSadc, "-F", "-S", "DISK", "1", file}, {}}, "sadc-" + host);
    if (!started) return forward(started);
  }
  for (std::size_t i = 1; i <= layout.clients; ++i) {
    if (Status started = record(layout.client(i), kNoDisk); !started) return forward(started);
  }
  return recorders;
}

Status Recorders::signal(std::string_view name) const {
  std::string kill = fmt::format("kill -{}", name);
  for (const HostProcess& one : metrics()) kill += fmt::format(" {}", one.process);
  return site_->must({{"sh", "-c", kill}, {}});
}

void Recorders::stop() {
  sadc_.stop();
  // A frozen recorder would not handle SIGTERM; if it cannot be thawed, `stop` kills it.
  if (!metrics().empty()) (void)thaw();
  metrics_.stop();
}

Status Recorders::check() const {
  if (Status fine = metrics_.check("recorders"); !fine) return fine;
  return sadc_.check("recorders of sysstat");
}

}  // namespace laggard::lab::bench
