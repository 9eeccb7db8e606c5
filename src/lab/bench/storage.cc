#include "lab/bench/storage.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "lab/bench/ceph.h"
#include "lab/bench/undo.h"

namespace laggard::lab::bench {

namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

std::string log_name(const Layout& layout, std::size_t i) { return fmt::format("disk-{}", layout.server(i)); }

Result<int> start_disk(Site& site, const std::filesystem::path& program, std::size_t i) {
  const Layout& layout = site.layout();
  const std::filesystem::path folder = layout.disk(i);
  if (Status made = site.machine().make_folder(folder); !made) return forward(made);
  // Real-time: a disk does not get slower because something else computes.
  const Command serve{
      {"chrt", "--fifo", "10", program, folder, "--megabytes", std::to_string(layout.disk_megabytes),
       "--rate", fmt::format("{}", layout.disk_megabytes_per_second), "--seed", std::to_string(i)},
      {}};
  return site.start_disk(serve, log_name(layout, i));
}

/// Queues requests like a disk of the time: BFQ, 64 requests of 128 KB. The settings are restored in the end,
/// because loop devices keep them when they are detached.
Status set_queue(Site& site, const std::string& loop) {
  const std::array<std::pair<Setting, const char*>, 5> settings{{{Setting::kScheduler, "bfq"},
                                                                 {Setting::kMaxSectors, "128"},
                                                                 {Setting::kRotational, "1"},
                                                                 {Setting::kRequests, "64"},
                                                                 {Setting::kReadAhead, kReadAheadKilobytes}}};
  // All are noted before one is changed, because some of them change others.
  for (const auto& [setting, value] : settings) {
    if (Status kept = site.keep(setting, loop); !kept) return kept;
  }
  for (const auto& [setting, value] : settings) {
    if (Status done = site.set(setting, loop, value); !done) return done;
  }
  return {};
}

/// A separate limit of dirty pages: with the machine's shared one, one slow disk would hold up all servers.
Status limit_dirty(Site& site, const std::string& loop) {
  if (Status done = site.set(Setting::kStrictLimit, loop, "1"); !done) return done;
  // The kernel keeps max_bytes as a ratio of the machine's limit and reads back another number than was
  // written, so max_ratio is what can be restored.
  if (Status kept = site.keep(Setting::kMaxRatio, loop); !kept) return kept;
  return site.machine().write(path_of(Setting::kMaxRatio, loop).replace_filename("max_bytes"),
                              std::to_string(site.layout().dirty_megabytes * kMegabyte));
}

Status make_brick(Site& site, const std::string& loop, std::size_t i) {
  const Layout& layout = site.layout();
  const std::string device = "/dev/" + loop;
  const std::filesystem::path brick = layout.brick(i);
  Status done = site.must(
      {{"mkfs.ext4", "-q", "-F", "-m", "0", "-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard", "-J",
        "size=32", device, fmt::format("{}M", layout.brick_megabytes)},
       {}});
  if (done) done = site.machine().make_folder(brick);
  if (done) done = site.must({{"mount", "-o", "noatime,nodelalloc,commit=5", device, brick}, {}});
  if (done) done = site.machine().make_folder(brick / "data");
  return done;
}

}  // namespace

Result<std::vector<std::string>> build_disks(Site& site, const std::filesystem::path& program) {
  const Layout& layout = site.layout();
  std::vector<int> processes;
  for (std::size_t i = 1; i <= layout.servers; ++i) {
    const Result<int> process = start_disk(site, program, i);
    if (!process) return tl::unexpected<Error>(process.error());
    processes.push_back(*process);
  }
  std::vector<std::string> loops;
  for (std::size_t i = 1; i <= layout.servers; ++i) {
    Status there = site.await_mount(layout.disk(i), processes[i - 1], log_name(layout, i));
    if (!there) return forward(there);
    Result<std::string> loop = site.attach_loop(layout.disk(i) / "disk");
    if (!loop) return forward(loop);
    Status done = set_queue(site, *loop);
    if (done) done = limit_dirty(site, *loop);
    if (done && layout.has_bricks()) done = make_brick(site, *loop, i);
    if (!done) return forward(done);
    loops.push_back(std::move(*loop));
  }
  return loops;
}

Status set_disks(Site& site, bool fast) {
  for (std::size_t i = 1; i <= site.layout().servers; ++i) {
    const std::filesystem::path speed = site.layout().disk(i) / kSpeedFile;
    if (Status done = site.machine().write(speed, fast ? kFast : kModelled); !done) return done;
  }
  return {};
}

Status drop_caches(Site& site) {
  const Layout& layout = site.layout();
  if (!layout.has_bricks()) return drop_ceph_caches(site);
  for (std::size_t i = 1; i <= layout.servers; ++i) {
    if (Status done = site.must({{"sync", "--file-system", layout.brick(i)}, {}}); !done) return done;
    if (Status emptied = empty_cache(site, i); !emptied) return emptied;
  }
  return {};
}

}  // namespace laggard::lab::bench
