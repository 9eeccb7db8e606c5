#include "engine/detectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "explain/failure_mode.h"

namespace laggard::engine {

namespace {

/// The witness of requests that fail.
constexpr std::string_view kProbes = "pings";

bool wants(std::span<const std::string_view> kinds, std::string_view kind) {
  return std::ranges::find(kinds, kind) != kinds.end();
}

/// Parts that are exactly one component.
std::map<Part, std::size_t> components_by_part(const Grouping& grouping) {
  std::map<Part, std::size_t> of;
  for (std::size_t c = 0; c < grouping.components.size(); ++c) {
    const auto [at, added] = of.try_emplace(grouping.parts[grouping.components[c].part], c);
    if (!added) at->second = kNoComponent;
  }
  std::erase_if(of, [](const auto& entry) { return entry.second == kNoComponent; });
  return of;
}

template <typename Out, typename Seats, typename Of>
std::vector<Out> gather(const Seats& seats, const Of& of) {
  std::vector<Out> all;
  for (const auto& seat : seats) std::ranges::move(of(*seat.detector), std::back_inserter(all));
  return all;
}

/// The parts that an incident's findings are about.
std::vector<Part> parts_of(const Grouping& grouping, const Incident& incident) {
  std::set<Part> parts;
  std::set<std::string_view> components;
  for (const Evidence& evidence : incident.evidence) {
    if (evidence.part) {
      parts.insert(*evidence.part);
    } else {
      components.insert(evidence.component);
    }
  }
  for (const Component& component : grouping.components) {
    if (components.contains(component.name)) parts.insert(grouping.parts[component.part]);
  }
  return {parts.begin(), parts.end()};
}

std::vector<Part> alike_of(const Incident& incident) {
  std::set<Part> alike;
  for (const Evidence& evidence : incident.evidence) {
    if (evidence.component == incident.blame.name) alike.insert(evidence.alike.begin(), evidence.alike.end());
  }
  return {alike.begin(), alike.end()};
}

}  // namespace

Detectors::Detectors(const Grouping& grouping, std::span<const DetectorSpec> table,
                     const DetectorSetup& setup)
    : grouping_(grouping), step_(setup.step), queue_(setup.step) {
  if (!table.empty()) components_ = components_by_part(grouping);
  for (const DetectorSpec& spec : table) seats_.push_back({&spec, spec.make(setup)});
}

void Detectors::add(const EventTable& table) {
  const auto asks = [&](const Seat& seat) { return wants(seat.spec->events, table.kind()); };
  if (std::ranges::any_of(seats_, asks)) queue_.add(table);
}

void Detectors::add(const ProfileTable& table) {
  const auto asks = [&](const Seat& seat) { return wants(seat.spec->profiles, table.kind()); };
  if (std::ranges::any_of(seats_, asks)) queue_.add(table);
}

void Detectors::tell_complete(WallTime until) {
  if (until <= completed_) return;
  completed_ = until;
  for (const Seat& seat : seats_) seat.detector->complete(until);
}

void Detectors::hand_over(const ObservationStep& step) {
  tell_complete(step.end - step_);
  for (const Seat& seat : seats_) {
    for (const EventTable& table : step.events) {
      if (!wants(seat.spec->events, table.kind())) continue;
      seat.detector->take(table);
      may_tell_more_ = may_tell_more_ || seat.spec->examines;
    }
    for (const ProfileTable& table : step.profiles) {
      if (wants(seat.spec->profiles, table.kind())) seat.detector->take(table);
    }
  }
  tell_complete(step.end);
}

/// By a step, if it is judged by somebody.
void Detectors::widen(const ObservationStep& step) {
  const auto judged = [&](std::span<const std::string_view> DetectorSpec::*kinds, std::string_view kind) {
    return std::ranges::any_of(
        seats_, [&](const Seat& seat) { return seat.spec->accuses && wants(seat.spec->*kinds, kind); });
  };
  WallTime first = step.end;
  bool any = std::ranges::any_of(step.profiles, [&](const ProfileTable& table) {
    return judged(&DetectorSpec::profiles, table.kind());
  });
  for (const EventTable& table : step.events) {
    if (!judged(&DetectorSpec::events, table.kind())) continue;
    any = true;
    if (table.size() > 0) first = std::min(first, table.times().front());
  }
  if (any) span_ = {span_ ? span_->from : first, std::max(span_ ? span_->to : WallTime::min(), step.end)};
}

void Detectors::complete(WallTime until) {
  if (seats_.empty()) return;
  for (auto next = queue_.next(); next && *next <= until; next = queue_.next()) {
    const ObservationStep step = queue_.take();
    hand_over(step);
    begun_ = true;
    widen(step);
  }
  queue_.close_before(until);
  tell_complete(until);
}

void Detectors::finish() {
  while (const auto next = queue_.next()) complete(*next);
}

std::size_t Detectors::kept() const {
  std::size_t count = 0;
  for (const Seat& seat : seats_) count += seat.detector->kept();
  return count;
}

std::vector<Finding> Detectors::findings() const {
  std::vector<Finding> all;
  for (const Seat& seat : seats_) {
    for (Finding& finding : seat.detector->findings()) {
      finding.evidence.source = seat.spec->source;
      if (const auto component = components_.find(finding.part); component != components_.end()) {
        finding.component = component->second;
      }
      if (finding.is_of_component()) {
        finding.evidence.component = grouping_.components[finding.component].name;
      } else {
        finding.evidence.component = finding.part.name;
        finding.evidence.part = finding.part;
      }
      all.push_back(std::move(finding));
    }
  }
  return all;
}

void Detectors::forget(std::span<const std::uint8_t> keep) {
  for (const Seat& seat : seats_) {
    const std::size_t count = seat.detector->kept();
    seat.detector->forget(keep.first(count));
    keep = keep.subspan(count);
  }
}

std::vector<PathEvidence> Detectors::paths() const {
  return gather<PathEvidence>(seats_, [](const Detector& detector) { return detector.paths(); });
}

std::vector<std::string> Detectors::shared_symptoms() const {
  return gather<std::string>(seats_, [](const Detector& detector) { return detector.shared_symptoms(); });
}

std::vector<Evidence> Detectors::examine(const Suspicion& suspicion, bool accuse) const {
  std::vector<Evidence> all;
  for (const Seat& seat : seats_) {
    if (seat.spec->accuses != accuse) continue;
    for (Evidence& evidence : seat.detector->examine(suspicion)) {
      evidence.source = seat.spec->source;
      if (evidence.component.empty()) {
        evidence.component = suspicion.suspect.name;
        evidence.part = suspicion.suspect;
      }
      all.push_back(std::move(evidence));
    }
  }
  return all;
}

std::vector<std::string> Detectors::notes() const {
  std::vector<std::string> notes;
  for (const auto& [whose, unused] : queue_.unused()) {
    std::ranges::move(unused.sentences(whose.second, whose.first, "judged"), std::back_inserter(notes));
  }
  return notes;
}

std::vector<std::string> wanted_kinds(std::span<const DetectorSpec> table, ObservationShape shape) {
  std::set<std::string> kinds;
  for (const DetectorSpec& spec : table) {
    const auto& of = shape == ObservationShape::kEvents ? spec.events : spec.profiles;
    kinds.insert(of.begin(), of.end());
  }
  return {kinds.begin(), kinds.end()};
}

/// Members of the accused ones' groups, or else parts of their kinds, about which nothing is found; of many
/// some from all over, since those that lie together may be busy with the same.
std::vector<Part> Examiners::healthy_peers(const std::vector<Part>& accused,
                                           std::span<const Incident> all) const {
  std::set<std::string_view> found;
  for (const Incident& each : all) found.insert(each.components.begin(), each.components.end());
  const std::set<Part> own(accused.begin(), accused.end());
  std::set<Part> known = own;
  std::vector<Part> healthy;
  const auto add = [&](const std::string& name, const Part& part) {
    if (!found.contains(name) && known.insert(part).second) healthy.push_back(part);
  };
  for (const PeerGroup& group : grouping_.groups) {
    const auto is_own = [&](ComponentId id) { return own.contains(grouping_.parts[grouping_[id].part]); };
    if (std::ranges::none_of(group.members, is_own)) continue;
    for (const ComponentId id : group.members) {
      add(grouping_[id].name, grouping_.parts[grouping_[id].part]);
    }
  }
  for (std::uint32_t p = 0; p < grouping_.parts.size(); ++p) {
    const Part& part = grouping_.parts[PartId{p}];
    const bool is_peer = std::ranges::any_of(own, [&](const Part& each) { return each.kind == part.kind; });
    if (is_peer) add(part.name, part);
  }
  if (healthy.size() <= kMostHealthy) return healthy;
  std::vector<Part> some;
  for (std::size_t i = 0; i < kMostHealthy; ++i) some.push_back(healthy[i * healthy.size() / kMostHealthy]);
  return some;
}

Suspicion Examiners::suspicion(const Incident& incident, std::span<const Incident> all, WallTime at) const {
  Suspicion suspicion;
  suspicion.suspect = incident.blame;
  suspicion.parts = parts_of(grouping_, incident);
  suspicion.alike = alike_of(incident);
  suspicion.interval = {std::max(incident.since, at - kLookBack), at};
  suspicion.is_cut = incident.since < suspicion.interval.from;
  suspicion.fails =
      std::ranges::any_of(incident.evidence, [](const Evidence& each) { return each.source == kProbes; });
  std::vector<Part> accused = suspicion.parts;
  accused.insert(accused.end(), suspicion.alike.begin(), suspicion.alike.end());
  suspicion.healthy = healthy_peers(accused, all);
  return suspicion;
}

bool Examiners::Answer::may_change(WallTime at) const {
  const auto is_sure = [](const Evidence& each) {
    return each.mode == FailureMode::kReliability && !each.surmised;
  };
  return at < first_asked + kPatience && std::ranges::none_of(again, is_sure);
}

/// What was found once stays, when its lines or its load are too old to be found again; and what follows from
/// a load's end does not replace the load.
void Examiners::Answer::renew(std::vector<Evidence> answers) {
  std::erase_if(answers, [&](const Evidence& each) {
    return each.surmised && std::ranges::any_of(again, [&](const Evidence& old) {
             return old.source == each.source && !old.surmised;
           });
  });
  std::erase_if(again, [&](const Evidence& old) {
    return std::ranges::find(answers, old.source, &Evidence::source) != answers.end();
  });
  std::ranges::move(answers, std::back_inserter(again));
  std::ranges::stable_sort(again, {}, &Evidence::source);
}

bool Examiners::wait(WallTime at) const {
  if (!detectors_.may_tell_more() && !load_.knows_any(at)) return false;
  return std::ranges::any_of(answers_, [&](const auto& entry) { return entry.second.may_change(at); });
}

std::vector<Evidence> Examiners::ask_again(const Suspicion& asked) const {
  std::vector<Evidence> answers = detectors_.examine(asked, false);
  for (Evidence& evidence : load_.examine(asked)) {
    evidence.component = asked.suspect.name;
    evidence.part = asked.suspect;
    answers.push_back(std::move(evidence));
  }
  return answers;
}

void Examiners::look(std::span<const Incident> incidents, WallTime at) {
  std::map<std::string, Answer> answers;
  for (const Incident& incident : incidents) {
    const auto known = answers_.find(incident.id);
    const bool is_new = known == answers_.end();
    Answer answer = is_new ? Answer{at, {}, {}} : std::move(known->second);
    if (answer.may_change(at)) {
      const Suspicion asked = suspicion(incident, incidents, at);
      if (answer.once.empty()) answer.once = detectors_.examine(asked, true);
      answer.renew(ask_again(asked));
    }
    answers.emplace(incident.id, std::move(answer));
  }
  answers_ = std::move(answers);
}

void Examiners::add_answers(std::vector<Incident>& incidents) const {
  for (Incident& incident : incidents) {
    const auto answers = answers_.find(incident.id);
    if (answers == answers_.end()) continue;
    const std::size_t before = incident.evidence.size();
    for (const auto* evidence : {&answers->second.once, &answers->second.again}) {
      incident.evidence.insert(incident.evidence.end(), evidence->begin(), evidence->end());
    }
    incident.mode = explain::mode_of(std::span(incident.evidence).subspan(before));
  }
  explain::keep_first_causes(incidents, grouping_);
}

}  // namespace laggard::engine
