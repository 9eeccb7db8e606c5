#include "detect/behaviour/behaviour_follower.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "stats/quantile.h"

namespace laggard::detect {

namespace {

/// Before so many windows nobody knows what a server was before.
constexpr std::size_t kLeastBefore = 5;

/// The largest of the distances without those of who may be sick.
double largest_of_calm(std::span<const double> distances, std::size_t sick) {
  std::vector<double> sorted(distances.begin(), distances.end());
  std::ranges::sort(sorted);
  return sorted[sorted.size() - 1 - std::min(sick, sorted.size() - 1)];
}

template <typename Value>
void push_bounded(std::deque<Value>& values, Value value, std::size_t most) {
  values.push_back(value);
  if (values.size() > most) values.pop_front();
}

std::vector<double> values_of(const FeatureWindow& window, std::span<const std::size_t> hosts,
                              std::size_t f) {
  std::vector<double> values;
  values.reserve(hosts.size());
  for (const std::size_t host : hosts) values.push_back(window.of(host)[f]);
  return values;
}

}  // namespace

double trained_distance(std::span<const double> distances, const FunctionSpread::Unit& unit) {
  if (distances.empty()) return 0;
  constexpr double kMillisecond = 1e-3;
  const double whole = unit.grain < 1 ? kMillisecond : 1;
  return std::ceil(std::ranges::max(distances) / whole) * whole;
}

std::vector<RestOfProgram> compared_rest(const ProgramSums& own, std::span<const ProgramSums* const> peers) {
  std::set<std::string_view> programs;
  for (const auto& [program, sum] : own) programs.insert(program);
  for (const ProgramSums* of_peer : peers) {
    for (const auto& [program, sum] : *of_peer) programs.insert(program);
  }
  std::vector<RestOfProgram> all;
  std::vector<double> values;
  for (const std::string_view program : programs) {
    values.clear();
    for (const ProgramSums* of_peer : peers) values.push_back(sum_of(*of_peer, program));
    const RestOfProgram rest{std::string(program), sum_of(own, program), stats::median_in_place(values)};
    if (rest.own != 0 || rest.peers != 0) all.push_back(rest);
  }
  return all;
}

void BehaviourFollower::Host::forget_sums() {
  sums.clear();
  rest.clear();
  summed = 0;
}

std::vector<double> BehaviourFollower::distances(const FeatureWindow& window,
                                                 std::span<const std::size_t> hosts,
                                                 std::span<const double> weights) const {
  const std::size_t stride = (hosts.size() - 1 + kMostPeers - 1) / kMostPeers;
  std::vector<double> medians;
  std::vector<double> to_others;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    to_others.clear();
    for (std::size_t away = 1; away < hosts.size(); away += stride) {
      const std::size_t other = hosts[(i + away) % hosts.size()];
      to_others.push_back(
          distance_between(parameters_.measure.distance, window.of(hosts[i]), window.of(other), weights));
    }
    const auto lower = to_others.begin() + static_cast<std::ptrdiff_t>((to_others.size() - 1) / 2);
    std::ranges::nth_element(to_others, lower);
    medians.push_back(*lower);
  }
  return medians;
}

double BehaviourFollower::threshold_of(const std::string& host, std::span<const double> others) const {
  const auto trained = parameters_.trained.find(host);
  if (trained != parameters_.trained.end()) return parameters_.factor * trained->second;
  double largest = largest_of_calm(others, (others.size() + 1) / kSickAtOnce);
  if (!calm_.empty()) largest = std::max(largest, std::ranges::max(calm_));
  // Where functions are not weighed, distances have the unit of the values.
  const double least = weighs_by_spread() ? 0 : parameters_.least;
  return std::max(parameters_.factor * largest, largest + least);
}

bool BehaviourFollower::is_much(const FeatureWindow& window, std::span<const std::size_t> hosts,
                                std::size_t host, std::span<const double> weights) const {
  double counts_most = 0;
  double its_difference = 0;
  for (std::size_t f = 0; f < window.functions.size(); ++f) {
    std::vector<double> values = values_of(window, hosts, f);
    const double difference = std::abs(window.of(host)[f] - stats::median_in_place(values));
    if (weights[f] * difference <= counts_most) continue;
    counts_most = weights[f] * difference;
    its_difference = difference;
  }
  return its_difference >= parameters_.least;
}

void BehaviourFollower::note_calm(std::span<const double> distances) {
  push_bounded(calm_, largest_of_calm(distances, std::max<std::size_t>(1, distances.size() / kSickAtOnce)),
               kMemory);
}

void BehaviourFollower::judge(Verdict& verdict, Host& known) const {
  push_bounded<std::uint8_t>(known.anomalous, verdict.is_anomalous ? 1 : 0, span());
  const auto anomalous = static_cast<std::size_t>(std::ranges::count(known.anomalous, 1));
  verdict.is_faulty = verdict.is_anomalous && anomalous >= parameters_.k;
  while (verdict.normal < known.anomalous.size() &&
         known.anomalous[known.anomalous.size() - 1 - verdict.normal] == 0) {
    ++verdict.normal;
  }
  if (anomalous == 0) {
    known.forget_sums();
    push_bounded(known.before, verdict.score(), kMemory);
  } else if (anomalous == 1 && verdict.is_anomalous) {
    known.first_score = verdict.score();
  }
  if (verdict.is_faulty && known.before.size() >= kLeastBefore) {
    std::vector<double> before(known.before.begin(), known.before.end());
    verdict.as_ever = 2 * stats::median_in_place(before) > known.first_score;
  }
}

void BehaviourFollower::add_difference(const FeatureWindow& window, std::span<const std::size_t> hosts,
                                       std::size_t host, std::span<const double> weights) {
  Host& known = hosts_[window.hosts[host]];
  std::vector<std::size_t> others(hosts.begin(), hosts.end());
  std::erase(others, host);
  ++known.summed;
  for (std::size_t f = 0; f < window.functions.size(); ++f) {
    std::vector<double> values = values_of(window, others, f);
    const double peers = stats::median_in_place(values);
    const double own = window.of(host)[f];
    if (own == 0 && peers == 0) continue;
    Differing& sum = known.sums[window.functions[f].value];
    sum.function = window.functions[f];
    sum.own += own;
    sum.peers += peers;
    sum.apart += weights[f] * std::abs(own - peers);
  }
  // Where programs are compared, there is none.
  if (window.rest.empty()) return;
  std::vector<const ProgramSums*> of_others;
  of_others.reserve(others.size());
  for (const std::size_t other : others) of_others.push_back(&window.rest[other]);
  for (const RestOfProgram& rest : compared_rest(window.rest[host], of_others)) {
    RestOfProgram& sum = known.rest[rest.program];
    sum.own += rest.own;
    sum.peers += rest.peers;
  }
}

std::vector<double> BehaviourFollower::weights(const FeatureWindow& window,
                                               std::span<const std::size_t> hosts, const Dictionary& words) {
  std::vector<double> weights =
      weighs_by_spread() ? spread_.weights(window, hosts) : std::vector<double>(window.functions.size(), 1.0);
  if (parameters_.measure.rules.empty()) return weights;
  for (std::size_t f = 0; f < weights.size(); ++f) {
    const auto [known, is_new] = ruled_.try_emplace(window.functions[f].value, 1.0);
    if (is_new) known->second = parameters_.measure.weight_of(words.text(window.functions[f]));
    weights[f] *= known->second;
  }
  return weights;
}

std::vector<BehaviourFollower::Verdict> BehaviourFollower::follow(const FeatureWindow& window,
                                                                  std::span<const std::size_t> hosts,
                                                                  const Dictionary& words) {
  constexpr std::size_t kFewest = 3;
  if (hosts.size() < kFewest) return {};
  const std::vector<double> weights = this->weights(window, hosts, words);
  const std::vector<double> all = distances(window, hosts, weights);
  std::vector<Verdict> verdicts;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    std::vector<double> others = all;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const std::string& name = window.hosts[hosts[i]];
    Verdict verdict{.host = hosts[i], .distance = all[i], .threshold = threshold_of(name, others)};
    verdict.is_anomalous = verdict.distance > verdict.threshold &&
                           (parameters_.trained.contains(name) || is_much(window, hosts, hosts[i], weights));
    Host& known = hosts_[name];
    judge(verdict, known);
    if (verdict.is_anomalous) add_difference(window, hosts, hosts[i], weights);
    verdicts.push_back(verdict);
  }
  note_calm(all);
  return verdicts;
}

std::vector<BehaviourFollower::Differing> BehaviourFollower::differing(const std::string& host) const {
  std::vector<Differing> all;
  const auto known = hosts_.find(host);
  if (known == hosts_.end()) return all;
  const auto windows = static_cast<double>(known->second.summed);
  for (const auto& [word, sum] : known->second.sums) {
    all.push_back({sum.function, sum.own / windows, sum.peers / windows, sum.apart / windows});
  }
  std::ranges::sort(all, [](const Differing& a, const Differing& b) {
    return a.apart != b.apart ? a.apart > b.apart : a.function.value < b.function.value;
  });
  return all;
}

std::vector<RestOfProgram> BehaviourFollower::rest(const std::string& host) const {
  std::vector<RestOfProgram> all;
  const auto known = hosts_.find(host);
  if (known == hosts_.end()) return all;
  const auto windows = static_cast<double>(known->second.summed);
  for (const auto& [program, sum] : known->second.rest) {
    all.push_back({program, sum.own / windows, sum.peers / windows});
  }
  return all;
}

void BehaviourFollower::forget_functions() {
  spread_.forget();
  ruled_.clear();
  for (auto& [name, host] : hosts_) host.forget_sums();
}

}  // namespace laggard::detect
