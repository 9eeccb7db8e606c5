#include "detect/pings/ping_units.h"

#include <algorithm>

namespace laggard::detect {

namespace {

using Sharing = stats::PathHop::Sharing;

}  // namespace

PingUnits::Key PingUnits::key_of_all(std::span<const Part> parts) {
  std::set<std::string> names;
  for (const Part& part : parts) names.insert(part.name);
  Key key{parts.front().kind, {}};
  for (const std::string& name : names) (key.second += name) += '\n';
  return key;
}

PingUnits::PingUnits(std::span<const std::vector<PingHop>> paths, std::span<const std::size_t> probed) {
  for (const std::size_t p : probed) find_pairs(paths[p]);
  std::map<Key, PingUnit> by_key;
  for (const std::size_t p : probed) {
    for (const PingHop& hop : paths[p]) {
      if (is_whole(hop)) {
        note(by_key, key_of_all(hop.parts), hop.parts, p);
        continue;
      }
      for (const Part& part : hop.parts) note(by_key, key_of(part), {&part, 1}, p);
    }
  }
  std::map<std::vector<std::size_t>, std::size_t> classes;
  for (auto& [key, unit] : by_key) {
    const auto [at, added] = classes.try_emplace(unit.on, units_.size());
    if (added) units_.push_back({.parts = {}, .on = unit.on, .together = unit.parts.size()});
    units_[at->second].together = std::min(units_[at->second].together, unit.parts.size());
    std::vector<Part>& parts = units_[at->second].parts;
    for (const Part& part : unit.parts) {
      if (std::ranges::find(parts, part) == parts.end()) parts.push_back(part);
    }
    unit_of_[key] = at->second;
  }
}

std::vector<stats::PathHop> PingUnits::hops(std::span<const PingHop> path) const {
  std::vector<stats::PathHop> all;
  std::set<std::size_t> passed;
  for (const PingHop& hop : path) {
    stats::PathHop in_units{.units = {}, .sharing = hop.sharing};
    for (const std::size_t unit : units_of(hop)) {
      if (passed.insert(unit).second) in_units.units.push_back(unit);
    }
    if (in_units.units.empty()) continue;
    if (in_units.units.size() == 1) in_units.sharing = Sharing::kOne;
    all.push_back(std::move(in_units));
  }
  return all;
}

/// Those that stand by for each other are one unit where none of them does so for others besides: nothing
/// could tell which of them it is.
void PingUnits::find_pairs(std::span<const PingHop> path) {
  for (const PingHop& hop : path) {
    if (hop.sharing != Sharing::kStandby) continue;
    const Key all = key_of_all(hop.parts);
    for (const Part& part : hop.parts) pairs_of_[key_of(part)].insert(all);
  }
}

bool PingUnits::is_whole(const PingHop& hop) const {
  return hop.sharing == Sharing::kStandby && std::ranges::all_of(hop.parts, [&](const Part& part) {
           return pairs_of_.at(key_of(part)).size() == 1;
         });
}

void PingUnits::note(std::map<Key, PingUnit>& units, const Key& key, std::span<const Part> parts,
                     std::size_t path) {
  PingUnit& unit = units[key];
  if (unit.parts.empty()) unit.parts.assign(parts.begin(), parts.end());
  if (unit.on.empty() || unit.on.back() != path) unit.on.push_back(path);
}

std::vector<std::size_t> PingUnits::units_of(const PingHop& hop) const {
  if (is_whole(hop)) return {unit_of_.at(key_of_all(hop.parts))};
  std::vector<std::size_t> all;
  for (const Part& part : hop.parts) all.push_back(unit_of_.at(key_of(part)));
  return all;
}

}  // namespace laggard::detect
