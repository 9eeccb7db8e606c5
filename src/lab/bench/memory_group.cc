#include "lab/bench/memory_group.h"

#include <fmt/format.h>

namespace laggard::lab::bench {

namespace {

constexpr const char* kVersion1 = "/sys/fs/cgroup/memory";
constexpr const char* kVersion2 = "/sys/fs/cgroup";
bool version_1(Machine& machine) { return machine.exists(kVersion1); }

Status allow_memory(Site& site) {
  const Result<std::string> controllers = site.machine().read(path_of(Setting::kMemoryController, ""));
  if (!controllers) return tl::unexpected<Error>(controllers.error());
  if (controllers->find("memory") != std::string::npos) return {};
  return site.set(Setting::kMemoryController, "", "+memory");
}

}  // namespace

std::filesystem::path memory_group(Machine& machine, const Layout& layout, std::size_t server) {
  const std::filesystem::path root = version_1(machine) ? kVersion1 : kVersion2;
  return root / fmt::format("laggard-{}-{}-{}", layout.name, layout.server(server), layout.instance);
}

Status make_memory_group(Site& site, std::size_t server) {
  Machine& machine = site.machine();
  const std::filesystem::path group = memory_group(machine, site.layout(), server);
  const bool old = version_1(machine);
  if (!old) {
    if (Status allowed = allow_memory(site); !allowed) return allowed;
  }
  if (Status made = machine.make_folder(group); !made) return made;
  return machine.write(group / (old ? "memory.limit_in_bytes" : "memory.max"),
                       fmt::format("{}M", site.layout().cache_megabytes));
}

Status empty_cache(Site& site, std::size_t server) {
  Machine& machine = site.machine();
  const std::filesystem::path group = memory_group(machine, site.layout(), server);
  if (version_1(machine)) return machine.write(group / "memory.force_empty", "0");
  // Asked for all there can be, the kernel gives back what it can and says that it was less.
  (void)machine.write(group / "memory.reclaim", fmt::format("{}M", site.layout().cache_megabytes));
  return {};
}

}  // namespace laggard::lab::bench
