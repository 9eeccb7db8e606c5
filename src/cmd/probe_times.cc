#include "cmd/probe_times.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "cmd/load_latency.h"
#include "collect/pings/ping_source.h"
#include "detect/pings/ping_paths.h"
#include "model/event.h"

namespace laggard::cmd {

namespace {

class ProbeClassifier {
 public:
  ProbeClassifier(const Grouping& grouping, std::span<const Incident> incidents)
      : paths_(grouping), incidents_(incidents) {}

  void take(const EventTable& events);
  [[nodiscard]] std::vector<ProbeTimes> finish() {
    std::vector<ProbeTimes> all;
    for (auto& [operation, times] : operations_) {
      times.operation = operation;
      all.push_back(std::move(times));
    }
    return all;
  }

 private:
  /// When something on the way of these probes was sick; in no order.
  [[nodiscard]] std::vector<TimeSpan> sick_times(const detect::PingPair& pair) const;
  static void count(const EventTable::Event& event, std::string_view outcome, ProbeTimes::Times& times);

  detect::PingPaths paths_;
  std::span<const Incident> incidents_;
  std::map<detect::PingPair, std::vector<TimeSpan>> sick_;
  std::map<std::string, ProbeTimes, std::less<>> operations_;
};

std::vector<TimeSpan> ProbeClassifier::sick_times(const detect::PingPair& pair) const {
  std::set<Part> passed;
  for (const detect::PingHop& hop : paths_.of(pair)) passed.insert(hop.parts.begin(), hop.parts.end());
  std::vector<TimeSpan> times;
  for (const Incident& incident : incidents_) {
    if (passed.contains(incident.blame)) times.push_back({incident.since, incident.seen_until});
  }
  return times;
}

void ProbeClassifier::count(const EventTable::Event& event, std::string_view outcome,
                            ProbeTimes::Times& times) {
  if (outcome == "timeout" || outcome == "error") {
    ++times.failed;
    return;
  }
  if (!event.duration) return;
  add_latency(times.done, to_seconds(*event.duration) * 1e3);
}

void ProbeClassifier::take(const EventTable& events) {
  const AttributeColumn* operations = events.find_attribute("operation", AttributeForm::kWord);
  const std::vector<TimeSpan>* sick = nullptr;
  std::optional<std::pair<Word, bool>>
      last;  // Whose way `sick` is: probes of a target mostly follow each other.
  for (std::size_t e = 0; e < events.size(); ++e) {
    const EventTable::Event event = events.event(e);
    const std::string_view outcome = events.words().text(event.what);
    if (event.subject == kNoWord || outcome == "skipped") continue;
    const std::string_view operation = events.word(operations, e);
    const std::pair now(event.subject, operation != "WrEx");
    if (last != now) {
      last = now;
      const detect::PingPair pair{events.host(), std::string(events.words().text(event.subject)), now.second};
      auto known = sick_.find(pair);
      if (known == sick_.end()) known = sick_.emplace(pair, sick_times(pair)).first;
      sick = &known->second;
    }
    const bool is_sick = std::ranges::any_of(
        *sick, [&](const TimeSpan& span) { return span.from <= event.time && event.time <= span.to; });
    auto times = operations_.find(operation);
    if (times == operations_.end()) times = operations_.emplace(std::string(operation), ProbeTimes{}).first;
    count(event, outcome, is_sick ? times->second.sick : times->second.well);
  }
}

}  // namespace

Result<std::vector<ProbeTimes>> probe_times(const AnalysisSetup& setup, std::span<const Incident> incidents) {
  if (setup.observations == nullptr) return std::vector<ProbeTimes>{};
  auto reader = setup.observations->read_events({.from = setup.request.from,
                                                 .to = setup.request.to,
                                                 .kinds = {std::string(collect::PingSource::kKind)},
                                                 .hosts = {}});
  if (!reader) return forward(reader);
  ProbeClassifier classifier(setup.grouping, incidents);
  while (true) {
    auto table = (*reader)->next();
    if (!table) return forward(table);
    if (!*table) return classifier.finish();
    classifier.take(**table);
  }
}

}  // namespace laggard::cmd
