#include "detect/pings/probing_plan.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "stats/identifiability.h"

namespace laggard::detect {

namespace {

using Key = std::pair<PartKind, std::string>;
using Names = std::vector<std::string>;

/// Parts by number. Those of a hop that any one of serves are one unit: probes do not choose among them.
class UnitTable {
 public:
  std::size_t number(const std::vector<Part>& parts) {
    std::vector<Key> keys;
    keys.reserve(parts.size());
    for (const Part& part : parts) keys.emplace_back(part.kind, part.name);
    const auto [at, added] = numbers_.try_emplace(std::move(keys), units_.size());
    if (added) units_.push_back(parts);
    return at->second;
  }
  [[nodiscard]] std::size_t size() const { return units_.size(); }
  [[nodiscard]] const std::vector<Part>& operator[](std::size_t unit) const { return units_[unit]; }

 private:
  std::map<std::vector<Key>, std::size_t> numbers_;
  std::vector<std::vector<Part>> units_;
};

/// The paths of a class of clients to all targets, without the clients themselves.
struct ClassPaths {
  Names clients;
  std::vector<stats::UnitPath> paths;
};

std::vector<ClassPaths> classes_of(const Grouping& grouping, std::span<const std::string> clients,
                                   std::span<const std::string> targets, UnitTable& units) {
  std::map<std::vector<stats::UnitPath>, Names> classes;
  const PingPaths ways(grouping);
  for (const std::string& client : clients) {
    const Part own = grouping.host_part(client);
    std::vector<stats::UnitPath> paths;
    for (const std::string& target : targets) {
      stats::UnitPath path;
      for (const PingHop& hop : ways.of({client, target})) {
        const bool is_own =
            hop.parts.size() == 1 && hop.parts[0].kind == own.kind && hop.parts[0].name == own.name;
        if (!is_own) path.push_back(units.number(hop.parts));
      }
      std::ranges::sort(path);
      paths.push_back(std::move(path));
    }
    classes[std::move(paths)].push_back(client);
  }
  std::vector<ClassPaths> all;
  for (auto& [paths, names] : classes) {
    std::ranges::sort(names, natural_less);
    all.push_back({names, paths});
  }
  std::ranges::sort(all, [](const ClassPaths& a, const ClassPaths& b) {
    if (a.clients.size() != b.clients.size()) return a.clients.size() > b.clients.size();
    return natural_less(a.clients.front(), b.clients.front());
  });
  return all;
}

/// What some paths tell: whether each unit is passed, and whether it is k-identifiable.
struct Knowledge {
  std::size_t identifiable = 0;
  std::size_t passed = 0;
  auto operator<=>(const Knowledge&) const = default;
};

Knowledge knowledge(std::span<const stats::UnitPath> paths, std::size_t units, std::size_t k) {
  Knowledge known;
  std::set<std::size_t> passed;
  for (const stats::UnitPath& path : paths) passed.insert(path.begin(), path.end());
  known.passed = passed.size();
  for (std::size_t u = 0; u < units; ++u) {
    if (!stats::hiding_set(paths, u, k)) ++known.identifiable;
  }
  return known;
}

std::vector<stats::UnitPath> with(std::vector<stats::UnitPath> paths, const ClassPaths& more) {
  paths.insert(paths.end(), more.paths.begin(), more.paths.end());
  std::ranges::sort(paths);
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

std::vector<HiddenPart> hidden_parts(std::span<const stats::UnitPath> paths, const UnitTable& units,
                                     std::size_t k) {
  const std::vector<std::size_t> classes = stats::path_classes(paths, units.size());
  std::vector<HiddenPart> hidden;
  for (std::size_t u = 0; u < units.size(); ++u) {
    const auto set = stats::hiding_set(paths, u, k);
    if (!set) continue;
    std::vector<Part> by;
    for (const std::size_t other : *set) by.insert(by.end(), units[other].begin(), units[other].end());
    const bool always = set->size() == 1 && classes[set->front()] == classes[u];
    for (const Part& part : units[u]) hidden.push_back({part, by, always});
  }
  std::ranges::sort(hidden, [](const HiddenPart& a, const HiddenPart& b) {
    if (a.part.kind != b.part.kind) return a.part.kind < b.part.kind;
    return natural_less(a.part.name, b.part.name);
  });
  return hidden;
}

}  // namespace

ProbingPlan plan_probes(const Grouping& grouping, std::span<const std::string> clients,
                        std::span<const std::string> targets, const ProbingPlanOptions& options,
                        std::mt19937_64& random) {
  UnitTable units;
  std::vector<ClassPaths> left = classes_of(grouping, clients, targets, units);
  std::vector<stats::UnitPath> all;
  for (const ClassPaths& each : left) all = with(std::move(all), each);
  ProbingPlan plan;
  plan.classes = left.size();
  plan.targets.assign(targets.begin(), targets.end());
  plan.parts = units.size();
  plan.hidden = hidden_parts(all, units, options.k);
  const Knowledge wanted = knowledge(all, units.size(), options.k);
  Knowledge known;
  std::vector<stats::UnitPath> chosen;
  while (known < wanted && !left.empty()) {
    std::size_t best = 0;
    Knowledge best_known;
    for (std::size_t c = 0; c < left.size(); ++c) {
      const Knowledge next = knowledge(with(chosen, left[c]), units.size(), options.k);
      if (c != 0 && next <= best_known) continue;
      best = c;
      best_known = next;
    }
    chosen = with(std::move(chosen), left[best]);
    known = best_known;
    Names one;
    std::ranges::sample(left[best].clients, std::back_inserter(one), 1, random);
    plan.monitors.push_back({left[best].clients, std::move(one)});
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
  }
  if (plan.monitors.size() == 1) {
    ClientClass& only = plan.monitors.front();
    only.chosen.clear();
    std::ranges::sample(only.clients, std::back_inserter(only.chosen), 2, random);
  }
  return plan;
}

}  // namespace laggard::detect
