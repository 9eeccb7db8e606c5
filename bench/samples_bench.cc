// From addresses to functions: 100,000 addresses over 100 binaries of this machine, each binary read once,
// and again when all have been read. What docs/bench.md states comes from here.
#include <benchmark/benchmark.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <system_error>
#include <vector>

#include "base/file.h"
#include "collect/samples/binary_cache.h"
#include "collect/samples/elf_file.h"

namespace {

using namespace laggard;  // NOLINT(google-build-using-namespace)

constexpr std::size_t kBinaries = 100;
constexpr std::size_t kAddresses = 100'000;

/// Programs and libraries, as mappings that processes might have.
std::vector<collect::Mapping> binaries() {
  std::vector<collect::Mapping> found;
  for (const char* folder : {"/usr/bin", "/usr/lib/x86_64-linux-gnu"}) {
    const std::size_t most = found.size() + kBinaries / 2;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      if (found.size() == most) break;
      struct stat status {};
      if (!entry.is_regular_file() || ::stat(entry.path().c_str(), &status) != 0) continue;
      const auto text = read_file(entry.path());
      if (!text || !collect::ElfFile::open(collect::ElfBytes::of_memory(*text), "")) continue;
      found.push_back({.start = 0x1000,
                       .end = 0x1000 + static_cast<std::uint64_t>(status.st_size),
                       .offset = 0,
                       .file = {.device_major = 0, .device_minor = 0, .inode = status.st_ino},
                       .path = entry.path().string()});
    }
  }
  return found;
}

std::size_t find_all(collect::BinaryCache& cache, const std::vector<collect::Mapping>& all) {
  std::mt19937_64 random(7);
  const auto self = static_cast<std::uint32_t>(::getpid());
  std::size_t named = 0;
  for (std::size_t i = 0; i < kAddresses; ++i) {
    const collect::Mapping& mapping = all[random() % all.size()];
    const std::uint64_t offset = random() % (mapping.end - mapping.start);
    named += cache.find(self, mapping, MonoTime{}).find(offset) ? 1U : 0U;
  }
  return named;
}

/// \param range(0)  whether the binaries have been read before.
void BM_FindFunctions(benchmark::State& state) {
  const std::vector<collect::Mapping> all = binaries();
  if (all.empty()) {
    state.SkipWithError("no binaries");
    return;
  }
  collect::BinaryCache warm("/");
  static_cast<void>(find_all(warm, all));
  std::size_t named = 0;
  for ([[maybe_unused]] const auto _ : state) {
    collect::BinaryCache cold("/");
    named = find_all(state.range(0) == 0 ? cold : warm, all);
  }
  state.counters["binaries"] = static_cast<double>(all.size());
  state.counters["named_pct"] = 100 * static_cast<double>(named) / static_cast<double>(kAddresses);
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(kAddresses));
}
BENCHMARK(BM_FindFunctions)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace
