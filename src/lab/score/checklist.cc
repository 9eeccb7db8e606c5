#include "lab/score/checklist.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <string_view>

namespace laggard::lab {

namespace {

constexpr std::array<std::string_view, 4> kCauses{"disk-hog", "disk-busy", "network-hog", "packet-loss"};
constexpr std::size_t kNoStep = std::numeric_limits<std::size_t>::max();

std::size_t step_of(const std::set<std::string_view>& metrics) {
  const auto has = [&](std::string_view metric) { return metrics.contains(metric); };
  if (has("rd_sec") || has("wr_sec")) return 0;
  if (has("await")) return 1;
  if (has("rxbyt") && has("txbyt")) return 2;
  if ((has("rxbyt") || has("txbyt")) && !has("cwnd")) return 2;
  return has("cwnd") ? 3 : kNoStep;
}

}  // namespace

std::vector<Accusation> paper_checklist(std::span<const Sign> signs) {
  std::map<std::string_view, std::set<std::string_view>> metrics;
  std::map<std::string_view, WallTime> since;
  for (const Sign& sign : signs) {
    metrics[sign.server].insert(sign.metric);
    const auto known = since.try_emplace(sign.server, sign.since).first;
    known->second = std::min(known->second, sign.since);
  }
  std::size_t step = kNoStep;
  for (const auto& [server, diverging] : metrics) step = std::min(step, step_of(diverging));
  std::vector<Accusation> accusations;
  for (const auto& [server, diverging] : metrics) {
    if (step == kNoStep || step_of(diverging) != step) continue;
    accusations.push_back({std::string(server), std::string(kCauses[step]), since[server]});
  }
  return accusations;
}

}  // namespace laggard::lab
