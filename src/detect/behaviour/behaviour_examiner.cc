#include "detect/behaviour/behaviour_examiner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "detect/behaviour/behaviour_evidence.h"
#include "detect/behaviour/behaviour_flames.h"
#include "model/code_profile.h"
#include "stats/quantile.h"

namespace laggard::detect {

void BehaviourExaminer::add(const FeatureWindow& window) {
  for (const std::string& host : window.hosts) hosts_.add(host);
  windows_.push_back(window);
  while (windows_.front().span.from < window.span.to - kKept) windows_.pop_front();
}

std::vector<std::pair<const FeatureWindow*, std::size_t>> BehaviourExaminer::windows_of(
    const std::string& host, TimeSpan interval) const {
  std::vector<std::pair<const FeatureWindow*, std::size_t>> found;
  for (const FeatureWindow& window : windows_) {
    if (window.span.from < interval.from || window.span.to > interval.to) continue;
    const auto at = std::ranges::lower_bound(window.hosts, host);
    if (at == window.hosts.end() || *at != host) continue;
    found.emplace_back(&window, static_cast<std::size_t>(at - window.hosts.begin()));
  }
  return found;
}

std::optional<BehaviourExaminer::Means> BehaviourExaminer::means_of(const std::string& host,
                                                                    TimeSpan interval) const {
  const auto windows = windows_of(host, interval);
  if (windows.empty()) return std::nullopt;
  Means means;
  for (const auto& [window, at] : windows) {
    const auto values = window->of(at);
    for (std::size_t f = 0; f < values.size(); ++f) means.functions[window->functions[f]] += values[f];
    for (const auto& [program, sum] : window->rest[at]) means.rest[program] += sum;
  }
  for (auto& [function, sum] : means.functions) sum /= static_cast<double>(windows.size());
  for (auto& [program, sum] : means.rest) sum /= static_cast<double>(windows.size());
  return means;
}

std::vector<std::string> BehaviourExaminer::own_programs(const std::string& host,
                                                         std::span<const std::string> peers,
                                                         TimeSpan interval) const {
  constexpr std::int64_t kOverlap = FeatureWindows::kWindow / FeatureWindows::kShift;
  std::map<std::string_view, double> seen;
  double grain = 0;
  const auto windows = windows_of(host, interval);
  for (std::size_t n = 0; n < windows.size(); n += kOverlap) {
    const auto& [window, at] = windows[n];
    grain = std::max(grain, window->grain);
    for (const auto& [program, sum] : window->programs[at]) seen[program] += sum;
  }
  for (const std::string& peer : peers) {
    for (const auto& [window, at] : windows_of(peer, interval)) {
      for (const auto& [program, sum] : window->programs[at]) seen.erase(program);
    }
  }
  seen.erase(kNobody);
  std::vector<std::string> sentences;
  for (const auto& [program, sum] : seen) {
    const auto spread = std::ranges::count_if(windows, [&, name = program](const auto& one) {
      return one.first->programs[one.second].contains(name);
    });
    if (sum < kLeastSeen * grain || spread <= kOverlap) continue;
    sentences.push_back(fmt::format("{} runs there and on no peer", program));
  }
  return sentences;
}

std::vector<BehaviourFollower::Differing> BehaviourExaminer::compared(const Means& own,
                                                                      std::span<const Means> peers) {
  std::set<Word> functions;
  for (const auto& [function, mean] : own.functions) functions.insert(function);
  for (const Means& of_peer : peers) {
    for (const auto& [function, mean] : of_peer.functions) functions.insert(function);
  }
  std::vector<BehaviourFollower::Differing> all;
  std::vector<double> values;
  for (const Word function : functions) {
    values.clear();
    for (const Means& of_peer : peers) values.push_back(of_peer.of(function));
    const double mine = own.of(function);
    const double median = stats::median_in_place(values);
    all.push_back({function, mine, median, std::abs(mine - median)});
  }
  return all;
}

std::vector<BehaviourFollower::Differing> BehaviourExaminer::outside(
    std::vector<BehaviourFollower::Differing> functions, std::span<const Means> peers) const {
  std::erase_if(functions, [&](const BehaviourFollower::Differing& one) {
    double least = peers.front().of(one.function);
    double most = least;
    for (const Means& of_peer : peers) {
      least = std::min(least, of_peer.of(one.function));
      most = std::max(most, of_peer.of(one.function));
    }
    const double beyond = std::max(one.own - most, least - one.own);
    return beyond <= std::max(unit_.floor, most - least);
  });
  std::ranges::stable_sort(functions, std::ranges::greater{}, &BehaviourFollower::Differing::apart);
  return functions;
}

std::optional<Evidence> BehaviourExaminer::examine(const Suspicion& suspicion, const Dictionary& words,
                                                   std::size_t most) const {
  const std::vector<std::string> suspects = hosts_.of(suspicion.accused());
  const std::vector<std::string> healthy = hosts_.some_of(suspicion.healthy, suspects, kMostPeers);
  std::vector<Means> peers;
  for (const std::string& host : healthy) {
    if (auto means = means_of(host, suspicion.interval)) peers.push_back(std::move(*means));
  }
  if (suspects.empty() || peers.size() < kLeastPeers) return std::nullopt;
  const auto own = means_of(suspects.front(), suspicion.interval);
  if (!own) return std::nullopt;
  const auto programs = own_programs(suspects.front(), healthy, suspicion.interval);
  const auto functions = compared(*own, peers);
  const auto differing = outside(functions, peers);
  if (programs.empty() && differing.empty()) return std::nullopt;
  Evidence evidence = behaviour_evidence(kind_, differing, words, most).evidence;
  std::vector<const ProgramSums*> rest_of_peers;
  rest_of_peers.reserve(peers.size());
  for (const Means& of_peer : peers) rest_of_peers.push_back(&of_peer.rest);
  auto flames = behaviour_flames(kind_, functions, compared_rest(own->rest, rest_of_peers), words);
  if (flames) evidence.payloads.push_back(std::move(*flames));
  evidence.detector = "unlike-peers";  // It accuses nobody, as those do that have the names of comparisons.
  evidence.peer_count = peers.size();
  // What the functions say of programs is said of all of them.
  const std::string of_functions =
      differing.empty() ? std::string() : evidence.note.substr(evidence.note.find("most in "));
  evidence.note = fmt::format("{}", fmt::join(programs, ", "));
  if (!of_functions.empty()) evidence.note += (evidence.note.empty() ? "" : "; ") + of_functions;
  return evidence;
}

}  // namespace laggard::detect
