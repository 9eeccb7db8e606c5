#include "engine/detectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

namespace laggard::engine {

namespace {

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

}  // namespace

Detectors::Detectors(const Grouping& grouping, std::span<const DetectorSpec> table, Duration step)
    : grouping_(grouping), components_(components_by_part(grouping)), step_(step), queue_(step) {
  for (const DetectorSpec& spec : table) seats_.push_back({&spec, spec.make({grouping, step})});
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
      if (wants(seat.spec->events, table.kind())) seat.detector->take(table);
    }
    for (const ProfileTable& table : step.profiles) {
      if (wants(seat.spec->profiles, table.kind())) seat.detector->take(table);
    }
  }
  tell_complete(step.end);
}

void Detectors::complete(WallTime until) {
  if (seats_.empty()) return;
  for (auto next = queue_.next(); next && *next <= until; next = queue_.next()) {
    const WallTime before = span_ ? span_->to : WallTime::min();
    const ObservationStep step = queue_.take();
    hand_over(step);
    WallTime first = step.end;
    for (const EventTable& table : step.events) {
      if (table.size() > 0) first = std::min(first, table.times().front());
    }
    span_ = {span_ ? span_->from : first, std::max(before, step.end)};
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

std::vector<Evidence> Detectors::examine(const Suspicion& suspicion) const {
  std::vector<Evidence> all;
  for (const Seat& seat : seats_) {
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

}  // namespace laggard::engine
