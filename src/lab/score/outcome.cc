#include "lab/score/outcome.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <string_view>

namespace laggard::lab {

Outcome judge(const Truth& truth, std::span<const Accusation> accusations) {
  Outcome outcome;
  bool wrong_cause = false;  // `unknown` is one for F's figures, which know no such answer.
  bool misled = false;
  bool all_right = true;
  std::set<std::string> found;
  for (const Accusation& accusation : accusations) {
    const Truth::Part* const part = truth.part_of(accusation.server);
    if (part == nullptr) {
      outcome.ifp = true;
      continue;
    }
    const bool first = found.insert(accusation.server).second;
    const bool right = is_right_cause(part->fault, accusation.cause);
    if (first) all_right = all_right && right;
    wrong_cause = wrong_cause || !right;
    misled = misled || (!right && accusation.cause != "unknown");
    const Duration latency = std::max(Duration{}, accusation.since - *truth.fault_start);
    outcome.latency = std::min(outcome.latency.value_or(latency), latency);
  }
  outcome.missed = truth.faulty_hosts().size() - found.size();
  outcome.itp = truth.sick() && outcome.missed == 0;
  outcome.dtp = outcome.itp && all_right;
  outcome.dfp = outcome.ifp || wrong_cause;
  outcome.cause_ok = !found.empty() && !misled;
  return outcome;
}

namespace {

constexpr std::array<std::string_view, 4> kCauses{"disk-hog", "disk-busy", "network-hog", "packet-loss"};
constexpr std::size_t kNoStep = std::numeric_limits<std::size_t>::max();

std::size_t step_of(const std::set<std::string_view>& metrics) {
  const auto has = [&](std::string_view metric) { return metrics.contains(metric); };
  if (has("rd_sec") || has("wr_sec")) return 0;
  if (has("await")) return 1;
  if ((has("rxbyt") && has("txbyt")) || (has("rxpck") && has("txpck"))) return 2;
  const bool has_traffic = has("rxbyt") || has("txbyt") || has("rxpck") || has("txpck");
  if (has_traffic && !has("cwnd")) return 2;
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
