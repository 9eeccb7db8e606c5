#include "report/spoken.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <set>
#include <tuple>

#include "model/metric.h"
#include "report/evidence.h"
#include "report/quantity.h"

namespace laggard::report {

namespace {

constexpr std::string_view kAbsent = "absent";
constexpr std::string_view kBias = "bias";

/// How one component and several do what a metric measures.
struct Verb {
  std::string_view metric;
  std::string_view one;
  std::string_view several;
  std::string_view what;  ///< After the number.
};
constexpr std::array kVerbs{
    Verb{"await", "takes", "take", " per request"},
    Verb{"latency", "takes", "take", " per request"},
    Verb{"dread", "takes", "take", " per read from storage"},
    Verb{"dwrite", "takes", "take", " per write to storage"},
    Verb{"dwrite-direct", "takes", "take", " per direct write to storage"},
    Verb{"nsread", "takes", "take", " to read a request"},
    Verb{"ncread", "takes", "take", " until a client has read an answer"},
    Verb{"rd_sec", "reads", "read", ""},
    Verb{"wr_sec", "writes", "write", ""},
    Verb{"throughput", "moves", "move", ""},
    Verb{"rxbyt", "receives", "receive", ""},
    Verb{"txbyt", "sends", "send", ""},
    Verb{"tps", "serves", "serve", ""},
    Verb{"rtt", "needs", "need", " per round trip"},
    Verb{"retransmits", "retransmits", "retransmit", " of its packets"},
    Verb{"cwnd", "keeps a congestion window of", "keep", ""},
};

const Verb* verb_of(std::string_view metric) {
  const auto* verb = std::ranges::find(kVerbs, metric, &Verb::metric);
  return verb == kVerbs.end() ? nullptr : verb;
}

/// `read throughput`, but `TCP round trip`.
std::string quantity_of(std::string_view metric) {
  const MetricSpec* spec = find_metric(metric);
  std::string name(spec == nullptr ? metric : spec->title);
  const auto is_upper = [&](std::size_t i) {
    return i < name.size() && std::isupper(static_cast<unsigned char>(name[i])) != 0;
  };
  if (is_upper(0) && !is_upper(1))
    name[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(name[0])));
  return name;
}

std::string peers_of(const Evidence& e) {
  return e.peer_count == 0 ? "its peers" : fmt::format("its {}", counted(e.peer_count, "peer"));
}

std::string of_silence(const Evidence& e) {
  if (!e.peers || *e.peers <= 0)
    return fmt::format("{} does nothing while most of {} work", e.component, peers_of(e));
  const Verb* verb = verb_of(e.metric);
  return fmt::format("{} does nothing where {} {} {}", e.component, peers_of(e),
                     verb == nullptr ? "are at" : verb->several, humanise(*e.peers, e.unit));
}

std::string of_levels(const Evidence& e) {
  const std::string own = humanise(*e.level, e.unit);
  const std::string others = humanise(*e.peers, e.unit);
  if (const Verb* verb = verb_of(e.metric)) {
    return fmt::format("{} {} {}{} where {} {} {}", e.component, verb->one, own, verb->what, peers_of(e),
                       verb->several, others);
  }
  return fmt::format("{} has {} of {} where {} have {}", e.component, quantity_of(e.metric), own, peers_of(e),
                     others);
}

std::string of_distribution(const Evidence& e) {
  const std::string differs =
      fmt::format("the {} of {} differs from that of {}", quantity_of(e.metric), e.component, peers_of(e));
  if (!e.level || !e.peers) return differs + "; there is no data on its level";
  return fmt::format("{} in how it is distributed, not in its level ({} and {})", differs,
                     humanise(*e.level, e.unit), humanise(*e.peers, e.unit));
}

std::string of_deviation(const Evidence& e) {
  return fmt::format(
      "in one second the {} of {} was {} off the median of {}, where {} is the most that is normal",
      quantity_of(e.metric), e.component, humanise(e.distance, e.unit), peers_of(e),
      humanise(e.threshold, e.unit));
}

std::string of(const Evidence& e) {
  if (e.metric.empty()) return other_evidence(e);
  if (e.detector == kDeviation) return of_deviation(e);
  if (e.detector == kAbsent) return of_silence(e);
  if (!differs_in_level(e)) return of_distribution(e);
  return of_levels(e) + (e.detector == kBias ? ", hour after hour" : "");
}

/// Which piece is said.
const Evidence& most_telling(const Incident& incident) {
  const std::set<std::string_view> faulty(incident.components.begin(), incident.components.end());
  const auto is_of_resource = [&](const Evidence& e) {
    const MetricSpec* spec = find_metric(e.metric);
    return spec != nullptr && to_name(spec->resource) == incident.resource;
  };
  const auto worth = [&](const Evidence& e) {
    return std::tuple(faulty.contains(e.component), e.detector == kAbsent, differs_in_level(e),
                      is_of_resource(e), e.score);
  };
  return *std::ranges::max_element(incident.evidence, {}, worth);
}

}  // namespace

bool differs_in_level(const Evidence& e) {
  if (!e.level || !e.peers || humanise(*e.level, e.unit) == humanise(*e.peers, e.unit)) return false;
  constexpr double kTenth = 0.1;
  return std::abs(*e.level - *e.peers) >= kTenth * std::max(std::abs(*e.level), std::abs(*e.peers));
}

std::string spoken_evidence(const Incident& incident) {
  if (incident.evidence.empty()) return "";
  const Evidence& said = most_telling(incident);
  std::set<std::string_view> others;
  for (const Evidence& e : incident.evidence) {
    const bool same = e.metric == said.metric && e.detector == said.detector && e.source == said.source;
    if (same && e.component != said.component) others.insert(e.component);
  }
  if (said.metric.empty() || others.empty()) return of(said);
  return fmt::format("{}; {} likewise", of(said), counted(others.size(), "other"));
}

std::string_view meaning_of_distance(std::string_view detector) {
  struct Meaning {
    std::string_view detector;
    std::string_view is;
  };
  static constexpr std::array kMeanings{
      Meaning{"cdf", "cdf: bins of the scale by which its distribution lies apart from its peers'"},
      Meaning{"wasserstein",
              "wasserstein: bins of the scale by which its sorted samples lie apart from its peers'"},
      Meaning{"median", "median: how far it is from the peers' median, added up over the samples"},
      Meaning{"thresh", "thresh: its largest sample"},
      Meaning{"kl", "kl: how little the histograms overlap (a divergence, in nats)"},
      Meaning{"cwnd", "cwnd: the share by which it is below its peers' median"},
      Meaning{"deviation", "deviation: the most by which it was off its peers' median in one second"},
      Meaning{"bias", "bias: logarithm of how many times its peers' it is, in the mean of hours"},
      Meaning{"absent", "absent: 2 where nothing was done while most peers worked"},
      Meaning{"ratio", "ratio: how many times its peers' it is"},
      Meaning{"standby", "standby: ms for which requests waited that should not come here"},
  };
  const auto* found = std::ranges::find(kMeanings, detector, &Meaning::detector);
  return found == kMeanings.end() ? std::string_view{} : found->is;
}

}  // namespace laggard::report
