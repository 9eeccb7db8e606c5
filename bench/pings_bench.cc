// Which parts explain what probes found, window by window: on a system of Blue Waters' size, whose pairs of
// clients and targets are known or new, and on a hundred thousand paths over twenty thousand parts. What
// docs/bench.md states comes from here.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "detect/pings/ping_localizer.h"
#include "lab/production/probes.h"
#include "lab/production/site.h"
#include "lab/sim/random.h"
#include "model/grouping.h"
#include "topology/groups.h"
#include "topology/system_file.h"

namespace {

using namespace laggard;  // NOLINT(google-build-using-namespace)

constexpr std::uint64_t kSick = 5;

/// Probes of all targets by all clients over five minutes, of which five targets and one in two hundred of
/// all others fail.
struct Window {
  std::vector<detect::PingPair> pairs;
  std::vector<detect::PingCounts> counts;

  void probe(const std::vector<std::string>& clients, const std::vector<std::string>& targets) {
    std::mt19937_64 random(7);
    std::set<std::string_view> sick;
    while (sick.size() < kSick) sick.insert(targets[random() % targets.size()]);
    std::bernoulli_distribution stray(0.005);
    for (const std::string& client : clients) {
      for (const std::string& target : targets) {
        for (const bool names : {true, false}) {
          const std::uint64_t trials = names ? 10 : 5;
          pairs.push_back({client, target, names});
          const bool fails = sick.contains(target);
          std::uint64_t failures = fails ? trials - 1 : 0;
          for (std::uint64_t i = 0; !fails && i < trials; ++i) failures += stray(random) ? 1U : 0U;
          counts.push_back({.trials = trials, .failures = failures});
        }
      }
    }
  }
};

void localize(benchmark::State& state, const Grouping& grouping, const Window& window) {
  std::optional<detect::PingLocalizer> known;
  std::size_t failed = 0;
  const auto localizer = [&] {
    detect::PingLocalizer made(grouping);
    for (const detect::PingPair& pair : window.pairs) static_cast<void>(made.number(pair));
    return made;
  };
  known.emplace(localizer());
  static_cast<void>(known->localize(window.counts));
  for ([[maybe_unused]] const auto _ : state) {
    std::optional<detect::PingLocalizer> fresh;
    if (state.range(0) != 0) fresh.emplace(localizer());
    const auto verdicts = (fresh ? *fresh : *known).localize(window.counts);
    failed = 0;
    for (const detect::PingVerdict& verdict : verdicts) failed += verdict.failed > detect::kCertain ? 1U : 0U;
  }
  if (failed != kSick) state.SkipWithError("not the five sick parts");
  state.counters["paths"] = static_cast<double>(window.pairs.size());
}

/// \param range(0)  whether the pairs are new.
void BM_BlueWaters(benchmark::State& state) {
  const auto model = topology::parse_system(lab::production::Site::system_toml(), "system.toml");
  LAGGARD_CHECK(model);
  const Grouping grouping = topology::parts_alone(*model);

  std::vector<std::string> clients;
  for (const Part& client : lab::production::choose_clients(lab::Random(6))) clients.push_back(client.name);
  std::vector<std::string> targets;
  for (std::size_t t = 0; t < lab::production::Site::kTargets; ++t) {
    targets.push_back(lab::production::Site::target(t).name);
  }
  Window window;
  window.probe(clients, targets);
  localize(state, grouping, window);
}
BENCHMARK(BM_BlueWaters)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

/// 5,000 servers with three disks each, and four clients.
void BM_TwentyThousandParts(benchmark::State& state) {
  const Grouping grouping;
  std::vector<std::string> targets;
  for (int s = 0; s < 5000; ++s) {
    for (const char* disk : {"sdb", "sdc", "sdd"}) targets.push_back(fmt::format("s{}/{}", s, disk));
  }
  Window window;
  window.probe({"c1", "c2", "c3", "c4"}, targets);
  localize(state, grouping, window);
}
BENCHMARK(BM_TwentyThousandParts)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace
