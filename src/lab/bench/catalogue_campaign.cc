#include <algorithm>
#include <array>

#include "lab/bench/campaign.h"
#include "lab/sim/random.h"

namespace laggard::lab::bench {

namespace {

constexpr std::array kReading{Workload::kDdRead, Workload::kIozoneRead};
constexpr std::array kWriting{Workload::kDdWrite, Workload::kIozoneWrite};
constexpr std::array kAnything{Workload::kDdRead,      Workload::kDdWrite,  Workload::kIozoneRead,
                               Workload::kIozoneWrite, Workload::kPostmark, Workload::kMixed};
constexpr std::size_t kControls = 12;
constexpr std::size_t kPairs = 6;

template <typename List>
auto drawn(Random& random, const List& list) {
  return list[random.below(list.size())];
}

Workload workload_for(Random& random, Under under) {
  switch (under) {
    case Under::kReads:
      return drawn(random, kReading);
    case Under::kWrites:
      return drawn(random, kWriting);
    case Under::kAny:
      break;
  }
  return drawn(random, kAnything);
}

/// `n` different numbers from 1 to `most`, in order.
std::vector<std::size_t> places(Random& random, std::size_t n, std::size_t most) {
  std::vector<std::size_t> all;
  for (std::size_t i = 1; i <= most; ++i) all.push_back(i);
  for (std::size_t i = 0; i < n; ++i) std::swap(all[i], all[i + random.below(most - i)]);
  all.resize(n);
  std::sort(all.begin(), all.end());
  return all;
}

/// Draws where a fault strikes: one server, one client, or the switch.
FaultPlace one_place(Random& random, const Layout& layout, const SizedFault& fault) {
  switch (about(fault.kind).strikes) {
    case Strikes::kServer:
      return {fault, places(random, 1, layout.servers)};
    case Strikes::kClient:
      return {fault, places(random, 1, layout.clients)};
    case Strikes::kSwitch:
    case Strikes::kNobody:
      break;
  }
  return {fault, {1}};
}

/// Faults of servers, which several servers can have.
std::vector<FaultKind> of_servers(const Layout& layout) {
  std::vector<FaultKind> kinds;
  const std::span<const FaultRow> catalogue = fault_catalogue();
  for (std::size_t i = 1; i < catalogue.size(); ++i) {
    const FaultKind kind(i);
    if (catalogue[i].strikes == Strikes::kServer && is_possible(kind, layout)) kinds.push_back(kind);
  }
  return kinds;
}

class Plan {
 public:
  Plan(const Layout& layout, std::uint64_t seed) : layout_(layout), random_(seed) {}

  /// All runs of one strength: controls, every fault alone, the same one on two and on three servers, and
  /// pairs.
  void add(Strength strength) {
    add_controls(strength);
    add_single(strength);
    add_same("two of the same", 2, strength);
    add_same("three of the same", 3, strength);
    add_pairs(strength);
  }

  [[nodiscard]] std::vector<RunSpec> take() { return std::move(runs_); }

 private:
  void add_controls(Strength strength) {
    const std::size_t first = static_cast<std::size_t>(strength) * kControls / kStrengths;
    for (std::size_t i = first; i < first + kControls / kStrengths; ++i) {
      const std::size_t which = i % (kAnything.size() + 1);
      runs_.push_back(run(which < kAnything.size() ? kAnything[which] : Workload::kIdle, {}));
    }
  }

  void add_single(Strength strength) {
    const std::span<const FaultRow> catalogue = fault_catalogue();
    for (std::size_t row = 1; row < catalogue.size(); ++row) {
      if (catalogue[row].strikes == Strikes::kSwitch && layout_.on_second_switch() == 0) continue;
      if (!is_possible(FaultKind(row), layout_)) continue;
      Random random = random_.fork(catalogue[row].name, static_cast<std::size_t>(strength));
      const SizedFault fault{FaultKind(row), strength};
      const Workload workload = workload_for(random, catalogue[row].under);
      runs_.push_back(run(workload, {one_place(random, layout_, fault)}));
    }
  }

  void add_same(std::string_view name, std::size_t servers, Strength strength) {
    if (2 * servers >= layout_.servers) return;
    Random random = random_.fork(name, static_cast<std::size_t>(strength));
    const FaultKind kind = drawn(random, of_servers(layout_));
    const Workload workload = workload_for(random, about(kind).under);
    runs_.push_back(run(workload, {{{kind, strength}, places(random, servers, layout_.servers)}}));
  }

  /// Two different faults on two servers.
  void add_pairs(Strength strength) {
    if (layout_.servers < 5) return;
    for (auto i = static_cast<std::size_t>(strength); i < kPairs; i += kStrengths) {
      Random random = random_.fork("pair", i);
      const FaultKind first = drawn(random, of_servers(layout_));
      FaultKind second = drawn(random, of_servers(layout_));
      while (second == first || clash(first, second)) second = drawn(random, of_servers(layout_));
      const std::vector<std::size_t> at = places(random, 2, layout_.servers);
      const Under under = about(first).under != Under::kAny ? about(first).under : about(second).under;
      const Workload workload = workload_for(random, under);
      runs_.push_back(run(workload, {{{first, strength}, {at[0]}}, {{second, strength}, {at[1]}}}));
    }
  }

  /// Whether no workload shows both.
  static bool clash(FaultKind a, FaultKind b) {
    return about(a).under != Under::kAny && about(b).under != Under::kAny && about(a).under != about(b).under;
  }
  static RunSpec run(Workload workload, std::vector<FaultPlace> faults) {
    RunSpec spec;
    spec.workload = workload;
    spec.faults = std::move(faults);
    return spec;
  }

  const Layout& layout_;
  Random random_;
  std::vector<RunSpec> runs_;
};

}  // namespace

std::vector<RunSpec> catalogue_campaign(const Layout& layout, std::uint64_t seed) {
  Plan plan(layout, seed);
  // The strong ones first, so that an interrupted campaign has seen every kind.
  for (const Strength strength : {Strength::kStrong, Strength::kMedium, Strength::kMild}) plan.add(strength);
  return plan.take();
}

}  // namespace laggard::lab::bench
