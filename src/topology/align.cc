#include "topology/align.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"

namespace laggard::topology {

namespace {

bool all_equal_in_number(std::span<const std::vector<std::string_view>> names) {
  return std::all_of(names.begin(), names.end(),
                     [&](const auto& of_host) { return of_host.size() == names.front().size(); });
}

using NaturalOrder = bool (*)(std::string_view, std::string_view);

/// Names on at least half of the hosts, and on two.
std::map<std::string_view, Counterparts, NaturalOrder> common_names(
    std::span<const std::vector<std::string_view>> names) {
  std::map<std::string_view, Counterparts, NaturalOrder> common(natural_less);
  for (std::uint32_t h = 0; h < names.size(); ++h) {
    for (std::uint32_t d = 0; d < names[h].size(); ++d) {
      auto& places = common[names[h][d]].places;
      // A name that a host has twice is ranked by its first place only; the other one is ranked below.
      if (places.empty() || places.back().host != h) places.push_back({h, d});
    }
  }
  std::erase_if(common, [&](const auto& entry) {
    const std::size_t hosts = entry.second.places.size();
    return hosts < 2 || 2 * hosts < names.size();
  });
  return common;
}

/// Where all devices of a rank have the same name, that name says more than the rank.
void label_by_name(Counterparts& counterparts, std::span<const std::vector<std::string_view>> names) {
  const Place first = counterparts.places.front();
  const std::string_view name = names[first.host][first.device];
  const bool same = std::all_of(counterparts.places.begin(), counterparts.places.end(),
                                [&](const Place& p) { return names[p.host][p.device] == name; });
  if (same && counterparts.places.size() > 1) counterparts.label = name;
}

}  // namespace

std::vector<Counterparts> align_by_rank(std::span<const std::vector<std::string_view>> names) {
  std::vector<Counterparts> out;
  if (names.empty()) return out;
  std::vector<std::vector<bool>> taken(names.size());
  for (std::size_t h = 0; h < names.size(); ++h) taken[h].resize(names[h].size());
  if (!all_equal_in_number(names)) {
    for (auto& [name, counterparts] : common_names(names)) {
      for (const Place& place : counterparts.places) taken[place.host][place.device] = true;
      counterparts.label = name;
      out.push_back(std::move(counterparts));
    }
  }
  const std::size_t named = out.size();
  for (std::uint32_t h = 0; h < names.size(); ++h) {
    std::size_t rank = 0;
    for (std::uint32_t d = 0; d < names[h].size(); ++d) {
      if (taken[h][d]) continue;
      if (out.size() <= named + rank) out.push_back({fmt::format("rank {}", rank + 1), {}});
      out[named + rank++].places.push_back({h, d});
    }
  }
  for (Counterparts& counterparts : out) label_by_name(counterparts, names);
  return out;
}

}  // namespace laggard::topology
